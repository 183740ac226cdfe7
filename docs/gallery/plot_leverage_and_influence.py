"""
Which quotes could move the fit, and which have?
================================================

Above, leverage; below, Cook's distance, the length of the move of all fitted prices without the
quote, in units of noise. Plain bars hold parameters fixed at bounds that hold, which is the fit you
have; hatched ones let all of them move, as in the paper. A quote high in both decides the day:
check it at its source, then fit without it (``dx.refits.leave_one_out()``).
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/leverage_and_influence.png"

import calibscope as cs
from calibscope.report.figures.leverage_and_influence import leverage_and_influence

day = cs.demo_market().day("2024-06-06")
fit = cs.calibrate(day)
dx, full = cs.diagnose(fit), cs.diagnose(fit, mode="full")
leverage_and_influence(dx, "SYNTHETIC market, 2024-06-06", beside=full)
