"""
Which quotes are missed together?
=================================

Correlations of the residuals of every two quotes over the history: blue where both are missed on
the same side, orange where on opposite sides. Independent noise leaves small ones, which the fit
itself makes. Large ones are misfit that the quotes share, and intervals that take residuals for
independent noise are then too short.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/residual_correlations.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.residual_correlations import residual_correlations

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
residual_correlations(study)
