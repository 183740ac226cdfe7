"""
How do two dates differ?
========================

Market and model of two dates on common axes, with the errors that remain and the leverage of each
quote. The live page (``calibscope serve``) draws this figure when a second date is given.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/two_dates.png"

import calibscope as cs
from calibscope.report.figures.two_dates import two_dates

market = cs.demo_market()
sides = []
for date in ("2020-03-18", "2022-07-21"):
    fit = cs.calibrate(market.day(date))
    sides.append((date, fit, cs.diagnose(fit)))
two_dates(sides, "SYNTHETIC market, 2020-03-18; beside it 2022-07-21")
