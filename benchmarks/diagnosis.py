"""What does a diagnosis cost? One day against its calibration, and the whole demo panel.

The whole set of one day: everything that `Diagnosis` can say, both forms, all scales, intervals at
three levels, flags and summary. Day and calibration take turns; each counts with its best turn, and
the ratio is the median over days.
"""

import time
from collections.abc import Callable

import numpy as np

import calibscope as cs
from calibscope.base.threads import available_cores

DAYS, TURNS = 30, 5
EVERYTHING = (
    "leverage", "hat_matrix", "oblique_projector", "y_fitted", "relative_offset", "edof",
    "effective_degrees",
    "singular_values", "condition_number", "sensitivity", "sensitivity_exact", "influence",
    "influence_exact", "influence_score", "is_influence_doubtful", "deletion",
    "correlation", "correlation_exact", "condition_number_exact",
    "relative_bias", "gauss_newton_ratio", "gauss_newton_error",
    "unidentified_combinations", "flags", "summary",
)  # fmt: skip
IN_PANEL = tuple(
    name for name in EVERYTHING if name not in ("unidentified_combinations", "flags", "summary")
)


def say_everything(dx: cs.Diagnosis) -> None:
    for name in EVERYTHING:
        getattr(dx, name)
    for scale in ("mad_adjusted", "mad", "mse"):
        dx.covariance(scale)
    dx.covariance(form="exact")
    dx.intervals((0.5, 0.75, 0.95))


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> None:
    market = cs.demo_market()
    days = [market.days[i] for i in np.linspace(0, len(market) - 1, DAYS).astype(int)]
    ratios, costs = [], []
    for day in days:
        fit = cs.calibrate(day)
        calibration = min(seconds(lambda day=day: cs.calibrate(day)) for _ in range(TURNS))
        whole = min(seconds(lambda fit=fit: say_everything(cs.diagnose(fit))) for _ in range(TURNS))
        ratios.append(whole / calibration)
        costs.append(1e3 * whole)
    print(
        f"one day, the whole set: {np.median(costs):.2f} ms, {np.median(ratios):.2f} times its "
        f"calibration (median of {DAYS} days; highest {max(ratios):.2f}, longer than the "
        f"calibration on {sum(ratio >= 1 for ratio in ratios)})"
    )
    fits = cs.calibrate_many(market)

    def panel() -> None:
        diagnoses = cs.diagnose_many(fits)
        for name in IN_PANEL:
            for stack in diagnoses.batches:
                getattr(stack, name)

    def panel_in_words() -> None:
        for dx in cs.diagnose_many(fits):
            say_everything(dx)

    arrays = min(seconds(panel) for _ in range(TURNS))
    words = min(seconds(panel_in_words) for _ in range(2))
    print(
        f"panel of {len(fits):,} days on {available_cores()} cores: all arrays {arrays:.2f} s "
        f"({arrays / fits.seconds:.2f} times its calibration), every day's whole set with its "
        f"summary, day by day, {words:.2f} s"
    )


if __name__ == "__main__":
    main()
