"""Profile intervals against MINOS (iminuit), which walks the same objective in its own way."""

import numpy as np
import pytest
from iminuit import Minuit
from scipy.stats import f

import calibscope as cs
from calibscope.diagnosis.refit.profile import profiles

DAYS = ("2020-06-04", "2020-08-05", "2020-11-30", "2021-03-26")  # nothing at a bound
LEVEL = 0.5  # at higher ones the correlation meets its bound, where MINOS gives up
TRUTH = cs.G2(a_x=0.6, a_y=0.05, sigma_x=0.012, sigma_y=0.009, rho_xy=-0.6)


def ends_by_minos(dx, level):
    """Low and high end of each parameter; not a number where MINOS did not converge."""
    problem, nu = dx.refit.problem, int(dx.scales.degrees_of_freedom)
    values = dx.problem.values
    room = problem.objective(values) * f.ppf(level, 1, nu) / nu

    def cost(q):
        return problem.objective(np.append(np.exp(q[:4]), q[4])) / room

    minuit = Minuit(cost, np.append(np.log(values[:4]), values[4]))
    minuit.errordef, minuit.strategy, minuit.tol = 1.0, 2, 1e-4
    minuit.limits = [
        *zip(np.log(problem.lower[:4]), np.log(problem.upper[:4]), strict=True),
        (-1, 1),
    ]
    minuit.migrad()
    minuit.minos()
    ends = np.full((5, 2), np.nan)
    for p, error in enumerate(minuit.merrors.values()):
        at_limit = error.at_lower_limit, error.at_upper_limit
        for side, (shift, is_valid) in enumerate(
            ((error.lower, error.lower_valid), (error.upper, error.upper_valid))
        ):
            if is_valid and not at_limit[side]:
                end = minuit.values[p] + shift
                ends[p, side] = np.exp(end) if p < 4 else end
                # Depending on the last digits of its start, MINOS can stop short of the limit: a
                # fit with the parameter held there that is well below it proves that.
                fixed = {dx.problem.specs.names[p]: float(ends[p, side])}
                rise = cs.calibrate(problem.day, fixed=fixed).objective - problem.objective(values)
                if rise < 0.9 * room:
                    ends[p, side] = np.nan
    return ends


@pytest.mark.parametrize("case", [*DAYS, "simulated"])
def test_the_same_ends_as_minos(case):
    if case == "simulated":
        day = cs.simulate_market(TRUTH, days=1, noise=0.001, seed=5).days[0]
    else:
        day = cs.demo_market().day(case)
    dx = cs.diagnose(cs.calibrate(day))
    assert not dx.flags.has_parameters_at_bound
    found = profiles(dx, (LEVEL,))
    ours = np.array([(curve.low[0], curve.high[0]) for curve in found.curves])
    theirs = ends_by_minos(dx, LEVEL)
    known = np.isfinite(theirs)
    assert known.sum() >= 8
    np.testing.assert_allclose(ours[known], theirs[known], rtol=1e-3)
