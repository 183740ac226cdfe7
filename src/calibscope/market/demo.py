"""A built-in day to try things on: synthetic, shaped like a Euro day with inverted curve.

Nothing here was observed. Curve and volatilities are smooth formulas, chosen so that the day
looks like one that users know: short rates near 3.7 %, long rates near 2.6 %, normal volatilities
of 75 to 87 bp with a slight hump.
"""

import numpy as np

from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay

MATURITIES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)


def demo_day() -> MarketDay:
    """One synthetic day: 13 at-the-money caps from 3 to 30 years, 6-month tenor."""
    nodes = np.concatenate(([1 / 12, 0.25], np.arange(0.5, 30.5, 0.5)))
    zero_rates = 0.0255 + 0.0125 * np.exp(-nodes / 2.2) + 0.002 * np.exp(-(((nodes - 14) / 7) ** 2))
    years = np.array(MATURITIES, float)
    normal_vols = 0.0070 + 0.0030 * np.exp(-years / 18) - 0.0022 * np.exp(-years / 2.5)
    return MarketDay.from_arrays(
        curve=DiscountCurve.from_zero_rates(nodes, zero_rates),
        maturities=years,
        vols=normal_vols,
        date="2024-06-03",
    )
