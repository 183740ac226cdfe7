"""
What does a calibration look like?
==================================

Three quotes of a fit: the market is a point, all prices of the model are a curved surface,
the fit is its nearest point, and the diagnostics see the tangent plane. Turn the picture with the
mouse. Where the surface leaves the plane within the length of the residual, first-order answers
are doubtful.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/geometry.png"

import calibscope as cs
from calibscope.report.figures.geometry import geometry

day = cs.demo_market().day("2020-03-18")
geometry(cs.calibrate(day), "SYNTHETIC market, 2020-03-18")
