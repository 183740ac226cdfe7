"""Certified standard errors of NIST's nonlinear regression problems (`nist.toml`).

The Jacobian at the certified parameters comes from complex steps, which are exact to rounding for
these analytic models.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs

PROBLEMS = tomllib.loads(Path(__file__).with_name("nist.toml").read_text(encoding="utf-8"))
MODELS = {
    "Misra1a": lambda b, x: b[0] * (1 - np.exp(-b[1] * x)),
    "Lanczos3": lambda b, x: (
        b[0] * np.exp(-b[1] * x) + b[2] * np.exp(-b[3] * x) + b[4] * np.exp(-b[5] * x)
    ),
    "MGH09": lambda b, x: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]),
    "Thurber": lambda b, x: (
        (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3) / (1 + b[4] * x + b[5] * x**2 + b[6] * x**3)
    ),
    "Hahn1": lambda b, x: (
        (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3) / (1 + b[4] * x + b[5] * x**2 + b[6] * x**3)
    ),
    "Eckerle4": lambda b, x: b[0] / b[1] * np.exp(-0.5 * ((x - b[2]) / b[1]) ** 2),
}
# Certified digits that are left at parameters rounded to 11 digits: Thurber, with 5e-10, has the
# fewest.
DIGITS = 9


def diagnosis(name, **wishes):
    model = MODELS[name]
    parameters, y, x = (np.array(PROBLEMS[name][key]) for key in ("parameters", "y", "x"))
    steps = parameters + 1e-30j * np.eye(len(parameters)) * np.abs(parameters)
    columns = [model(b, x).imag / (1e-30 * abs(p)) for b, p in zip(steps, parameters, strict=True)]
    return cs.diagnose_least_squares(
        y - model(parameters, x), np.column_stack(columns), values=parameters, observed=y, **wishes
    )


@pytest.mark.parametrize("name", MODELS)
def test_certified_standard_errors(name):
    errors, deviation = PROBLEMS[name]["standard_errors"], PROBLEMS[name]["residual_deviation"]
    dx = diagnosis(name)
    assert dx.edof == len(errors)  # also for Hahn1, whose smallest singular value is 6.5e-10
    assert dx.scale_mse == pytest.approx(deviation, rel=10.0**-DIGITS)
    assert dx.standard_errors("mse") == pytest.approx(errors, rel=10.0**-DIGITS)


def test_hahn1_loses_a_rank_in_its_own_units_and_the_flag_says_so():
    dx = diagnosis("Hahn1")
    A = dx.problem.design
    own = np.linalg.svd(A, compute_uv=False)
    assert own[-1] / own[0] < 1e-8
    assert dx.effective_degrees.scaled == 6
    assert dx.flags.edof_depends_on_units


def test_intervals_of_a_published_problem():
    """Misra1a with 12 degrees of freedom: b1 +- t(0.975, 12) = 2.17881 standard errors."""
    dx = diagnosis("Misra1a")
    low, high = dx.intervals(scale="mse").of("b1")
    assert (high - low) / 2 == pytest.approx(2.178812829663 * 2.7070075241, rel=1e-9)
    assert (low + high) / 2 == pytest.approx(238.94212918, rel=1e-12)
