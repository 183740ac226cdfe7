"""
How far could each parameter be from its estimate?
==================================================

Intervals at 50, 75 and 95 % by the delta method, as multiples of the estimate; the correlation as a
difference. Grey intervals are uninformative, long or short, because rank was lost; a parameter at a
bound has none. Trust the profiles, ``dx.intervals()``.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/interval_chart.png"

import calibscope as cs
from calibscope.report.figures.interval_chart import interval_chart

day = cs.demo_market().day("2024-06-06")
interval_chart(cs.diagnose(cs.calibrate(day)), "SYNTHETIC market, 2024-06-06")
