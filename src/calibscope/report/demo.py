"""What `calibscope demo` shows."""

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.market.demo import demo_day, demo_market
from calibscope.market.settings import Conventions
from calibscope.models.g2.model import G2
from calibscope.report.check import market_summary
from calibscope.report.reference_cases import reference_cases
from calibscope.report.terminal import priced_day

WHAT_NEXT = """
What next: check two files, then your own (docs/data.md shows how they may look)
  .venv/bin/calibscope check examples/caps.csv --curve examples/ois.csv
and see one day calibrated and diagnosed on a page of its own
  .venv/bin/calibscope day examples/caps.csv --curve examples/ois.csv \\
    --date 2020-03-18"""


def demo_page() -> RenderableType:
    """The built-in market, one day priced and differentiated, three calibrated and diagnosed."""
    day = demo_day()
    model = G2(a_x=1.0, a_y=0.026, sigma_x=0.0034, sigma_y=0.0095, rho_xy=-0.7)
    title = (
        f"\nSYNTHETIC day {day.date}: {len(day.prices)} at-the-money caps.\n"
        "Parameters chosen by hand, not calibrated."
    )
    market = demo_market()
    return Group(
        market_summary(market, Conventions()),
        priced_day(day, model, title),
        reference_cases(market),
        Text(WHAT_NEXT, style="bold"),
    )
