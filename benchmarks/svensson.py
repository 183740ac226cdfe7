"""Svensson fits of a whole panel beside SciPy's least_squares, in the same run.

The peer does what most code does: all six parameters at once, `scipy.optimize.least_squares` with
the analytic model, from a handful of starts, best one kept.
"""

import time

import numpy as np
from rich.console import Console
from scipy.optimize import least_squares

from calibscope.base.threads import available_cores
from calibscope.market.svensson import PAPER_TIMES, svensson_zero_rates
from calibscope.market.svensson_fit import compile_kernels, fit_svensson_panel

DAYS, NOISE_BP, ROUNDS = 2157, 0.5, 3
PEER_DAYS, PEER_STARTS = 20, 8


def panel() -> np.ndarray:
    """Zero rates of a wandering Svensson curve on the paper's 55 maturities, with noise."""
    rng = np.random.default_rng(2016)
    phase = np.linspace(0, 12, DAYS)[:, np.newaxis] + np.arange(6)
    middle = np.array([0.02, -0.01, 0.0, 0.01, np.log(1.2), np.log(7)])
    spread = np.array([0.015, 0.015, 0.03, 0.03, 0.5, 0.4])
    parameters = middle + spread * np.sin(phase)
    parameters[:, 4:] = np.exp(parameters[:, 4:])
    rates = svensson_zero_rates(parameters, PAPER_TIMES)
    return rates + 1e-4 * NOISE_BP * rng.standard_normal(rates.shape)


def peer(rates: np.ndarray, rng: np.random.Generator) -> float:
    """RMSE in bp of the best of several SciPy fits."""
    low = [-0.2, -0.2, -1, -1, 0.05, 0.05]
    high = [0.2, 0.2, 1, 1, 30, 30]

    def residuals(parameters: np.ndarray) -> np.ndarray:
        return 1e4 * (svensson_zero_rates(parameters, PAPER_TIMES) - rates)

    costs = []
    for _ in range(PEER_STARTS):
        taus = np.exp(rng.uniform(np.log(0.3), np.log(20), 2))
        start = [rates[-1], rates[0] - rates[-1], 0.0, 0.0, *taus]
        costs.append(least_squares(residuals, start, bounds=(low, high), x_scale="jac").cost)
    return float(np.sqrt(2 * min(costs) / len(PAPER_TIMES)))


def svensson_table(console: Console) -> None:
    """Seconds for the panel, the ratio to the peer, and how often the peer ends higher."""
    rates = panel()
    compile_kernels()
    ours_seconds, peer_seconds = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        fits = fit_svensson_panel(PAPER_TIMES, rates)
        ours_seconds.append((time.perf_counter() - start) / DAYS)
        rng = np.random.default_rng(1)
        chosen = np.linspace(0, DAYS - 1, PEER_DAYS).astype(int)
        start = time.perf_counter()
        theirs = np.array([peer(rates[day], rng) for day in chosen])
        peer_seconds.append((time.perf_counter() - start) / PEER_DAYS)
    ours, other = min(ours_seconds), min(peer_seconds)
    missed = int((theirs > fits.rmse_bp[chosen] * 1.001).sum())
    console.print(
        f"Svensson: {DAYS} fits in {DAYS * ours:.2f} s on {available_cores()} cores (aim: under "
        f"5 s), {1e3 * ours:.2f} ms a day; SciPy least_squares from {PEER_STARTS} starts: "
        f"{1e3 * other:.0f} ms a day, {other / ours:.0f} times as long, and it missed the best fit "
        f"on {missed} of {PEER_DAYS} days."
    )


if __name__ == "__main__":
    svensson_table(Console())
