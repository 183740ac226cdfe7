"""How often intervals hold the truth, in the linear case: simulated, not assumed.

Noise on the linearised problem of a demo day (13 quotes, 5 parameters), 20,000 times in one stack.
A coverage of 95 % is then known to 0.15 percentage points (one standard deviation).
"""

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.parameters import ParameterSpec, Specs
from calibscope.diagnosis.batch import Batch
from calibscope.diagnosis.examine import examine
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.settings import DiagnosisSettings

COUNT = 20_000


@pytest.fixture(scope="module")
def stack():
    fit = cs.calibrate(cs.demo_market().day("2020-03-18"))
    A = cs.diagnose(fit).problem.design
    A = A / np.linalg.norm(A, axis=0)
    m, p = A.shape
    noise = np.random.default_rng(20200318).normal(size=(COUNT, m))
    estimates = noise @ np.linalg.pinv(A).T  # the truth is zero
    infinite = np.full((COUNT, p), np.inf)
    problem = LeastSquares(
        noise - estimates @ A.T, np.broadcast_to(A, (COUNT, m, p)), np.ones((COUNT, m)), None, None,
        estimates, -infinite, infinite, np.full((COUNT, m), "quote"),
        Specs(tuple(map(ParameterSpec, "abcde"))),
    )  # fmt: skip
    return Batch(**examine(problem, "full", DiagnosisSettings(), "unit_columns"))


def coverage(stack, scale, level=0.95):
    intervals = stack.intervals(level, scale)
    return np.mean((intervals.low <= 0) & (intervals.high >= 0))


def test_the_classical_interval_is_exact(stack):
    assert coverage(stack, "mse") == pytest.approx(0.95, abs=0.005)
    assert coverage(stack, "mse", 0.5) == pytest.approx(0.5, abs=0.01)


def test_adjusting_for_leverage_repairs_the_robust_interval(stack):
    """The paper's scale, with the normal quantile, covers about 79 % instead of 95 %."""
    assert 0.75 < coverage(stack, "mad") < 0.83
    assert 0.91 < coverage(stack, "mad_adjusted") < 0.95


def test_leverage_shrinks_the_plain_mad(stack):
    """True noise 1: the plain MAD is biased, the adjusted one nearly not."""
    assert np.mean(stack.scale_mad) == pytest.approx(0.72, abs=0.01)
    assert np.mean(stack.scale_mad_adjusted) == pytest.approx(1.0, abs=0.02)
