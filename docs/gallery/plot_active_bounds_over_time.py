"""
Which bounds hold the parameters, and when?
===========================================

One row per bound that was ever active, with a tick for every day on which it held a parameter. The
correlation at -1 is usual with caps; a volatility at 1 says that the best fit is absurd. For such
days compare ``fit.evidence.plausible_fit``, and read ``dx.multiplier_ratios``.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/active_bounds_over_time.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.active_bounds_over_time import active_bounds_over_time

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
active_bounds_over_time(study)
