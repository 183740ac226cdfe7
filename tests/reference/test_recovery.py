"""Noise-free markets give their truth back, or say that quotes cannot tell it.

``python benchmarks/recovery.py`` does the same with a thousand truths.
"""

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.solution import canonical

LOWEST, HIGHEST = np.log([1e-3, 1e-3, 1e-3, 1e-3]), np.log([5.0, 1.0, 0.05, 0.05])


@pytest.fixture(scope="module")
def truths():
    rng = np.random.default_rng(20161)
    values = np.exp(rng.uniform(LOWEST, HIGHEST, (60, 4)))
    rho = np.where(rng.uniform(size=60) < 0.2, -1.0, rng.uniform(-1.0, 0.9, 60))
    return [canonical(cs.G2(*four, one)) for four, one in zip(values, rho, strict=True)]


@pytest.fixture(scope="module")
def fits(truths):
    return cs.calibrate_many(cs.simulate_market(truths, noise=0.0))


def test_exact_quotes_are_met(fits):
    assert fits.rmsre.max() < 1e-9


def test_identified_parameters_are_found_again(truths, fits):
    identified = [fit.is_identified for fit in fits]
    assert 20 < sum(identified) < 60  # both kinds occur, or this shows nothing
    for truth, fit in zip(truths, fits, strict=True):
        if fit.is_identified:
            assert fit.parameters.values == pytest.approx(truth.values, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("place", [0, 1])
def test_shallow_optima_of_a_valley_are_passed(place):
    # Two truths whose valley has another optimum, with relative errors of 1e-5 and 1e-6.
    truth = (
        cs.G2(0.68936782, 0.00179141, 0.0036488, 0.00166644, 0.84094987),
        cs.G2(1.2656222, 0.00581888, 0.00153197, 0.00128855, -0.12572944),
    )[place]
    day = cs.simulate_market(truth, days=1, noise=0.0).days[0]
    fit = cs.calibrate(day)
    assert fit.rmsre < 1e-9
    assert fit.parameters.values == pytest.approx(truth.values, rel=1e-5)
