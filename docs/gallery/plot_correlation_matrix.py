"""
Which parameters cannot be told apart?
======================================

Correlations of the parameters' errors, by Gauss-Newton and by the exact Hessian, which holds
parameters at bounds. Near 1 or -1 only a combination of two parameters is known. Do not interpret
a move of one of them alone. Fixing one makes the other look precise, but that is your choice.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/correlation_matrix.png"

import calibscope as cs
from calibscope.report.figures.correlation_matrix import correlation_matrix

day = cs.demo_market().day("2020-03-18")
correlation_matrix(cs.diagnose(cs.calibrate(day)), "SYNTHETIC market, 2020-03-18")
