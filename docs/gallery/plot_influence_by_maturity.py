"""
Which maturities moved the parameters?
======================================

Leverage says what a quote could do, influence what its own error has done: the length of the shift
of the parameters, on a log scale. The score mixes units, so that a speed of 5 outweighs all
volatilities. Look at the upper tails, and then at single days with ``dx.cooks_distance``.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/influence_by_maturity.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.influence_by_maturity import influence_by_maturity

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
influence_by_maturity(study)
