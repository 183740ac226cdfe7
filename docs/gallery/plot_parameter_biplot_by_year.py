"""
When did the parameters move?
=============================

The same components, one panel per year over all days in grey. A compact cloud is a year of stable
parameters; a cloud that is torn apart is one in which they were hardly determined. Compare it with
the :doc:`effective degrees of freedom </generated/gallery/plot_edof_over_time>` of that year.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/parameter_biplot_by_year.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.parameter_biplot_by_year import parameter_biplot_by_year

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
parameter_biplot_by_year(study)
