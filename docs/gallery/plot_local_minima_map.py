"""
Where else could the fit be?
============================

The best error for any two speeds, everything else fitted to them. The darkest part is the
near-optimal set, whose fits are within 1.1 times the best error; points are optima, the plausible
fit and the extremes of the near-optimal set. A long set means that
the day does not determine a speed: use the plausible fit, bounds or an anchor, and document it.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/local_minima_map.png"

import calibscope as cs
from calibscope.report.figures.local_minima import local_minima_map

day = cs.demo_market().day("2024-01-19")
local_minima_map(cs.calibrate(day), "SYNTHETIC market, 2024-01-19")
