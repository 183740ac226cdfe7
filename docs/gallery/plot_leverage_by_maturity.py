"""
Which maturities decide the fit?
================================

Leverage is the share of a quote in its own fitted price: at one, the fit follows the quote
whatever it says. A violin shows its distribution over all days, symbols the reference dates. Wide
violins near one are quotes to check first when a calibration looks odd. ``strict=True`` leaves out
parameters that a bound holds.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/leverage_by_maturity.png"

from demo_study import demo_store

import calibscope as cs
from calibscope.report.figures.leverage_by_maturity import leverage_by_maturity

study = cs.open_study(demo_store())  # yours: cs.run_study(market, "study.db")
leverage_by_maturity(study)
