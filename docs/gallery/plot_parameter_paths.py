"""
What were the parameters?
=========================

The five parameters day by day, speeds and volatilities on log scales, with ticks where a bound
holds them. Jumps by a factor of ten between neighbouring days are seldom real: they are moves
along a flat direction. Check with the :doc:`intervals </generated/gallery/plot_fan_chart>` before
explaining one.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/parameter_paths.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.parameter_paths import parameter_paths

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
parameter_paths(study)
