"""Least squares in the cone of covariance matrices, against a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from calibscope.calibration.g2.cone import cone_fit

SEEDS = range(40)


def nearby_columns(rng: np.random.Generator, quotes: int) -> np.ndarray:
    """Columns like those of two speeds: smooth in the maturity, d between x and y."""
    maturity = np.linspace(0.1, 1.0, quotes)
    fast, slow = np.sort(rng.uniform(0.1, 4.0, 2))[::-1]
    decays = [np.exp(-speed * maturity) for speed in (fast, slow, 0.5 * (fast + slow))]
    return np.array(decays) * rng.uniform(0.5, 2.0)


def square_sum(z: np.ndarray, columns: np.ndarray, target: np.ndarray) -> float:
    u, v, w = z
    return float(np.sum((u * columns[0] + v * columns[1] + w * columns[2] - target) ** 2))


def best_of_many(columns: np.ndarray, target: np.ndarray, largest: float) -> float:
    """u = r^2, v = s^2, w = 2 rho r s with bounds on r, s and rho, from 27 starts."""
    top = np.sqrt(largest)

    def f(q: np.ndarray) -> float:
        return square_sum(np.array([q[0] ** 2, q[1] ** 2, 2 * q[2] * q[0] * q[1]]), columns, target)

    starts = np.array(np.meshgrid([0.1, 0.5, 0.9], [0.1, 0.5, 0.9], [-0.9, 0.0, 0.9])).reshape(
        3, -1
    )
    bounds = [(0, top), (0, top), (-1, 1)]
    tight = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 2000}
    ends = [
        minimize(f, start * [top, top, 1], bounds=bounds, method="L-BFGS-B", options=tight)
        for start in starts.T
    ]
    return min(end.fun for end in ends)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("largest", [1.0, 1e4])
def test_nothing_in_the_cone_is_better(seed, largest):
    rng = np.random.default_rng(seed)
    columns = nearby_columns(rng, quotes=int(rng.integers(3, 14)))
    # Targets inside the cone, outside of it, and beyond the bound.
    mixture = rng.uniform(-1.0, 2.0, 3) * [1.0, 1.0, 2.0] * rng.choice([0.3, 1.0, 3.0])
    target = mixture @ columns + 0.05 * rng.standard_normal(columns.shape[1])
    solution = np.empty(3)
    cone_fit(columns.copy(), target, columns.shape[1], largest, solution)
    sigma_x, sigma_y, rho = solution
    assert min(sigma_x, sigma_y) >= 0.0
    assert max(sigma_x, sigma_y) ** 2 <= largest * (1 + 1e-12)
    assert -1.0 <= rho <= 1.0
    z = np.array([sigma_x**2, sigma_y**2, 2 * rho * sigma_x * sigma_y])
    # The general solver stops at about 1e-8 of the target's square sum.
    limit = best_of_many(columns, target, largest)
    assert square_sum(z, columns, target) <= limit + 1e-9 * float(target @ target)


def test_a_point_on_the_boundary_is_found_again_exactly():
    """rho = -1 with two maxima along the boundary, of which a first guess takes the wrong one."""
    rng = np.random.default_rng(515)
    for _ in range(200):
        columns = nearby_columns(rng, 13)
        sigma_x, sigma_y = rng.uniform(0.1, 1.0, 2)
        target = sigma_x**2 * columns[0] + sigma_y**2 * columns[1]
        target -= 2 * sigma_x * sigma_y * columns[2]
        solution = np.empty(3)
        cone_fit(columns.copy(), target, 13, 100.0, solution)
        z = np.array([solution[0] ** 2, solution[1] ** 2, 2 * np.prod(solution)])
        assert square_sum(z, columns, target) <= 1e-20 * max(sigma_x, sigma_y) ** 4


def test_no_variance_where_less_than_none_is_wanted():
    columns, solution = nearby_columns(np.random.default_rng(1), 5), np.empty(3)
    cone_fit(columns.copy(), -np.ones(5), 5, 1.0, solution)
    assert solution[0] == solution[1] == 0.0
