"""
How far can a parameter go?
===========================

Each parameter is moved and all others are refitted: the objective over its minimum. Where the
curve is below the line of a level, the value belongs to the interval. The bars below compare it
with the delta method; where they disagree, report the profile.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/profile_chart.png"

import calibscope as cs
from calibscope.report.figures.profiles import profile_chart

day = cs.demo_market().day("2020-03-18")
dx = cs.diagnose(cs.calibrate(day))
profile_chart(
    dx.refits.profiles(), dx.intervals(0.95, method="delta"), "SYNTHETIC market, 2020-03-18"
)
