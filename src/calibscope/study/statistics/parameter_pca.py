r"""Principal components of the parameter history (paper, biplot and figure on the regimes).

With :math:`z_{tp} = (\theta_{tp} - \bar\theta_p)/s_p` (standard deviation with n - 1) and the
singular value decomposition :math:`Z = U S V^T`, loadings are V, scores Z V, and the variances
:math:`S^2/(n - 1)` are the eigenvalues of the correlation matrix; their sum is the number of
parameters that move. Sources: the paper, and Jolliffe, Principal Component Analysis (2002), ch. 3.

Estimates are in canonical order (the faster factor first), without which swapped factors would
look like jumps.
A component's sign is arbitrary: here its largest loading is positive, the first of the parameters
if several are as large. A parameter that never moves has loading 0. A component without variance
(fewer days than parameters, say) has no direction: its loadings are NaN, its scores 0.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from calibscope.base.arrays import Array
from calibscope.base.parameters import Specs
from calibscope.study.study import Study

Coordinates = Literal["natural", "scaled"]
SAME = 1e-9  # loadings that agree to this are equally large


@dataclass(frozen=True, slots=True, eq=False)
class ParameterPCA:
    """The components, those of largest variance first."""

    scores: pd.DataFrame  # date, PC1 ... PC5
    loadings: pd.DataFrame  # parameter, PC1 ... PC5
    explained: pd.DataFrame  # component, variance, share, cumulative
    specs: Specs  # of the parameters


def parameter_pca(study: Study, coordinates: Coordinates = "natural") -> ParameterPCA:
    r"""PCA of the standardised parameters.

    .. math:: z_{tp} = (\theta_{tp} - \bar\theta_p)/s_p, \qquad Z = U S V^T

    with loadings V and scores Z V (paper, biplot; Jolliffe, 2002, chapter 3).

    Parameters
    ----------
    study : the history
    coordinates : "natural", or "scaled": the logarithm of speeds and volatilities, so that 0.01
        to 0.02 is as far as 0.1 to 0.2. The correlation stays as it is: arctanh is infinite at
        -1, where most days of a history can lie, and any cap on it would decide the result

    Returns
    -------
    ParameterPCA
        scores, loadings and explained variances
    """
    if coordinates not in get_args(Coordinates):
        raise ValueError(f"coordinates are {coordinates!r}; give 'natural' or 'scaled'")
    estimates, names = study.estimates, component_names(len(study.specs.names))
    values = estimates.to_numpy(float)
    variances, loadings, scores = components(
        study.specs.coordinates.of(values) if coordinates == "scaled" else values
    )
    shares = variances / (variances.sum() or np.nan)
    return ParameterPCA(
        pd.DataFrame(scores, estimates.index, names).reset_index(),
        pd.DataFrame(loadings, pd.Index(study.specs.names, name="parameter"), names).reset_index(),
        pd.DataFrame(
            {
                "component": names,
                "variance": variances,
                "share": shares,
                "cumulative": np.cumsum(shares),
            }
        ),
        study.specs,
    )


def component_names(count: int) -> list[str]:
    """PC1, PC2, ..."""
    return [f"PC{number + 1}" for number in range(count)]


def components(values: Array) -> tuple[Array, Array, Array]:
    """Variances (p,), loadings (p, p) and scores (n, p) of the columns, by the module's formula."""
    n, p = values.shape
    Z = standardised(values)
    _, sizes, rows = np.linalg.svd(Z, full_matrices=n < p)
    sizes = np.append(sizes, np.zeros(p - len(sizes)))
    has_variance = sizes > max(n, p) * np.finfo(float).eps * sizes.max()
    lengths = np.abs(rows)
    leading = (lengths >= lengths.max(axis=1, keepdims=True) - SAME).argmax(axis=1)
    V = (rows * np.sign(rows[range(p), leading])[:, None]).T
    variances = np.where(has_variance, sizes**2 / max(n - 1, 1), 0.0)
    return variances, np.where(has_variance, V, np.nan), np.where(has_variance, Z @ V, 0.0)


def standardised(values: Array) -> Array:
    """Columns with mean 0 and standard deviation 1; one that is constant becomes 0."""
    is_moving = (values != values[:1]).any(axis=0)
    result = np.zeros_like(values)
    moving = values[:, is_moving]
    if moving.size:
        result[:, is_moving] = (moving - moving.mean(axis=0)) / moving.std(axis=0, ddof=1)
    return result
