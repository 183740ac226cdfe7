"""
What does a change do?
======================

Leverage of every quote before and after a change, and how far the parameters move. The diamonds
are what the influence function predicts, the bars what the recalibration gives. Where they differ,
the change is too large for first order, or another optimum has become the best: trust the bars.
The live page (``calibscope serve``) draws this figure while quotes are moved.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/before_and_after.png"

import calibscope as cs
from calibscope.report.figures.before_and_after import before_and_after
from calibscope.study.settings import StudySettings
from calibscope.study.what_if import Change, what_if

day = cs.demo_market().day("2020-03-18")
found = what_if(day, Change(moves={"3Y": 0.01}), StudySettings())  # 3Y, 1 % of its price up
before_and_after(found, "SYNTHETIC market, 2020-03-18; what if: 3Y +1 % of price")
