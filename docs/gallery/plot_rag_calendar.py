"""
Which days need review?
=======================

Every day is a cell, a block per year and a column per week: the darker, the more a person should
look. A status does not say that a number is wrong. Hover over a dark cell for its reasons, then
open that day with ``calibscope day``; the limits are settings of your own (``[governance]``).
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/rag_calendar.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.rag_calendar import rag_calendar

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
rag_calendar(study)
