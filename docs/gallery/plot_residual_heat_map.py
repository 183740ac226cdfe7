"""
Where does the model miss the quotes?
=====================================

Model price less market price, relative, by day and maturity: blue is too dear, orange too cheap.
Noise is speckled. Bands that last for months are misfit, which no choice of
parameters removes; a single dark cell is a quote to check.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/residual_heat_map.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.residual_heat_map import residual_heat_map

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
residual_heat_map(study)
