"""Intervals by three methods: the rule of disagreement, its words, and marks that travel along."""

from dataclasses import replace

import numpy as np
import pytest
from linear_problem import linear

import calibscope as cs
from calibscope.base.transforms import IDENTITY, Coordinates, Scale
from calibscope.diagnosis.refit.comparison import (
    PROFILE,
    _disagreement,
    compare_intervals,
    contradicted,
)
from calibscope.diagnosis.refit.known_profiles import known_ends

LOG, ANGLE = Scale("log"), Scale("arcsin")
NONE = (np.nan, np.nan)


def judged(delta, profile, code):
    low, high = np.array([delta, profile], dtype=float).T[:, :, None]
    disagrees, words = _disagreement(low, high, Coordinates((code,)))
    return words[0, 0], words[PROFILE, 0], disagrees[:, 0].tolist()


@pytest.mark.parametrize(
    ("delta", "profile", "code", "word"),
    [
        # A quarter of the length is the limit, in each coordinate.
        ((0.24, 1.0), (0.0, 1.0), IDENTITY, ""),
        ((0.26, 1.0), (0.0, 1.0), IDENTITY, "shorter"),
        ((0.0, 1.26), (0.0, 1.0), IDENTITY, "longer"),
        ((0.3, 1.3), (0.0, 1.0), IDENTITY, "elsewhere"),
        ((1.0, 10**2.4), (1.0, 100.0), LOG, ""),
        ((1.0, 10**2.6), (1.0, 100.0), LOG, "longer"),
        ((-1.0, np.sin(0.7 * np.pi / 2)), (-1.0, 1.0), ANGLE, ""),
        ((-1.0, 0.0), (-1.0, 1.0), ANGLE, "shorter"),
        # No noise: both are points, and rounding is no disagreement.
        ((2.0 + 1e-12, 2.0 + 1e-12), (2.0, 2.0), LOG, ""),
        ((1.9, 1.9), (2.0, 2.0), LOG, "elsewhere"),
        (NONE, (1.0, 2.0), LOG, "none"),
        (NONE, NONE, LOG, ""),
    ],
)
def test_the_rule(delta, profile, code, word):
    found, of_profile, disagrees = judged(delta, profile, code)
    assert (found, of_profile) == (word, "")
    assert disagrees == [word != "", False]


def test_a_profile_may_be_the_one_that_is_missing():
    assert judged((1.0, 2.0), NONE, LOG) == ("", "none", [False, True])


@pytest.fixture(scope="module")
def doubtful():
    """rho_xy is at its bound, a_x has collapsed, sigma_x is not identified."""
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2024-06-06")))
    bootstrap = dx.refits.bootstrap(size=100)
    return dx, bootstrap, compare_intervals(dx, 0.9, bootstrap)


def test_ends_are_those_of_the_methods(doubtful):
    dx, bootstrap, found = doubtful
    assert (found.level, found.methods) == (0.9, ("delta", "profile", "bootstrap"))
    for k, own in enumerate((dx.intervals(0.9, method="delta"), dx.intervals(0.9),
                             bootstrap.intervals(0.9))):  # fmt: skip
        np.testing.assert_allclose(found.low[k], own.low)
        np.testing.assert_allclose(found.high[k], own.high)


def test_marks_of_the_fit_stand_beside_the_disagreement(doubtful):
    _, _, found = doubtful
    marks = dict(zip(found.names, found.marks, strict=True))
    assert marks["a_x"].startswith("delta: shorter, collapsed (rank lost)")
    assert "not identified" in marks["sigma_x"]
    assert marks["rho_xy"].startswith("delta: none, at the lower bound, no delta interval")
    assert found.has_disagreement[4]
    frame = found.frame()
    assert frame.loc["rho_xy", "disagrees"]
    assert np.isnan(frame.loc["rho_xy", "delta_low"])
    assert frame.loc["rho_xy", "profile_low"] == -1


def test_known_profiles_are_taken_and_a_bootstrap_is_no_must(doubtful):
    dx, _, found = doubtful
    again = compare_intervals(dx, 0.9, profiles=dx.refits.profiles((0.5, 0.9)))
    assert again.methods == ("delta", "profile")
    # The crossings are found to a tolerance, from other points of the walk.
    np.testing.assert_allclose(again.low[1], found.low[1], rtol=1e-3)


def test_levels_are_checked(doubtful):
    dx, _, _ = doubtful
    with pytest.raises(ValueError, match="give one number"):
        compare_intervals(dx, (0.5, 0.9))
    with pytest.raises(ValueError, match=r"no level 0\.8"):
        compare_intervals(dx, 0.8, profiles=dx.refits.profiles((0.5,), names=["rho_xy"]))


@pytest.mark.parametrize("seed", range(6))
def test_in_a_linear_problem_nothing_disagrees_but_other_scales(seed):
    """Both intervals are Student's there, so an end differs by |ratio - 1| / 2 of the length."""
    dx = linear(seed=seed)
    assert not compare_intervals(dx).has_disagreement.any()
    ratio = dx.scale_mad_adjusted / dx.scale_mse
    robust = dx.intervals(0.95, "mad_adjusted", method="delta")
    profile = dx.intervals(0.95)
    np.testing.assert_allclose(
        robust.high - robust.low, ratio * (profile.high - profile.low), rtol=1e-3
    )
    ends = (robust.low, robust.high), (profile.low, profile.high)
    found = contradicted(*ends, dx.problem.specs.profile)
    assert found.tolist() == 3 * [abs(ratio - 1) > 0.5]
    assert not robust.is_contradicted.any()  # its own profile is known, off the same curve


def test_delta_intervals_are_marked_where_a_profile_is_known_and_has_other_ends():
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2020-03-18")))
    assert not dx.intervals(0.95, method="delta").is_contradicted.any()  # nothing is known yet
    profile = dx.intervals((0.5, 0.95))
    quick = dx.intervals(0.95, method="delta")
    # sigma_x reaches 0.999 by its profile, and 0.064 by the delta method; a_y hardly differs.
    assert quick.is_contradicted[2]
    assert "contradicted by the profile" in quick.marks[2]
    assert not quick.is_contradicted[1]
    known = profile.at(0.95)
    ends = (quick.low, quick.high), (known.low, known.high)
    assert (quick.is_contradicted == contradicted(*ends, dx.problem.specs.profile)).all()


@pytest.mark.parametrize(
    ("date", "level", "scale"),
    [("2020-03-18", 0.9, "mse"), ("2020-03-18", 0.9, "mad"), ("2024-06-06", 0.6, 0.003)],
)
def test_a_walk_is_known_at_every_lower_level_and_scale(date, level, scale):
    """Read off the curve, an end is within a tenth of the length of the one walked to."""
    fit = cs.calibrate(cs.demo_market().day(date))
    dx = cs.diagnose(fit)
    dx.intervals((0.5, 0.75, 0.95))
    axis = dx.problem.specs.profile
    read = known_ends(dx, np.array(level), scale)
    walked = cs.diagnose(fit).intervals(level, scale)
    length = axis.of(walked.high) - axis.of(walked.low)
    for mine, own in zip(read, (walked.low, walked.high), strict=True):
        assert (np.abs(axis.of(mine) - axis.of(own)) <= 0.1 * length).all()
    quick = dx.intervals(level, scale, method="delta")
    ends = (quick.low, quick.high), (walked.low, walked.high)
    assert (quick.is_contradicted == contradicted(*ends, axis)).all()
    assert quick.is_contradicted.any()


def test_above_the_limit_of_a_walk_nothing_is_known():
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2020-03-18")))
    dx.intervals(0.5)
    assert np.isnan(known_ends(dx, np.array(0.95), "mse")).all()
    assert not dx.intervals(0.95, method="delta").is_contradicted.any()
    assert np.isnan(known_ends(dx, np.array([0.4, 0.95]), "bid_ask")).all()  # of other curves
    dx.intervals(0.9)  # keeps the level that was known
    assert dx.known_profiles["mse"].levels == (0.5, 0.9)


def test_profiles_of_spreads_are_known_at_lower_levels():
    day = cs.demo_market().day("2020-03-18")
    half = 0.002 * day.prices * np.linspace(1.0, 2.0, len(day.prices))
    spread = replace(day, bid_ask=np.column_stack((day.prices - half, day.prices + half)))
    fit = cs.calibrate(spread)
    dx = cs.diagnose(fit)
    dx.intervals(0.95, "bid_ask")
    read = known_ends(dx, np.array(0.8), "bid_ask")
    walked, axis = cs.diagnose(fit).intervals(0.8, "bid_ask"), dx.problem.specs.profile
    length = axis.of(walked.high) - axis.of(walked.low)
    assert (np.abs(axis.of(read[0]) - axis.of(walked.low)) <= 0.1 * length).all()
