"""Write examples/caps.csv (long) and examples/ois.csv (wide): ten weeks of the synthetic market.

`python examples/make_files.py` writes them again; a test compares them with the built-in market.
"""

from pathlib import Path

import numpy as np

from calibscope.market.demo import demo_panels
from calibscope.market.maturity import label

FIRST, LAST = np.datetime64("2020-02-17"), np.datetime64("2020-04-30")
HERE = Path(__file__).parent


def caps_text() -> str:
    """Prices and strikes: date, maturity, quantity, value."""
    price, strike, _ = demo_panels()
    lines = ["date,maturity,quantity,value"]
    for i in np.flatnonzero((price.dates >= FIRST) & (price.dates <= LAST)):
        for k, year in enumerate(price.maturities):
            for panel in (price, strike):
                value = _number(panel.values[i, k], 8)
                lines.append(f"{panel.dates[i]},{label(year)},{panel.quantity},{value}")
    return "\n".join(lines) + "\n"


def curve_text() -> str:
    """Discount factors: date, 1D, 1W, ... 50Y."""
    curve = demo_panels()[2]
    lines = [",".join(["date", *(label(year) for year in curve.maturities)])]
    for i in np.flatnonzero((curve.dates >= FIRST) & (curve.dates <= LAST)):
        lines.append(
            ",".join([str(curve.dates[i]), *(_number(value, 10) for value in curve.values[i])])
        )
    return "\n".join(lines) + "\n"


def _number(value: float, digits: int) -> str:
    return "#N/A" if np.isnan(value) else f"{value:.{digits}f}"


if __name__ == "__main__":
    (HERE / "caps.csv").write_text(caps_text(), encoding="utf-8")
    (HERE / "ois.csv").write_text(curve_text(), encoding="utf-8")
