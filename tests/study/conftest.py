"""A short study that several tests look at."""

import pytest

import calibscope as cs


@pytest.fixture(scope="package")
def market():
    """Eleven weeks of the synthetic market; five days were dropped."""
    return cs.demo_market().between("2017-09-15", "2017-11-30")


@pytest.fixture(scope="package")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("study") / "study.db")
