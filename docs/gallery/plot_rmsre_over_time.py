"""
How good is the fit?
====================

The root mean squared relative error (RMSRE) of every day, with the median of each year. A day
without results is a tick at the bottom. Read it first, but do not rely on it: a small error means
that prices are met, not that the parameters are known. Next, see :doc:`how many parameters the
quotes determine </generated/gallery/plot_edof_over_time>`.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/rmsre_over_time.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.rmsre_over_time import rmsre_over_time

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
rmsre_over_time(study)
