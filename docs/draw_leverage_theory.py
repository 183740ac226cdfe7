"""Draw docs/leverage_theory.png: leverage of idealised caps, and of polynomials."""

from pathlib import Path

import numpy as np
from render import render

from calibscope.models.g2.model import G2
from calibscope.report.figures.leverage_theory import leverage_theory
from calibscope.study.leverage_theory import idealised_leverage

PORTFOLIO = [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30]
SLOW, USUAL, FAST = (
    G2(a_x=0.1, a_y=0.02, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7),
    G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7),
    G2(a_x=3.0, a_y=0.05, sigma_x=0.02, sigma_y=0.01, rho_xy=-0.7),
)

if __name__ == "__main__":
    cases = {
        "slow factor (a<sub>x</sub> = 0.1)": idealised_leverage(SLOW, PORTFOLIO),
        "usual (a<sub>x</sub> = 0.5)": idealised_leverage(USUAL, PORTFOLIO),
        "fast factor (a<sub>x</sub> = 3)": idealised_leverage(FAST, PORTFOLIO),
        "usual, every year from 1Y": idealised_leverage(USUAL, np.arange(1, 31)),
    }
    note = (
        "Idealised market: flat curve at 2 %, prices of the model, relative errors. Dotted: mean."
    )
    picture = Path(__file__).parent / "leverage_theory.png"
    render(leverage_theory(cases, note=note), picture, 1000, 760)
