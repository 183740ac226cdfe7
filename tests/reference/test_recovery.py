"""Noise-free markets give their truth back, or say that quotes cannot tell it.

``python benchmarks/recovery.py`` does the same with a thousand truths.
"""

import numpy as np
import pytest

import calibscope as cs
from calibscope.models.g2.parameters import SPECS

LOWER, UPPER = SPECS.lower, SPECS.upper

COUNT = 60
# Lowest and highest speeds and volatilities, and how many truths at least the quotes identify.
BOXES = {
    "markets": ([1e-3, 1e-3, 1e-3, 1e-3], [5.0, 1.0, 0.05, 0.05], 21),
    "whole box": (LOWER[:4], UPPER[:4], 5),
}


@pytest.fixture(scope="module", params=BOXES)
def box(request):
    return BOXES[request.param]


@pytest.fixture(scope="module")
def truths(box):
    rng = np.random.default_rng(20161)
    values = np.exp(rng.uniform(np.log(box[0]), np.log(box[1]), (COUNT, 4)))
    rho = np.where(rng.uniform(size=COUNT) < 0.2, -1.0, rng.uniform(-1.0, 1.0, COUNT))
    swap = values[:, 0] < values[:, 1]  # the faster factor first
    values = np.where(swap[:, None], values[:, [1, 0, 3, 2]], values)
    return [cs.G2(*four, one) for four, one in zip(values, rho, strict=True)]


@pytest.fixture(scope="module")
def fits(truths):
    return cs.calibrate_many(cs.simulate_market(truths, noise=0.0))


def test_exact_quotes_are_met(fits):
    assert fits.rmsre.max() < 1e-9


def test_identified_parameters_are_found_again(box, truths, fits):
    identified = [fit.is_identified for fit in fits]
    assert box[2] <= sum(identified) < COUNT  # both kinds occur, or this shows nothing
    for truth, fit in zip(truths, fits, strict=True):
        if fit.is_identified:
            assert fit.parameters.values == pytest.approx(truth.values, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("place", [0, 1])
def test_shallow_optima_of_a_valley_are_passed(place):
    # Two truths whose near-optimal set has another optimum, with relative errors of 1e-5 and 1e-6.
    truth = (
        cs.G2(0.68936782, 0.00179141, 0.0036488, 0.00166644, 0.84094987),
        cs.G2(1.2656222, 0.00581888, 0.00153197, 0.00128855, -0.12572944),
    )[place]
    day = cs.simulate_market(truth, days=1, noise=0.0).days[0]
    fit = cs.calibrate(day)
    assert fit.rmsre < 1e-9
    assert fit.parameters.values == pytest.approx(truth.values, rel=1e-5)


@pytest.mark.parametrize(
    "truth",
    [
        # Beside a equal-speed degeneracy of equal speeds whose top is met to 1e-9, at other speeds.
        (4.53196780e-03, 1.57517863e-04, 3.64994204e-02, 3.25729354e-03, -0.925899726),
        # A weak slow factor: the faster speed is open by far less than a step of the grid.
        (2.68047577e-02, 1.28111776e-04, 4.81890540e-01, 1.21245470e-03, -0.317299097),
        (5.01670796e00, 2.19808285e-01, 2.66053691e-01, 1.16991883e-05, -0.169137557),
        # The linear models of rho = -1 and of rho = 1, at the same speeds, point at each other.
        (3.63268728e00, 1.57812674e-02, 4.04739437e-02, 3.39380632e-04, -1.0),
    ],
)
def test_corners_of_the_box_are_met(truth):
    day = cs.simulate_market(cs.G2(*truth), days=1, noise=0.0).days[0]
    assert cs.calibrate(day).rmsre < 1e-9
