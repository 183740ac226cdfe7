"""Bootstrapped curves are remembered, and nothing is believed that was computed otherwise."""

import datetime

import numpy as np
import pytest

from calibscope.market import curve_memory, ois
from calibscope.market.curve_memory import remembered
from calibscope.market.errors import MarketDataError

MATURITIES = np.array([1 / 12, 1.0, 2.0, 10.0])
RATES = np.array([0.031, 0.03, 0.028, 0.026])
DATE = datetime.date(2024, 6, 3)


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """How often QuantLib was asked, with an empty memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked, genuine = [], ois.bootstrapped

    def counted(*arguments):
        asked.append(arguments)
        return genuine(*arguments)

    monkeypatch.setattr(ois, "bootstrapped", counted)
    return asked


def bootstrap(rates=RATES, date=DATE, index="ESTR"):
    with remembered() as bootstrapped:
        return bootstrapped(MATURITIES, rates, date, index)


def test_the_second_time_nothing_is_computed(calls):
    first, second = bootstrap(), bootstrap()
    assert len(calls) == 1
    assert first.tolist() == second.tolist() == ois.bootstrapped(MATURITIES, RATES, DATE).tolist()


def test_any_other_input_is_another_curve(calls):
    bootstrap()
    for changes in (
        {"rates": RATES + 1e-12},
        {"date": datetime.date(2024, 6, 4)},
        {"index": "EONIA"},
    ):
        before = len(calls)
        bootstrap(**changes)
        assert len(calls) == before + 1


def test_another_method_is_not_believed(calls, monkeypatch):
    bootstrap()
    monkeypatch.setattr(curve_memory, "_method", lambda: b"another QuantLib")
    bootstrap()
    assert len(calls) == 2


def test_errors_are_not_remembered(calls):
    for _ in range(2):
        with pytest.raises(MarketDataError, match="not a TARGET business day"):
            bootstrap(date=datetime.date(2024, 6, 2))
    assert len(calls) == 2


@pytest.mark.parametrize("content", [b"no database " * 100, None])
def test_without_a_memory_curves_are_bootstrapped(calls, tmp_path, content):
    if content is None:
        (tmp_path / "calibscope").write_text("a file where the folder should be")
    else:
        (tmp_path / "calibscope").mkdir()
        (tmp_path / "calibscope" / "curves.db").write_bytes(content)
    assert bootstrap().tolist() == bootstrap().tolist()
    assert len(calls) == 2
