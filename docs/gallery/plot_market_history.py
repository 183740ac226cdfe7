"""
What has the market been through?
=================================

The 10-year rate and the volatilities of three caps over time. In the built-in market, which is
synthetic, the policy rate and the dots are facts, and all else is invented. Draw your own market
with it before calibrating: spikes and plateaus here come back as influential quotes and stale
days.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/market_history.png"

import calibscope as cs
from calibscope.report.figures.market_history import market_history

market_history(cs.demo_market())
