"""Real Euro OIS curves, where the data is at hand (it is not ours to ship).

Which scheme guesses best what it was not shown? Each pillar is left out in turn and compared with
what the scheme says in its place. (The half-year nodes of curve.csv are of no use for that: between
broker pillars they were interpolated by whoever made the file, log-linear on the first day and
log-cubic on the others, which their third differences show. So only pillars are left out.)
"""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from calibscope.market.interpolation import interpolated
from calibscope.market.svensson_fit import fit_svensson_panel

DATA = Path(__file__).parents[3] / "shared" / "data" / "real"
SCHEMES = ["log-linear", "log-cubic", "monotone-convex", "svensson", "svensson-spline"]

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs licensed quotes that the project does not ship; fine to skip"
)


def curves(name: str):
    """Times and log discount factors of each day of a file."""
    rows = defaultdict(list)
    with (DATA / name).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["date"]].append((float(row["maturity_years"]), float(row["discount_factor"])))
    return [
        (times, np.log(factors)) for times, factors in (np.transpose(day) for day in rows.values())
    ]


@pytest.fixture(scope="module")
def daily():
    """Times (12,) and log discount factors (817, 12)."""
    days = curves("ois_daily_2016_2019.csv")
    assert all((times == days[0][0]).all() for times, _ in days)
    return days[0][0], np.array([logs for _, logs in days])


def test_svensson_on_817_days(daily):
    times, logs = daily
    fits = fit_svensson_panel(times, -logs / times)
    print(f"\nSvensson on {len(fits)} real days: median RMSE {np.median(fits.rmse_bp):.2f} bp")
    print(f"largest {fits.rmse_bp.max():.2f} bp, {fits.has_tau_at_bound.sum()} with a tau at bound")
    assert len(fits) == 817
    assert np.median(fits.rmse_bp) < 0.6
    assert not fits.is_poor.any()


def test_pillars_left_out(daily):
    times = np.concatenate(([0.0], daily[0]))
    logs = np.concatenate((np.zeros((len(daily[1]), 1)), daily[1]), axis=1)
    rmse = {}
    for name in SCHEMES:
        errors = []
        for k in range(1, len(times) - 1):
            kept = np.delete(np.arange(len(times)), k)
            guess = interpolated(name, times[kept], logs[:, kept]).log_discount(times[k])
            errors.append(1e4 * (guess - logs[:, k]) / times[k])
        rmse[name] = float(np.sqrt(np.mean(np.square(errors))))
    print("\nzero-rate error at a pillar left out, RMSE in bp over 817 days and 11 pillars:")
    print(", ".join(f"{name} {value:.2f}" for name, value in rmse.items()))
    assert rmse["log-cubic"] == min(rmse.values())
    assert rmse["log-linear"] > 4 * rmse["log-cubic"]


def test_half_years_dropped():
    """How far the schemes lie apart, not which is right: see above."""
    half_years = np.arange(2, 61) / 2
    errors = defaultdict(list)
    for times, logs in curves("curve.csv"):
        times, logs = np.concatenate(([0.0], times)), np.concatenate(([0.0], logs))
        given = logs[np.searchsorted(times, half_years)]
        kept = (times <= 1) | (times % 1 == 0)
        for name in [*SCHEMES, "paper"]:
            guess = interpolated(name, times[kept], logs[kept]).log_discount(half_years)
            errors[name].append(2e4 * (np.expm1(-np.diff(guess)) - np.expm1(-np.diff(given))))
    rmse = {name: float(np.sqrt(np.mean(np.square(values)))) for name, values in errors.items()}
    print("\n6-month forward rates when half years are dropped, RMSE in bp over three days:")
    print(", ".join(f"{name} {value:.2f}" for name, value in rmse.items()))
    assert rmse["paper"] > 10 * rmse["log-cubic"]
    assert rmse["log-linear"] > 2 * max(rmse["log-cubic"], rmse["monotone-convex"])
