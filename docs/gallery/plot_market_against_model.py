"""
Does the model meet the market?
===============================

Normal volatilities of market and model, and the errors in price and in basis points of volatility.
Errors that alternate in sign are noise; a wave over neighbouring maturities is a shape that the
model cannot follow. The largest error need not belong to the wrong quote: the fit may have
followed that one.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/market_against_model.png"

import calibscope as cs
from calibscope.report.figures.market_against_model import market_against_model

day = cs.demo_market().day("2020-03-18")
market_against_model(cs.calibrate(day), "SYNTHETIC market, 2020-03-18")
