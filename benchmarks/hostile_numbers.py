"""Numbers that nobody should hand in: infinite, absurd, of the wrong shape or no numbers at all.

Every function takes a random generator and a folder, and returns what is to be tried, as a call
without arguments. `fuzz_inputs.py` runs them.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import calibscope as cs

Try = Callable[[], object]

NODES = [1, 2, 3, 5, 7, 10, 15, 20, 30]
YEARS = [3, 5, 7, 10, 15, 20]
NUMBERS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, 0.01, -0.01, 2.0, 3.0, 10.0, 100.0, 1e3, 1e-3, 1e-9, 1e-17, 1e9),
    *(1e17, 1e100, -1e100, 1e-100, 1e150, 1e-150, 1e200, 1e-200, 1e308, -1e308, 5e-324, 1e-308),
    *(float("nan"), float("inf"), float("-inf"), 2**63, 10**400, -(10**400)),
]
ODD: list[Any] = [
    None, "", "3Y", "x", True, 1j, [], [[]], [1, [2, 3]], {}, np.array([[1.0]]), "nan", b"1",
    np.datetime64("NaT"), "9" * 5000,
]  # fmt: skip
SOLVERS = ("global", "lm", "gauss-newton", "newton")
WEIGHTS = ("rmsre", "absolute", "vega")
PARAMETERS = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")


def numeral(chance: random.Random) -> Any:
    """Any number, or hardly ever something else."""
    if chance.random() < 0.05:
        return chance.choice(ODD)
    if chance.random() < 0.5:
        return chance.choice(NUMBERS)
    return chance.choice((-1, 1, 1, 1)) * 10 ** chance.uniform(-20, 20)


def damaged(chance: random.Random, values: list[Any], share: float = 0.5) -> Any:
    """The values with some of them replaced, or the list itself spoilt."""
    values = list(values)
    if chance.random() < share:
        for _ in range(chance.randint(1, 2)):
            values[chance.randrange(len(values))] = numeral(chance)
    if chance.random() < 0.05:
        values = values[: chance.randint(0, len(values))]
    if chance.random() < 0.03:
        return chance.choice(ODD)
    if chance.random() < 0.03:
        values = values + values
    return values


def warm_up() -> None:
    """Compile what is compiled at first use, so that no input has to wait for it."""
    for solver in SOLVERS:
        fit = cs.calibrate(_day(), solver)
        cs.calibrate(_day(), solver, bounds={"a_x": (0.1, 1.0)})
        cs.calibrate(_day(), solver, weights="leverage_balanced")
    _ = cs.diagnose(fit).edof, fit.parameters.hessian(_day())
    curve = cs.DiscountCurve.from_zero_rates(NODES, [0.02] * 9, interpolation="svensson")
    curve.discount(1.0)


def good_curve() -> cs.DiscountCurve:
    """An ordinary curve."""
    return cs.DiscountCurve.from_zero_rates(NODES, [0.02 + 0.0003 * t for t in NODES])


def curve(chance: random.Random, folder: Path) -> Try:
    """One of the constructors of a curve, and the curve at some times."""
    way = chance.choice(("from_zero_rates", "from_discount_factors", "from_svensson", "ois"))
    scheme = chance.choice(("log-linear", "log-cubic", "monotone-convex", "svensson", "x"))
    times = damaged(chance, NODES, 0.3)
    rates = damaged(chance, [0.02 + 0.0003 * t for t in NODES])
    asked = damaged(chance, [0.0, 0.5, 7.3, 30.0])
    parameters = damaged(chance, [0.03, -0.01, 0.0, 0.005, 1.5, 8.0])
    last_time = numeral(chance) if chance.random() < 0.3 else 50.0
    date = chance.choice(("2024-06-03", "2024-06-03", "9999-12-31", "1000-01-01", "x", None))

    def work() -> object:
        make = cs.DiscountCurve
        if way == "from_svensson":
            made = make.from_svensson(parameters, last_time)
        elif way == "ois":
            made = make.from_ois_quotes(times, rates, date=date, interpolation=scheme)
        elif way == "from_discount_factors":
            factors = [
                np.exp(-0.02 * k) if isinstance(k, int) and abs(k) < 99 else k for k in times
            ] if isinstance(times, list) else times  # fmt: skip
            made = make.from_discount_factors(times, factors, interpolation=scheme)
        else:
            made = make.from_zero_rates(times, rates, interpolation=scheme)
        return made.discount(asked), made.zero_rate(asked), made.forward_rate(asked)

    return work


def market_day(chance: random.Random, folder: Path) -> Try:
    """A day from arrays, and what it says."""
    options: dict[str, Any] = {"maturities": damaged(chance, YEARS, 0.15)}
    kind = chance.choice(("vols", "prices"))
    usual = [0.0085] * 6 if kind == "vols" else [0.01, 0.022, 0.034, 0.058, 0.09, 0.12]
    options[kind] = damaged(chance, usual, 0.3)
    if chance.random() < 0.3:
        options["strikes"] = damaged(chance, [0.025] * 6)
    if chance.random() < 0.1:
        options["tenor"] = numeral(chance)
    if chance.random() < 0.1:
        options["notional"] = numeral(chance)
    if chance.random() < 0.1:
        options["vol_type"] = chance.choice(("lognormal", "shifted_lognormal", "x", None))
        options["vol_shift"] = numeral(chance)
    if chance.random() < 0.1:
        options["bid_ask"] = damaged(chance, [[0.01, 0.02]] * 6)
    if chance.random() < 0.1:
        options["times"] = damaged(chance, [0.5 * i for i in range(41)])
    if chance.random() < 0.1:
        options["accruals"] = damaged(chance, [0.5] * 40)
    if chance.random() < 0.1:
        options["calendar"] = chance.choice(("TARGET", "x", 1))
    if chance.random() < 0.3:
        options["date"] = chance.choice(("2024-06-03", "9999-12-31", "0001-01-01", "x", 5))
    for name in ("kind", "first_caplet", "atm"):
        if chance.random() < 0.1:
            options[name] = chance.choice(("floor", "spot", True, False, 7, None, []))

    def work() -> object:
        day = cs.MarketDay.from_arrays(curve=good_curve(), **options)
        assert np.isfinite(day.prices).all()
        assert (day.prices > 0).all()
        return day.normal_vols, day.fingerprint, repr(day)

    return work


def model(chance: random.Random, folder: Path) -> Try:
    """A model and its prices."""
    values = damaged(chance, [0.5, 0.05, 0.01, 0.01, -0.7])

    def work() -> object:
        if not isinstance(values, list) or len(values) != 5:
            return None
        made, day = cs.G2(*values), _day()
        return made.prices(day), made.jacobian(day), made.hessian(day)

    return work


def _day() -> cs.MarketDay:
    return cs.MarketDay.from_arrays(curve=good_curve(), maturities=YEARS, vols=[0.0085] * 6)


def calibration(chance: random.Random, folder: Path) -> Try:
    """A calibration with odd prices, strikes, weights, bounds or starts."""
    prices = _day().prices.copy()
    if chance.random() < 0.7:
        for _ in range(chance.randint(1, 2)):
            prices[chance.randrange(6)] *= 10 ** chance.uniform(-12, 1)
    strikes = _day().strikes.copy()
    if chance.random() < 0.3:
        strikes[chance.randrange(6)] = chance.choice((-0.3, -0.01, 0.0, 0.005, 0.1, 0.9))
    options: dict[str, Any] = {"solver": chance.choice(SOLVERS)}
    options["weights"] = chance.choice(
        (
            *WEIGHTS,
            *WEIGHTS,
            "leverage_balanced",
            damaged(chance, [1.0] * 6),
            dict.fromkeys(YEARS, 1.0) | {3.0: numeral(chance)},
            "x",
        )
    )
    if chance.random() < 0.3:
        options["bounds"] = {chance.choice((*PARAMETERS, "x")): damaged(chance, [1e-3, 0.5])}
    if chance.random() < 0.2:
        options["fixed"] = {chance.choice((*PARAMETERS, "x")): numeral(chance)}
    if chance.random() < 0.1:
        options["anchor"] = cs.G2(0.5, 0.05, 0.01, 0.01, -0.7)
        options["anchor_strength"] = numeral(chance)

    def work() -> object:
        day = replace(_day(), prices=prices, strikes=strikes)
        fit = cs.calibrate(day, **options)
        assert np.isfinite(fit.parameters.values).all()
        return fit.status, fit.rmsre, cs.diagnose(fit).edof

    return work


def least_squares(chance: random.Random, folder: Path) -> Try:
    """A fit of anybody's, with absurd numbers."""
    m, p = chance.choice((1, 3, 8)), chance.choice((1, 2, 5))
    fill = np.random.default_rng(chance.randrange(2**32))
    J = fill.normal(size=(m, p)).tolist()
    size = chance.choice((1.0, 1.0, 1e-160, 1e-300, 1e100, 1e160, 1e300))
    J = [damaged(chance, [size * x for x in row], 0.2) for row in J]
    r = damaged(chance, fill.normal(size=m).tolist(), 0.3)
    options: dict[str, Any] = {}
    if chance.random() < 0.4:
        options["weights"] = damaged(chance, [chance.choice((1.0, 1e300, 1e-300))] * m)
    if chance.random() < 0.4:
        options["values"] = damaged(chance, fill.normal(size=p).tolist())
        if chance.random() < 0.4:
            options["bounds"] = (damaged(chance, [-1.0] * p), damaged(chance, [1.0] * p))
        if chance.random() < 0.3:
            options["transforms"] = [chance.choice(("log", "arctanh", "identity"))] * p
    if chance.random() < 0.3:
        options["observed"] = damaged(chance, [1.0] * m)
    if chance.random() < 0.3:
        options["hessian"] = (numeral(chance) if chance.random() < 0.3 else 1.0) and [
            [[chance.choice((0.0, 1.0, 1e200))] * p] * p
        ] * m
    if chance.random() < 0.3:
        options["mode"] = chance.choice(("active", "full", "strict", "x"))
    if chance.random() < 0.1:
        options["names"] = damaged(chance, [f"b{i}" for i in range(p)])

    def work() -> object:
        dx = cs.diagnose_least_squares(r, J, **options)
        return dx.edof, dx.leverage, dx.flags, dx.cooks_distance

    return work
