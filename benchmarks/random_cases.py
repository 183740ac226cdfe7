"""Random markets, each made from its seed alone: what the search is tried on.

A market has a curve with rates from -3 to 7 %, 3 to 25 caps or floors of 1 to 30 years, at the
money or with strikes up to 100 or 200 bp away from it, priced by a random G2++ truth with
correlations from -1 to 1, both ends included, and spoilt by noise of up to 3 % and by a smooth
misfit. On some, bounds, fixed parameters or weights are the user's own.
"""

from dataclasses import dataclass

import numpy as np

import calibscope as cs

MATURITIES = np.arange(1.0, 31.0)
SMALLEST_PRICE = 1e-8  # of notional: a millionth of a percent; nobody quotes less
GROUPS = {"at the money": 0.0, "within 100 bp": 0.01, "within 200 bp": 0.02}


@dataclass(frozen=True)
class Case:
    """A market with the truth behind it, and how it is to be calibrated."""

    seed: int
    group: str
    day: cs.MarketDay
    truth: cs.G2
    options: dict[str, object]  # of `calibrate`
    is_custom: bool


def random_case(seed: int) -> Case:
    """The market of a seed; every fourth is within 100 bp of the money, every fourth within 200."""
    rng = np.random.default_rng(seed)
    group = ("at the money", "within 100 bp", "at the money", "within 200 bp")[seed % 4]
    while True:
        day, truth = random_day(rng, GROUPS[group])
        if day is not None:
            options, is_custom = random_options(rng, len(day.prices))
            return Case(seed, group, day, truth, options, is_custom)


def random_day(rng: np.random.Generator, away: float) -> tuple[cs.MarketDay | None, cs.G2]:
    """A day and its truth; None where fewer than three of its quotes are worth a quote."""
    nodes = np.arange(0.25, 31.0, 0.25)
    level, slope, second_order = (
        rng.uniform(-0.01, 0.05),
        rng.uniform(-0.02, 0.02),
        rng.uniform(1, 10),
    )
    curve = cs.DiscountCurve.from_zero_rates(
        nodes, level + slope * (1 - np.exp(-nodes / second_order))
    )
    years = np.sort(rng.choice(MATURITIES, rng.integers(3, 26), replace=False))
    kind, tenor = "floor" if rng.uniform() < 0.1 else "cap", rng.choice([0.5, 0.25])
    draft = cs.MarketDay.from_arrays(
        curve=curve, maturities=years, vols=np.full(len(years), 0.01), tenor=tenor, kind=kind
    )
    strikes = draft.strikes + away * rng.uniform(-1, 1, len(years))
    truth = random_truth(rng)
    exact = truth.prices(with_prices(draft, strikes, draft.prices))
    x = np.log(years / 8.0)
    misfit = rng.choice([0.0, 0.0, 0.02]) * (rng.standard_normal(3) @ [x, x**2 - 1, np.sin(3 * x)])
    noise = rng.choice([0.0, 0.001, 0.003, 0.01, 0.03]) * rng.standard_normal(len(years))
    prices = exact * np.exp(misfit + noise)
    kept = exact > SMALLEST_PRICE
    if kept.sum() < 3:
        return None, truth
    # Noise takes prices below their intrinsic value, too, which no market would quote.
    return with_prices(draft, strikes, prices).without(years[~kept]), truth


def with_prices(draft: cs.MarketDay, strikes: np.ndarray, prices: np.ndarray) -> cs.MarketDay:
    return cs.MarketDay(
        curve=draft.curve, schedule=draft.schedule, maturities=draft.maturities,
        period_counts=draft.period_counts, strikes=strikes, prices=prices, kind=draft.kind,
        notional=1.0, has_first_caplet=False, bid_ask=None, date=None,
    )  # fmt: skip


def random_truth(rng: np.random.Generator) -> cs.G2:
    """Speeds 0.001 to 5, volatilities 0.2 to 5 %, and a third of the correlations at either end."""
    a_x, a_y = np.exp(rng.uniform(np.log(1e-3), np.log(5.0), 2))
    sigma_x, sigma_y = np.exp(rng.uniform(np.log(2e-3), np.log(0.05), 2))
    kind = rng.uniform()
    if kind < 0.65:
        rho = rng.uniform(-1, 1)
    elif kind < 0.75:
        rho = -1.0
    elif kind < 0.8:
        rho = 1.0
    else:
        rho = rng.choice([-1, 1]) * (1 - 10 ** rng.uniform(-5, -1))
    return cs.G2(a_x, a_y, sigma_x, sigma_y, rho)


def random_options(rng: np.random.Generator, quotes: int) -> tuple[dict[str, object], bool]:
    """Bounds or fixed parameters of the user's own on 15 %, weights on another 15 %."""
    kind = rng.uniform()
    if kind < 0.1:
        high, fast = 10 ** rng.uniform(-2, -0.5), 10 ** rng.uniform(-1, 0.7)
        choices: list[dict[str, tuple[float, float]]] = [
            {"sigma_x": (1e-5, high), "sigma_y": (1e-5, high)},
            {"a_x": (1e-5, fast), "a_y": (1e-5, fast)},
            {"sigma_x": (1e-4, high)},
            {"a_y": (1e-3, fast)},
            {"rho_xy": (-0.95, rng.uniform(-0.5, 1.0))},
            {"a_x": (0.05, 5.0), "sigma_y": (1e-5, high), "rho_xy": (-1.0, 0.0)},
        ]
        return {"bounds": choices[rng.integers(len(choices))]}, True
    if kind < 0.15:
        fixed = [{"rho_xy": rng.uniform(-1, 0.5)}, {"a_y": 10 ** rng.uniform(-3, 0)}]
        return {"fixed": fixed[rng.integers(2)]}, True
    if kind < 0.3:
        own = rng.uniform(0.2, 5.0, quotes)
        if quotes > 6 and rng.uniform() < 0.3:
            own[rng.integers(quotes)] = 0.0
        return {"weights": "absolute" if rng.uniform() < 0.4 else own}, True
    return {}, False
