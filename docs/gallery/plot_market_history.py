"""
What has the market been through?
=================================

The 10-year rate and the volatilities of three caps over time, in the built-in market, which is
synthetic: the policy rate and the dots are facts, everything else is invented. Draw your own market
like this before calibrating: spikes and plateaus here come back as influential quotes and stale
days.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/market_history.png"

from figures.market_history import market_history

import calibscope as cs

market_history(cs.demo_market())
