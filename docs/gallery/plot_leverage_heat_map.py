"""
When did which maturity decide the fit?
=======================================

The same leverage, day by day: dark cells are quotes that the fit must meet. Look for bands that
begin or end on a date: from then on the calibration depended on another quote. Here only
parameters at no bound count; without ``strict=True`` all five do.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/leverage_heat_map.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.leverage_heat_map import leverage_heat_map

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
leverage_heat_map(study, strict=True)
