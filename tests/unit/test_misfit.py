"""Systematic misfit: known biases and correlations are found again."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from calibscope.study.statistics.misfit import (
    FEWEST_DAYS,
    _left_by_the_fit,
    misfit,
    misfit_sentence,
    noise_sentence,
    residual_correlations,
)

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
    specs = SimpleNamespace(names=("level",))
    return SimpleNamespace(quotes=pd.DataFrame(quotes), labels=labels, specs=specs)


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
    assert "largest between" in noisy
    assert noise_sentence(history(500, rho=0.0, common=0.0, bias=(0, 0, 0))) == ""
    misfitting = misfit_sentence(history(500, rho=0.87, common=0.0))
    assert " % at 10Y to +" in misfitting
    assert "That is misfit, not independent noise" in misfitting
    assert "500 days are worth some" in misfitting
    assert "cover about 76 to 86 %" in misfitting


@pytest.mark.parametrize(
    "kind", [{"rho": 0.8}, {"common": 0.95}, {"bias": (0.0, 0.0, 0.02)}], ids=str
)
def test_bias_autocorrelation_or_correlation_alone_is_misfit(kind):
    odd = history(500, **{"rho": 0.0, "common": 0.0, "bias": (0, 0, 0), **kind})
    assert "That is misfit, not independent noise" in misfit_sentence(odd)
    assert noise_sentence(odd).startswith("The history shows misfit, not independent noise (")
    assert noise_sentence(odd).endswith("then cover about 76 to 86 %.")


def test_the_matrix_is_that_of_pandas():
    some = history(300, rho=0.3, common=0.6)
    found = residual_correlations(some)
    wide = some.quotes.pivot(index="date", columns="label", values="residual")
    assert found[["label", "other"]].to_numpy().tolist() == [
        ["3Y", "5Y"], ["3Y", "10Y"], ["5Y", "10Y"],
    ]  # fmt: skip
    for row in found.itertuples():
        expected = np.corrcoef(wide[row.label], wide[row.other])[0, 1]
        assert row.correlation == pytest.approx(expected, rel=1e-12)
        assert row.days == 300
    assert f"({found['correlation'].max():+.2f})" in misfit_sentence(some)


def test_what_a_fit_leaves_of_independent_noise():
    """The hat matrix of a random fit with equal leverages has these correlations."""
    m, p = 12, 4
    design = np.kron(np.eye(p), np.ones((m // p, 1)))  # each parameter has m/p quotes
    rest = np.eye(m) - design @ np.linalg.pinv(design)
    sizes = rest / np.sqrt(np.outer(np.diag(rest), np.diag(rest)))
    pairs = sizes[np.tril_indices(m, -1)]
    kept = SimpleNamespace(
        quotes=pd.DataFrame({"date": [1] * m}), specs=SimpleNamespace(names=("p",) * p)
    )
    assert _left_by_the_fit(kept) == pytest.approx(np.sqrt((pairs**2).mean()), rel=1e-12)


def test_few_days_tell_no_correlation():
    few = history(FEWEST_DAYS, rho=0.5, common=0.0)
    assert misfit(few)["autocorrelation"].isna().all()
    assert misfit_sentence(few) == ""
    gaps = history(200, rho=0.8, common=0.0)
    gaps.quotes = gaps.quotes.drop(gaps.quotes.index[gaps.quotes["label"] == "5Y"][::2])
    table = misfit(gaps)
    assert table["days"].tolist() == [200, 100, 200]
    assert np.isnan(table["autocorrelation"].iloc[1])  # no two days in a row
