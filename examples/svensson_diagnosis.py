"""Which OIS quotes decide the Svensson curve? The diagnosis of another least-squares fit.

The zero rates of a day of the built-in market are fitted by a Svensson curve (`calibscope.market`).
Nothing in the diagnosis knows about curves: it takes residuals, derivatives, names and bounds.

    .venv/bin/python examples/svensson_diagnosis.py
"""

import numpy as np
from rich.console import Console

import calibscope as cs
from calibscope.base.numbers import Unit
from calibscope.market.maturity import label
from calibscope.market.svensson import PARAMETERS, level_and_hump, svensson_zero_rates
from calibscope.market.svensson_fit import fit_svensson
from calibscope.market.svensson_search import TAU_BOUNDS
from calibscope.report.render.terminal import shown
from calibscope.report.sections.diagnosis import interval_table, quote_table, spectrum_lines

BASIS_POINTS = Unit("bp")
TIMES = np.array([1 / 12, 0.25, 0.5, 1, 2, 3, 4, 5, 7, 10, 12, 15, 20, 25, 30, 40, 50])


def derivatives(parameters, times):
    """Jacobian (m, 6) and Hessian (m, 6, 6) of the zero rates.

    With x = t/tau, F = (1 - e^-x)/x and H = F - e^-x: dF/dtau = H/tau, dH/dtau = (H - x e^-x)/tau,
    d2F/dtau2 = -x e^-x/tau^2 and d2H/dtau2 = x (1 - x) e^-x/tau^2.
    """
    _, b1, b2, b3, *taus = parameters
    J, hessian = np.zeros((len(times), 6)), np.zeros((len(times), 6, 6))
    (F1, H1), (_, H2) = (level_and_hump(times / tau) for tau in taus)
    x1, x2 = (times / tau for tau in taus)
    q1, q2 = x1 * np.exp(-x1), x2 * np.exp(-x2)
    J[:, 0], J[:, 1], J[:, 2], J[:, 3] = 1.0, F1, H1, H2
    J[:, 4] = (b1 * H1 + b2 * (H1 - q1)) / taus[0]
    J[:, 5] = b3 * (H2 - q2) / taus[1]
    for p, q, values in (
        (1, 4, H1 / taus[0]),
        (2, 4, (H1 - q1) / taus[0]),
        (3, 5, (H2 - q2) / taus[1]),
        (4, 4, (b2 * (1 - x1) - b1) * q1 / taus[0] ** 2),
        (5, 5, b3 * (1 - x2) * q2 / taus[1] ** 2),
    ):
        hessian[:, p, q] = hessian[:, q, p] = values
    return J, hessian


def diagnosis(date):
    """The Svensson fit of a day, diagnosed in basis points."""
    rates = cs.demo_market().day(date).curve.zero_rate(TIMES)
    parameters = fit_svensson(TIMES, rates).parameters
    J, hessian = derivatives(parameters, TIMES)
    return cs.diagnose_least_squares(
        residuals=rates - svensson_zero_rates(parameters, TIMES),
        jacobian=J,
        hessian=hessian,
        weights=np.full(len(TIMES), 1e8),  # errors in basis points
        names=PARAMETERS,
        values=parameters,
        bounds={"tau_1": TAU_BOUNDS, "tau_2": TAU_BOUNDS},
        transforms=("identity",) * 4 + ("log",) * 2,
        observed=rates,
        labels=[label(t) for t in TIMES],
    )


def main():
    """Print what decides the curve of one day."""
    console = Console(width=80)
    date = "2022-07-21"
    dx = diagnosis(date)
    console.print(f"Svensson curve of the built-in (synthetic) market, {date}", style="bold")
    console.print(f"{dx.summary}\n")
    console.print(shown(quote_table(dx), interval_table(dx)))
    console.print()
    for line in spectrum_lines(dx, BASIS_POINTS):
        console.print(line, highlight=False)
    console.print(f"Flags: {', '.join(dx.flags.raised) or 'none'}", highlight=False)


if __name__ == "__main__":
    main()
