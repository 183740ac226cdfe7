"""Draw docs/consequences.png: what follows from the fit of a synthetic day."""

from pathlib import Path

from render import render

import calibscope as cs
from calibscope.report.figures.consequences import consequences

DATE = "2024-06-06"
INSTRUMENTS = (cs.Cap(35), cs.Floor(10, strike=0.0), cs.BondOption(expiry=5, maturity=15))

if __name__ == "__main__":
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day(DATE)))
    figure = consequences(dx.consequences(instruments=INSTRUMENTS), f"{DATE}.", is_synthetic=True)
    path = Path(__file__).parent / "consequences.png"
    render(figure, path, width=1000, height=figure.layout.height)
