"""
Why do the shortest and longest maturities decide the fit?
==========================================================

Leverage of idealised caps, without noise and without a market, beside that of polynomials of
degree four in a power of maturity. They agree: any five smooth functions give the shortest and
longest maturities most leverage. More quotes near an end help; leaving one out does not.
"""

# sphinx_gallery_thumbnail_path = "gallery/thumbnails/leverage_theory.png"

from figures.leverage_theory import leverage_theory
from idealised_leverage import idealised_leverage

import calibscope as cs

caps = [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30]
slow = cs.G2(a_x=0.1, a_y=0.02, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
usual = cs.G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
fast = cs.G2(a_x=3.0, a_y=0.05, sigma_x=0.02, sigma_y=0.01, rho_xy=-0.7)
leverage_theory(
    {
        "slow factor (a<sub>x</sub> = 0.1)": idealised_leverage(slow, caps),
        "usual (a<sub>x</sub> = 0.5)": idealised_leverage(usual, caps),
        "fast factor (a<sub>x</sub> = 3)": idealised_leverage(fast, caps),
        "usual, every year from 1Y": idealised_leverage(usual, range(1, 31)),
    },
    note="Idealised market: flat curve at 2 %, prices of the model, relative errors. Dotted: mean.",
)
