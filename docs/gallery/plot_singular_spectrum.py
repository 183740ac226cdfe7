"""
How many directions count, and at which tolerance?
==================================================

Singular values of the weighted Jacobian over the largest, in natural units and in scaled
coordinates, and the number that counts at every tolerance. A step near the dashed line means that
the rank of this day is a matter of taste. Then read the parameters' intervals with their marks,
not the rank.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/singular_spectrum.png"

import calibscope as cs
from calibscope.report.figures.singular_spectrum import singular_spectrum

day = cs.demo_market().day("2024-06-06")
dx = cs.diagnose(cs.calibrate(day), mode="full")  # rho_xy is at its bound, and counted all the same
singular_spectrum(dx, "SYNTHETIC market, 2024-06-06")
