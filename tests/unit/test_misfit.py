"""Systematic misfit: known biases and correlations are found again."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from calibscope.study.statistics.misfit import FEWEST_DAYS, misfit, misfit_sentence

LABELS = ["3Y", "5Y", "10Y"]


def history(days, rho, common, bias=(0.0, 0.01, -0.02), seed=3):
    """Residuals with a known bias, autocorrelation and correlation across quotes."""
    chance = np.random.default_rng(seed)
    noise = chance.standard_normal((days, 3)) * np.sqrt(1 - common)
    noise += np.sqrt(common) * chance.standard_normal((days, 1))
    moved = lfilter([np.sqrt(1 - rho**2)], [1, -rho], noise, axis=0)
    residuals = np.array(bias) + 0.01 * moved
    dates = np.repeat(pd.bdate_range("2020-01-01", periods=days), 3)
    quotes = {"date": dates, "label": LABELS * days, "residual": residuals.ravel()}
    labels = pd.DataFrame({"label": LABELS, "kind": "cap", "maturity": [3.0, 5.0, 10.0]})
    return SimpleNamespace(quotes=pd.DataFrame(quotes), labels=labels)


def test_known_numbers_are_found():
    table = misfit(history(20_000, rho=0.8, common=0.5)).set_index("label")
    np.testing.assert_allclose(table["bias"], [0.0, 0.01, -0.02], atol=1e-3)
    np.testing.assert_allclose(table["autocorrelation"], 0.8, atol=0.02)
    np.testing.assert_allclose(table["effective_days"], 20_000 / 9, rtol=0.1)
    np.testing.assert_allclose(table["with_next"].iloc[:2], 0.5, atol=0.05)
    assert np.isnan(table["with_next"].iloc[2])
    assert table.loc["10Y", "bias_share"] == pytest.approx(0.8, abs=0.02)


def test_the_sentence_says_what_it_is():
    noisy = misfit_sentence(history(500, rho=0.0, common=0.0, bias=(0, 0, 0)))
    assert noisy.endswith("compatible with independent noise.")
    misfitting = misfit_sentence(history(500, rho=0.87, common=0.0))
    assert " % at 10Y. " in misfitting
    assert "That is misfit, not independent noise" in misfitting
    assert "500 days are worth some" in misfitting


def test_few_days_tell_no_correlation():
    few = history(FEWEST_DAYS, rho=0.5, common=0.0)
    assert misfit(few)["autocorrelation"].isna().all()
    assert misfit_sentence(few) == ""
    gaps = history(200, rho=0.8, common=0.0)
    gaps.quotes = gaps.quotes.drop(gaps.quotes.index[gaps.quotes["label"] == "5Y"][::2])
    table = misfit(gaps)
    assert table["days"].tolist() == [200, 100, 200]
    assert np.isnan(table["autocorrelation"].iloc[1])  # no two days in a row
