"""
How uncertain is a parameter over time?
=======================================

Estimates are dots, bands are intervals at 50, 75 and 95 %, one panel per scale of the noise. A day
whose interval is uninformative has a tick instead of a band: at a bound there is no delta
interval, and where rank was lost a thin band would look like precision. For a number that somebody
relies on, take the profile of that day.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/fan_chart.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.fan_chart import fan_chart

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
fan_chart(study, "a_y", scales=("mad", "mad_adjusted"))
