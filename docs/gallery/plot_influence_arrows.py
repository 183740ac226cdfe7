"""
Where did each quote push the parameters?
=========================================

One arrow per quote: what its own error has done to two parameters, in percent. Grey is the usual
Gauss-Newton form, orange the exact Hessian; where they differ, trust the latter. Arrows along one
line mean that all quotes push along the same flat direction, so only the position along it is
uncertain.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/influence_arrows.png"

import calibscope as cs
from calibscope.report.figures.influence_arrows import influence_arrows

day = cs.demo_market().day("2020-03-18")
influence_arrows(cs.diagnose(cs.calibrate(day)), "SYNTHETIC market, 2020-03-18")
