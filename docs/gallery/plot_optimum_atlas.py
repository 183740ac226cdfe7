"""
Where else could the fit lie?
=============================

The best error for any two speeds, everything else fitted to them. The darkest part is the valley,
whose fits are within 1.1 times the best error; points are optima, the plausible fit and the ends
of the valley. A long valley says that the day does not choose a speed: use the plausible fit,
bounds or an anchor, and say so.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/optimum_atlas.png"

import calibscope as cs
from calibscope.report.figures.optimum_atlas import optimum_atlas

day = cs.demo_market().day("2024-01-19")
optimum_atlas(cs.calibrate(day), "SYNTHETIC market, 2024-01-19")
