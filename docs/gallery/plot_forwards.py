"""
Which forward rates does the interpolation make?
================================================

Forward rates of one synthetic curve under several interpolation schemes, with the observed
maturities as ticks. Caplets are options on forward rates, so saw-teeth here become errors of the
caps. Prefer a scheme whose forwards are smooth and still meet every node.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/forwards.png"

import numpy as np
from figures.forwards import forwards

import calibscope as cs
from calibscope.market.svensson import PAPER_TIMES, svensson_zero_rates

rates = svensson_zero_rates([0.024, 0.010, -0.012, 0.010, 1.2, 9.0], PAPER_TIMES)
waves = 1e-4 * np.sin(2 * np.pi * PAPER_TIMES / 7)  # 1 bp, which no Svensson curve can follow
curve = cs.DiscountCurve.from_zero_rates(PAPER_TIMES, rates + waves)
forwards(
    curve,
    ["paper", "log-linear", "log-cubic", "monotone-convex"],
    note="SYNTHETIC curve: Svensson plus waves of 1 bp, on the paper's 55 maturities. "
    "6-month forward rates; ticks: observed maturities.",
)
