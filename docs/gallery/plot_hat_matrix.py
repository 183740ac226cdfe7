"""
Which quotes share the work?
============================

By how much each fitted price (row) moves with each quote (column), in percent. The framed diagonal
is the leverage. Large entries beside it are neighbours that share the work; a row with only its
own diagonal is a quote that no other contradicts if it is wrong.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/hat_matrix.png"

import calibscope as cs
from calibscope.report.figures.hat_matrix import hat_matrix

day = cs.demo_market().day("2020-03-18")
hat_matrix(cs.diagnose(cs.calibrate(day)), "SYNTHETIC market, 2020-03-18")
