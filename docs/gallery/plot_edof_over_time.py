"""
How many parameters do the quotes determine?
============================================

The effective degrees of freedom: above, the number of singular values that count, below, the trace
under Tikhonov regularisation. A day at four has a combination of parameters that the quotes leave
open; ``dx.unidentified_combinations`` names it. Frequent switching means that neighbouring days
cannot be compared parameter by parameter.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/edof_over_time.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.edof_over_time import edof_over_time

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
edof_over_time(study)
