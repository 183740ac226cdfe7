"""Draw docs/forwards.png: one synthetic curve, and its forward rates under four schemes."""

from pathlib import Path

import numpy as np
from render import render

from calibscope.market.curve import DiscountCurve
from calibscope.market.svensson import PAPER_TIMES, svensson_zero_rates
from calibscope.report.figures.forwards import forwards

# A curve of 2023, short rates high, and what no Svensson curve can follow: waves of 1 bp.
PARAMETERS = [0.024, 0.010, -0.012, 0.010, 1.2, 9.0]
WAVE = 1e-4


def curve() -> DiscountCurve:
    """The synthetic curve, on the paper's 55 maturities."""
    wave = WAVE * np.sin(2 * np.pi * PAPER_TIMES / 7)
    return DiscountCurve.from_zero_rates(
        PAPER_TIMES, svensson_zero_rates(PARAMETERS, PAPER_TIMES) + wave
    )


if __name__ == "__main__":
    figure = forwards(
        curve(),
        ["paper", "log-linear", "log-cubic", "monotone-convex"],
        note="SYNTHETIC curve: Svensson plus waves of 1 bp, on the paper's 55 maturities. "
        "6-month forward rates; ticks: observed maturities.",
    )
    render(figure, Path(__file__).parent / "forwards.png", width=1000, height=900)
