"""
Along which lines do the parameters move?
=========================================

The first two principal components of the standardised parameters: a point per day, from dark to
light by year, and an arrow per parameter. Arrows side by side move together, opposite ones against
each other; a short arrow belongs to other components. ``"scaled"`` takes logarithms, so that a
speed near zero counts.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/parameter_biplot.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.parameter_biplot import parameter_biplot

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
parameter_biplot(study, "scaled")
