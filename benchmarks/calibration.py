"""How fast is a calibration? One day and a whole panel, beside what others do, in the same run.

Ours is the default solver: a search of the whole box that needs no start, then Newton's method.
The peers do what most code does, one local search from one ordinary start, inside the same bounds:
nlopt's BOBYQA on our own kernel, called from Python; the same BOBYQA on plain NumPy, once as the
formulas are usually typed in, cap by cap, and once tuned by hand, all caplets of the day in a few
calls; and SciPy's `least_squares` with finite differences on QuantLib's caplets. All minimise the
sum of squared relative errors of the prices. A peer missed a day if its sum ends more than 0.1 %
above ours.

Machines are noisy, so all take turns, and each counts with its best turn. What depends on the
market alone is set up before the clock starts.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
import QuantLib as ql
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares
from scipy.special import ndtr

import calibscope as cs
from calibscope.base.arrays import Array
from calibscope.base.threads import available_cores
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.g2.bench import Workbench
from calibscope.calibration.g2.plausible import plausible_fit
from calibscope.calibration.near_optimal.local_minima import local_minima
from calibscope.calibration.near_optimal.near_optimal import near_optimal
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers import bobyqa
from calibscope.models.g2.parameters import SPECS
from peers import NumpyDay, quantlib_caplets, quantlib_model

LOWER, UPPER = SPECS.lower, SPECS.upper

TURNS = 3
PEER_DAYS, EVIDENCE_DAYS = 20, 10
MISSED = 1.001  # times our sum of squares
START = np.array(SPECS.start)

Solve = Callable[[], Candidates]


class CapByCap:
    """The objective as a user would write it: the paper's formulas, one cap after the other."""

    lower, upper = LOWER, UPPER

    def __init__(self, day: cs.MarketDay) -> None:
        self.times, self.discounts = day.schedule.times, day.discounts
        self.accruals, self.first = day.schedule.accruals, day.first_period
        self.caps = list(zip(day.period_counts, day.strikes, day.prices, strict=True))
        self.notional = day.notional

    def cap_price(self, parameters: Array, count: int, strike: float) -> float:
        """Sum of the caplets of one cap (eq. analytical_cap_price)."""
        a_x, a_y, sigma_x, sigma_y, rho = parameters
        T1, T2 = self.times[self.first : count], self.times[self.first + 1 : count + 1]
        P1, P2 = self.discounts[self.first : count], self.discounts[self.first + 1 : count + 1]
        tau = T2 - T1
        variance = (
            sigma_x**2 * decay(a_x, tau) ** 2 * decay(2 * a_x, T1)
            + sigma_y**2 * decay(a_y, tau) ** 2 * decay(2 * a_y, T1)
            + 2 * rho * sigma_x * sigma_y
            * decay(a_x, tau) * decay(a_y, tau) * decay(a_x + a_y, T1)
        )  # fmt: skip
        Sigma = np.sqrt(variance)
        growth = 1 + strike * self.accruals[self.first : count]
        h = np.log(P1 / (growth * P2)) / Sigma + Sigma / 2
        return self.notional * np.sum(P1 * ndtr(h) - growth * P2 * ndtr(h - Sigma))

    def objective(self, parameters: Array) -> float:
        """Sum of squared relative errors; large where there is no price."""
        value = 0.0
        for count, strike, price in self.caps:
            value += (self.cap_price(parameters, count, strike) / price - 1) ** 2
        return value if value < np.inf else 1e10


class NumpyProblem(NumpyDay):
    """The objective in plain NumPy tuned by hand, with what `bobyqa.solve` asks of a problem.

    `NumpyDay.prices` prepares derivatives that nobody uses here, so variances are written anew.
    """

    lower, upper = LOWER, UPPER

    def __init__(self, day: cs.MarketDay) -> None:
        super().__init__(day)
        self.quotes = day.prices

    def prices(self, parameters: Array) -> Array:
        """(m,) prices; not a number where rounding makes a variance negative."""
        a_x, a_y, sigma_x, sigma_y, rho = parameters
        C_x, C_y = sigma_x * decay(a_x, self.spans), sigma_y * decay(a_y, self.spans)
        G_x, G_y = decay(2 * a_x, self.resets), decay(2 * a_y, self.resets)
        G_xy = decay(a_x + a_y, self.resets)
        variances = C_x * C_x * G_x + C_y * C_y * G_y + 2 * rho * C_x * C_y * G_xy
        return self._prices(np.sqrt(variances)[self.period])

    def objective(self, parameters: Array) -> float:
        """Sum of squared relative errors; large where there is no price."""
        errors = self.prices(parameters) / self.quotes - 1
        value = float(errors @ errors)
        return value if value < np.inf else 1e10


def decay(alpha: float, times: Array) -> Array:
    """The integral of exp(-alpha t) up to each time."""
    return (1 - np.exp(-alpha * times)) / alpha


def bobyqa_on_kernel(day: cs.MarketDay) -> Solve:
    """BOBYQA on `Problem.objective`, one call of the compiled kernel an evaluation."""
    problem = Problem.of(day)
    problem.objective(START)  # packs the caps
    return lambda: bobyqa.solve(problem, START)


def bobyqa_on_numpy(day: cs.MarketDay) -> Solve:
    """BOBYQA on plain NumPy, with the same stops."""
    problem = CapByCap(day)
    return lambda: bobyqa.solve(problem, START)


def bobyqa_on_tuned_numpy(day: cs.MarketDay) -> Solve:
    """The same on all caplets at once, what depends on the market alone computed before."""
    problem = NumpyProblem(day)
    return lambda: bobyqa.solve(problem, START)


def least_squares_on_quantlib(day: cs.MarketDay) -> Solve:
    """SciPy's trust-region method on QuantLib's prices, with SciPy's own stops."""
    model = quantlib_model(cs.G2(*START), day)
    evaluations = 0

    def residuals(parameters: Array) -> Array:
        nonlocal evaluations
        evaluations += 1
        a_x, a_y, sigma_x, sigma_y, rho = parameters.tolist()
        model.setParams(ql.Array([a_x, sigma_x, a_y, sigma_y, rho]))
        return np.array([sum(caplets) for caplets in quantlib_caplets(model, day)]) / quotes - 1

    def solve() -> Candidates:
        nonlocal evaluations
        evaluations = 0
        end = least_squares(residuals, START, bounds=(LOWER, UPPER), x_scale=np.abs(START))
        return Candidates.sorted_by(end.x, 2 * end.cost, evaluations)

    quotes = day.prices
    return solve


PEERS = {
    "BOBYQA on our kernel": bobyqa_on_kernel,
    "BOBYQA on plain NumPy": bobyqa_on_numpy,
    "BOBYQA on NumPy tuned by hand": bobyqa_on_tuned_numpy,
    "SciPy least_squares on QuantLib": least_squares_on_quantlib,
}


def spread(days: Sequence[cs.MarketDay], count: int) -> list[int]:
    """Places of days spread evenly over the market, ends included."""
    return np.linspace(0, len(days) - 1, count).astype(int).tolist()


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Seconds of a call, and what it returned."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def calibration_table(console: Console, days: Sequence[cs.MarketDay]) -> None:
    """Milliseconds a day, the ratio to ours, and how often a peer ends higher."""
    chosen = spread(days, PEER_DAYS)
    solves = {name: [peer(days[i]) for i in chosen] for name, peer in PEERS.items()}
    best = dict.fromkeys(["ours", "panel", *PEERS], np.inf)
    ends: dict[str, list[Candidates]] = {}
    cs.calibrate_many(days[:100])
    for solve in solves.values():
        solve[0]()
    for _ in range(TURNS):
        fits = cs.calibrate_many(days, threads=1)
        best["ours"] = min(best["ours"], fits.seconds / len(days))
        best["panel"] = min(best["panel"], timed(lambda: cs.calibrate_many(days))[0])
        for name, works in solves.items():
            seconds, ends[name] = timed(lambda works=works: [work() for work in works])
            best[name] = min(best[name], seconds / PEER_DAYS)

    console.print(
        "Calibration of one day on one core: 13 at-the-money caps, built-in market. Ours: search "
        f"of the whole box and polish, mean of {len(days):,} days. Peers: one local search from "
        f"the usual start, mean of {PEER_DAYS} days spread over the market. All took turns, best "
        f"of {TURNS}. Missed: ended more than 0.1 % above our sum of squares."
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("solver")
    for heading in ("ms\na day", "times\nours", "evaluations\na day", "days\nmissed"):
        table.add_column(heading, justify="right")
    # Ours are mostly evaluations with derivatives; the scan of linearised prices is not counted.
    mean = float(fits.evaluations.mean())
    table.add_row("calibscope", f"{1e3 * best['ours']:.2f}", "1", f"{mean:.0f}", "")
    for name, found in ends.items():
        sums = [
            Problem.of(days[i]).objective(end.parameters[0])
            for i, end in zip(chosen, found, strict=True)
        ]
        missed = int((np.array(sums) > MISSED * fits.objectives[chosen, 0]).sum())
        table.add_row(
            name,
            f"{1e3 * best[name]:.0f}",
            f"{best[name] / best['ours']:.0f}",
            f"{np.mean([end.evaluations for end in found]):.0f}",
            f"{missed} of {PEER_DAYS}",
        )
    console.print(table)
    console.print(
        f"The whole panel, {len(days):,} days on {available_cores()} cores: {best['panel']:.1f} s "
        f"(aim: under 5 s); on one core {1e3 * best['ours']:.2f} ms a day (aim: 2 ms).\n"
    )


def evidence_times(day: cs.MarketDay) -> dict[str, float]:
    """Seconds of a single call and of each part of the evidence, called as `evidence` does."""
    times = {}
    times["cs.calibrate(day), a single call"], fit = timed(lambda: cs.calibrate(day))
    problem = fit.problem
    times["set-up that local minima and near-optimal set share"], bench = timed(
        lambda: Workbench(problem)
    )
    known = [fit.parameters, *(model for _, model in fit.candidates)]
    times["local_minima"], optima = timed(lambda: local_minima(problem, known, bench))
    known = [optimum.parameters for optimum in optima.optima]
    times["near_optimal"], _ = timed(
        lambda: near_optimal(problem, fit.parameters, known=known, bench=bench)
    )
    times["plausible fit"], _ = timed(lambda: plausible_fit(problem))
    return times


def evidence_table(console: Console, days: Sequence[cs.MarketDay]) -> None:
    """Milliseconds of a single call, local minima, near-optimal set and plausible fit."""
    evidence_times(days[1])
    found = [evidence_times(days[i]) for i in spread(days, EVIDENCE_DAYS)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("evidence for one fit, one core")
    table.add_column("ms, median\nday", justify="right")
    table.add_column(f"slowest\nof {EVIDENCE_DAYS}", justify="right")
    for name in found[0]:
        times = [1e3 * times[name] for times in found]
        table.add_row(name, f"{np.median(times):.1f}", f"{max(times):.1f}")
    console.print(table)
    console.print(
        "Local minima and near-optimal set share the set-up; plausible fits have their own."
    )


if __name__ == "__main__":
    out, market = Console(), cs.demo_market().days
    with np.errstate(invalid="ignore"):  # negative variances of plain NumPy
        calibration_table(out, market)
    evidence_table(out, market)
