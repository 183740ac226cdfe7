"""
What follows for the numbers you use?
=====================================

Spread of the short rate, negative rates, slope and option prices, with their ranges: near-optimal
set (broad bars) and delta method (thin lines, grey where uninformative). A wide bar is a number
that the caps do not determine. Run both extremes through the generator, and report the difference
as model risk.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/consequences.png"

import calibscope as cs
from calibscope.report.figures.consequences import consequences

day = cs.demo_market().day("2024-06-06")
dx = cs.diagnose(cs.calibrate(day))
instruments = (cs.Cap(35), cs.Floor(10, strike=0.0), cs.BondOption(expiry=5, maturity=15))
consequences(dx.consequences(instruments=instruments), "2024-06-06.", is_synthetic=True)
