"""The elementary functions of the kernels against mpmath, and their coefficients re-derived."""

import derive_coefficients
import numpy as np
import oracle
import pytest
from mpmath import mp, mpf

from calibscope.models import elementary

# A few units in the last place (2.2e-16 each); DESIGN section 4 asks for 1e-14.
RELATIVE = 2e-15


def relative_error(value: float, exact: mpf) -> float:
    return abs(float(mpf(value) / exact - 1))


def test_the_coefficients_are_the_derived_ones():
    numerator, denominator = derive_coefficients.mills_coefficients()
    assert pytest.approx(numerator, rel=0, abs=0) == elementary.NUMERATOR
    assert pytest.approx(denominator, rel=0, abs=0) == elementary.DENOMINATOR
    second = derive_coefficients.second_moment_coefficients()
    assert pytest.approx(second, rel=0, abs=0) == elementary.SECOND_MOMENT


def test_exponential():
    with mp.workdps(40):
        for z in -np.concatenate((np.linspace(0, 708, 2000), np.geomspace(1e-300, 1, 300))):
            assert relative_error(elementary.exponential(z), mp.exp(mpf(z))) < 3e-16
    assert elementary.exponential(0.0) == 1
    assert elementary.exponential(-709.0) == 0
    assert elementary.exponential(-np.inf) == 0


def test_mills_ratio():
    with mp.workdps(40):
        for x in np.concatenate(([0.0], np.linspace(0, 40, 1000), np.geomspace(1e-10, 1e20, 300))):
            assert relative_error(elementary.mills_ratio(x), oracle.mills_ratio(x)) < RELATIVE


def test_decay_moments_for_every_argument():
    """The printed C'' has no digit left at x = 5e-6; ours keeps them all, on both sides of 1."""
    switch = np.array([np.nextafter(1, 0), 1.0, np.nextafter(1, 2)])
    arguments = np.concatenate(
        (
            [0.0, 5e-324],
            np.geomspace(1e-300, 1e5, 1500),
            np.linspace(0.5, 3, 500),
            switch,
        )
    )
    with mp.workdps(40):
        for x in arguments:
            zeroth, first, second = elementary.decay_moments(x)
            f, df, d2f = oracle.decay(x)
            assert relative_error(zeroth, f) < RELATIVE
            assert relative_error(first, -df) < RELATIVE
            assert relative_error(second, d2f) < RELATIVE
