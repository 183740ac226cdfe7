"""Draw the synthetic market over time for docs/demo-market.md. Run it when the market changes."""

from pathlib import Path

from render import render

from calibscope.market.demo import demo_market
from calibscope.report.figures.market_history import market_history

if __name__ == "__main__":
    render(market_history(demo_market()), Path(__file__).parent / "market.png", 1100, 760)
