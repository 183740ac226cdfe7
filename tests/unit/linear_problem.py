"""A linear least-squares problem that can be fitted again: its refits have closed forms."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear

import calibscope as cs


@dataclass(frozen=True)
class LinearRefit:
    """y = X b, with weights 1 or, if `is_relative`, 1/y^2; bounded if bounds are given."""

    X: np.ndarray
    is_relative: bool = False
    bounds: tuple = (-np.inf, np.inf)

    def solve(self, quotes, weights, held=None, starts=None):
        held = np.full((len(quotes), self.X.shape[1]), np.nan) if held is None else held
        rows = zip(quotes, np.sqrt(weights), held, strict=True)
        return np.array([self._solved(y, roots, kept) for y, roots, kept in rows])

    def _solved(self, y, roots, held):
        is_free = np.isnan(held)
        result, rest = held.copy(), y - self.X[:, ~is_free] @ held[~is_free]
        A, b = roots[:, None] * self.X[:, is_free], roots * rest
        if any(np.isfinite(bound).any() for bound in self.bounds):
            result[is_free] = lsq_linear(A, b, self._box(is_free), method="bvls").x
        else:
            result[is_free] = np.linalg.lstsq(A, b)[0]
        return result

    def _box(self, is_free):
        return tuple(np.broadcast_to(bound, is_free.shape)[is_free] for bound in self.bounds)

    def predict(self, parameters):
        return parameters @ self.X.T

    def weigh(self, quotes):
        return 1.0 / quotes**2 if self.is_relative else np.ones_like(quotes)


def linear(m=13, p=3, seed=1, noise=0.05, is_relative=False, bounds=None, **wishes):
    """The diagnosis of a random linear problem, all of whose quotes are about 2."""
    rng = np.random.default_rng(seed)
    X = np.column_stack((np.ones(m), rng.normal(size=(m, p - 1))))
    y = 2.0 + 0.1 * X[:, 1:].sum(axis=1) + noise * rng.normal(size=m)
    return diagnosed(X, y, is_relative, bounds, **wishes)


def diagnosed(X, y, is_relative=False, bounds=None, weights=None, **wishes):
    refit = LinearRefit(X, is_relative, (-np.inf, np.inf) if bounds is None else bounds)
    w = refit.weigh(y) if weights is None else weights
    best = refit.solve(y[None], w[None])[0]
    m, p = X.shape
    return cs.diagnose_least_squares(
        y - X @ best, X, weights=w, values=best, bounds=bounds, observed=y, refit=refit,
        hessian=np.zeros((m, p, p)), **wishes,
    )  # fmt: skip
