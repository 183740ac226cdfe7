"""
What would the parameters be without a quote?
=============================================

Each quote left out and the day fitted again: black is the truth, the other symbols are what first
order predicted. A long line is a quote whose effect derivatives do not predict. If one quote moves
a parameter by more than you can accept, the day depends on it.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/left_out_shifts.png"

import calibscope as cs
from calibscope.report.figures.left_out_shifts import left_out_shifts

day = cs.demo_market().day("2020-03-18")
dx = cs.diagnose(cs.calibrate(day))
left_out_shifts(dx.refits.leave_one_out(), "SYNTHETIC market, 2020-03-18")
