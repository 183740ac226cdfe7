"""The fit of a Svensson curve to observed zero rates, from a cold start: one day or many.

What is minimised is the sum of squared errors of the zero rates, all with the same weight;
`svensson_search.py` says how.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, Indices, frozen
from calibscope.base.compiled import compilation_notice
from calibscope.base.threads import share_days
from calibscope.market.errors import raise_problems
from calibscope.market.inputs import numbers
from calibscope.market.svensson import PARAMETERS, level_and_hump, svensson_zero_rates
from calibscope.market.svensson_search import (
    AT_BOUND,
    BASIS,
    GRID,
    SMALLEST_RATIO,
    TAU_BOUNDS,
    fit_days,
)

POOR_BP = 3.0  # a fit worse than this misses the quotes by more than their bid-ask spread


@cache
def compile_kernels() -> None:
    """Compile the kernels of the fit, or load them from disk; says so when it takes long."""
    none = np.empty((0, 0))
    with compilation_notice():
        fit_days(none[:0].ravel(), none, none, none.ravel(), 0, 0, none)


@lru_cache(maxsize=8)
def _grid(time_bytes: bytes) -> tuple[Array, Array]:
    """(k, GRID * GRID * 4) orthonormal bases of the designs at all pairs of taus, and log taus."""
    times = np.frombuffer(time_bytes)
    log_taus = np.linspace(math.log(TAU_BOUNDS[0]), math.log(TAU_BOUNDS[1]), GRID)
    level, hump = level_and_hump(times / np.exp(log_taus)[:, np.newaxis])
    designs = np.empty((GRID, GRID, len(times), BASIS))
    designs[..., 0] = 1.0
    designs[..., 1], designs[..., 2] = level[:, np.newaxis], hump[:, np.newaxis]
    designs[..., 3] = hump
    bases = np.linalg.qr(designs).Q
    return np.ascontiguousarray(np.moveaxis(bases, 2, 0).reshape(len(times), -1)), log_taus


@dataclass(frozen=True, slots=True, eq=False)
class SvenssonFit:
    """The Svensson curve nearest to the observed zero rates of a day."""

    parameters: Array  # (6,) in the order of PARAMETERS, decimal and years
    rmse_bp: float  # root mean square error of the zero rates, basis points
    point_count: int
    is_poor: bool  # rmse_bp > POOR_BP
    has_tau_at_bound: bool

    @property
    def status(self) -> str:
        """One sentence on how good the fit is."""
        text = f"Svensson fits {self.point_count} zero rates with an RMSE of {self.rmse_bp:.3g} bp"
        if self.has_tau_at_bound:
            text += ", with a tau at its bound (or the two as close as they may be)"
        if self.is_poor:
            text += "; that is poor: take a scheme that meets every node, such as log-cubic"
        return text + "."


@dataclass(frozen=True, slots=True, eq=False)
class SvenssonFits:
    """The fits of many days, as arrays; `fits[i]` is that of day i."""

    parameters: Array  # (n, 6) in the order of PARAMETERS; NaN where a day has too few points
    rmse_bp: Array  # (n,)
    point_counts: Indices  # (n,)

    @property
    def is_poor(self) -> BoolArray:
        """(n,) whether the error is above POOR_BP (or there is no fit)."""
        return np.asarray(~(self.rmse_bp <= POOR_BP))

    @property
    def has_tau_at_bound(self) -> BoolArray:
        """(n,) whether a tau is at its bound, or the two are as close as they may be."""
        low, high = TAU_BOUNDS
        taus = self.parameters[:, 4:]
        is_end = ((taus <= low * AT_BOUND) | (taus >= high / AT_BOUND)).any(axis=1)
        ratio = taus.max(axis=1) / taus.min(axis=1)
        return np.asarray(is_end | (ratio <= SMALLEST_RATIO * AT_BOUND))

    def __len__(self) -> int:
        return len(self.rmse_bp)

    def __getitem__(self, day: int) -> SvenssonFit:
        return SvenssonFit(
            frozen(self.parameters[day]),
            float(self.rmse_bp[day]),
            int(self.point_counts[day]),
            bool(self.is_poor[day]),
            bool(self.has_tau_at_bound[day]),
        )


def fit_svensson(times: ArrayLike, zero_rates: ArrayLike) -> SvenssonFit:
    r"""Fit a Svensson curve to zero rates, from a cold start.

    .. math:: \min_{\beta, \tau} \sum_i \bigl(z(t_i; \beta, \tau) - z_i\bigr)^2

    Source: Svensson (1994) for z; for given taus the betas are linear least squares (Golub and
    Pereyra, 1973).

    Parameters
    ----------
    times : (k,) years, positive, increasing
    zero_rates : (k,) continuously compounded, decimal; NaN where there is none

    Returns
    -------
    SvenssonFit
        parameters, RMSE and flags

    Examples
    --------
    >>> from calibscope.market.svensson import PAPER_TIMES
    >>> rates = svensson_zero_rates([0.03, -0.02, 0.01, -0.01, 1.5, 6.0], PAPER_TIMES)
    >>> fit_svensson(PAPER_TIMES, rates).parameters.round(6).tolist()
    [0.03, -0.02, 0.01, -0.01, 1.5, 6.0]
    """
    rates, problems = numbers(zero_rates, "zero rates")
    raise_problems("Svensson fit", problems)
    fits = fit_svensson_panel(times, rates[np.newaxis], threads=1)
    if fits.point_counts[0] < len(PARAMETERS):
        raise_problems("Svensson fit", [_too_few(int(fits.point_counts[0]))])
    return fits[0]


def fit_svensson_panel(
    times: ArrayLike, zero_rates: ArrayLike, threads: int | None = None
) -> SvenssonFits:
    """Fit a Svensson curve to each day of a panel.

    Parameters
    ----------
    times : (k,) years, positive, increasing
    zero_rates : (n, k) continuously compounded, decimal; NaN where there is none
    threads : how many to use; None means all cores. The result is the same to the last bit.

    Notes
    -----
    Each day is fitted to the points it has. A day with fewer than six gets NaN, and counts as poor.
    """
    points, problems = numbers(times, "times")
    rates = np.asarray(zero_rates, dtype=float)
    if rates.ndim != 2 or rates.shape[1] != len(points):
        problems.append(
            f"zero rates have shape {rates.shape}; give one row per day with {len(points)} rates"
        )
    if not ((points > 0) & (points < np.inf)).all() or (np.diff(points) <= 0).any():
        problems.append("times must be positive numbers that increase")
    if np.isinf(rates).any():
        problems.append("zero rates must be numbers, or NaN where there is none")
    raise_problems("Svensson fit", problems)
    compile_kernels()

    is_given = ~np.isnan(rates)
    counts = is_given.sum(axis=1)
    parameters, rmse = np.full((len(rates), len(PARAMETERS)), np.nan), np.full(len(rates), np.nan)
    # Days that have the same points are fitted together.
    patterns, pattern_of_day = np.unique(is_given, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if pattern.sum() >= len(PARAMETERS):
            days = np.flatnonzero(pattern_of_day == number)
            wanted = rates[np.ix_(days, pattern)]
            parameters[days] = _fit(points[pattern], wanted, threads)
            misses = svensson_zero_rates(parameters[days], points[pattern]) - wanted
            rmse[days] = np.sqrt(np.mean(misses**2, axis=1))
    return SvenssonFits(frozen(parameters), frozen(1e4 * rmse), counts)


def _fit(times: Array, rates: Array, threads: int | None) -> Array:
    bases, log_taus = _grid(times.tobytes())
    parameters = np.empty((len(rates), len(PARAMETERS)))

    def run(begin: int, end: int) -> None:
        fit_days(times, rates, bases, log_taus, begin, end, parameters)

    share_days(run, len(rates), threads)
    return parameters


def _too_few(count: int) -> str:
    return (
        f"there are {count} zero rates; a Svensson curve has six parameters, so give at least "
        f"{len(PARAMETERS)}"
    )
