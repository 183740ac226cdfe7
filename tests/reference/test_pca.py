"""Principal components against NumPy's decompositions of the standardised parameters."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from calibscope.models.g2.parameters import PARAMETERS, SPECS
from calibscope.study.statistics import parameter_pca

COMPONENTS = ["PC1", "PC2", "PC3", "PC4", "PC5"]


def history(values):
    """A study of these parameters, one row a day."""
    dates = pd.date_range("2020-01-01", periods=len(values), name="date")
    return SimpleNamespace(estimates=pd.DataFrame(values, dates, list(PARAMETERS)), specs=SPECS)


def matrix(frame):
    return frame[COMPONENTS].to_numpy()


@pytest.fixture
def values():
    rng = np.random.default_rng(8)
    mixing = rng.standard_normal((5, 5)) * [1, 0.6, 0.3, 0.2, 0.1]
    steps = rng.standard_normal((300, 5)) @ mixing.T
    return np.column_stack((np.exp(steps[:, :4] - 3), np.tanh(steps[:, 4])))


@pytest.mark.parametrize("coordinates", ["natural", "scaled"])
def test_against_the_svd_of_the_standardised_matrix(values, coordinates):
    pca = parameter_pca(history(values), coordinates)
    X = values.copy()
    if coordinates == "scaled":
        X[:, :4] = np.log(X[:, :4])
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    _, sizes, rows = np.linalg.svd(Z, full_matrices=False)
    V = rows.T * np.where(rows[range(5), np.abs(rows).argmax(axis=1)] > 0, 1, -1)
    assert matrix(pca.loadings) == pytest.approx(V, abs=1e-10)
    assert matrix(pca.scores) == pytest.approx(Z @ V, abs=1e-10)
    assert pca.explained["variance"].to_numpy() == pytest.approx(sizes**2 / 299, abs=1e-10)
    assert pca.explained["share"].to_numpy() == pytest.approx(sizes**2 / (5 * 299), abs=1e-10)
    assert pca.explained["cumulative"].iloc[-1] == pytest.approx(1, abs=1e-10)


def test_variances_are_the_eigenvalues_of_the_correlation_matrix(values):
    variances = parameter_pca(history(values)).explained["variance"].to_numpy()
    expected = np.linalg.eigvalsh(np.corrcoef(values.T))[::-1]
    assert variances == pytest.approx(expected, abs=1e-10)
    assert (np.diff(variances) < 0).all()


@pytest.mark.parametrize("coordinates", ["natural", "scaled"])
def test_order_and_sign_are_fixed(values, coordinates):
    pca = parameter_pca(history(values), coordinates)
    mirrored = parameter_pca(history(values[::-1]), coordinates)
    V = matrix(pca.loadings)
    assert (V[np.abs(V).argmax(axis=0), range(5)] > 0).all()
    assert matrix(mirrored.loadings) == pytest.approx(V, abs=1e-10)


@pytest.mark.parametrize("seed", range(20))  # rounding makes now the one, now the other larger
def test_of_loadings_as_large_the_first_is_positive(seed):
    moves = np.random.default_rng(seed).standard_normal(50)
    values = np.column_stack((0.5 + moves / 10, 0.2 - moves / 50, *np.full((3, 50), 0.1)))
    pca = parameter_pca(history(values))
    first = matrix(pca.loadings)[:, 0]
    assert first == pytest.approx([np.sqrt(0.5), -np.sqrt(0.5), 0, 0, 0], abs=1e-10)
    assert pca.explained["variance"].to_numpy() == pytest.approx([2, 0, 0, 0, 0], abs=1e-10)


def test_a_constant_parameter_has_no_loading(values):
    values[:, 4] = -1.0  # the correlation at its bound, on every day
    pca = parameter_pca(history(values))
    four = np.linalg.eigvalsh(np.corrcoef(values[:, :4].T))[::-1]
    assert pca.explained["variance"].to_numpy() == pytest.approx([*four, 0], abs=1e-10)
    assert matrix(pca.loadings)[4, :4] == pytest.approx(np.zeros(4), abs=1e-10)
    assert np.isnan(matrix(pca.loadings)[:, 4]).all()
    assert (pca.scores["PC5"] == 0).all()


def test_fewer_days_than_parameters(values):
    pca = parameter_pca(history(values[:3]))
    variances = pca.explained["variance"].to_numpy()
    assert variances[:2].sum() == pytest.approx(5, abs=1e-10)
    assert (variances[2:] == 0).all()  # three points span a plane
    assert np.isnan(matrix(pca.loadings)).any(axis=0).tolist() == [False, False, True, True, True]


def test_the_correlation_keeps_its_scale_at_the_bound(values):
    values[::2, 4] = -1.0
    pca = parameter_pca(history(values), "scaled")
    assert np.isfinite(matrix(pca.scores)).all()
    with pytest.raises(ValueError, match="give 'natural' or 'scaled'"):
        parameter_pca(history(values), "arctanh")
