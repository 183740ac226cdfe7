"""Every day of the built-in market is calibrated to an optimum, bounds included."""

import numpy as np
import pytest

import calibscope as cs


@pytest.fixture(scope="module")
def fits():
    return cs.calibrate_many(cs.demo_market())


def test_no_free_direction_is_left(fits):
    offsets = np.array([fit.relative_offset for fit in fits])
    assert len(offsets) == 2157
    assert offsets.max() < 1e-6


def test_multipliers_push_outwards(fits):
    active = 0
    for fit in fits:
        residuals, A = fit.problem.tangent(fit.parameters.values)
        # Where volatilities of 100 % nearly cancel, the gradient is known to 1e-10 of this.
        rounding = np.linalg.norm(A, axis=0) * np.linalg.norm(residuals)
        assert (fit.multipliers >= -1e-9 * rounding).all(), fit
        active += np.count_nonzero(fit.multipliers > 1e-9 * rounding)
    assert active > 2000  # the test would show nothing without active bounds


def test_no_day_is_left_unconverged(fits):
    assert all(fit.is_converged for fit in fits)
