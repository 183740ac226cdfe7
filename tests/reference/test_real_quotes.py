"""Strikes and prices of real Euro days, where the data is at hand (it is not ours to ship)."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs

DATA = Path(__file__).parents[3] / "shared" / "data" / "real"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs licensed quotes that the project does not ship; fine to skip"
)


def rows_by_date(name: str) -> dict[str, list[dict[str, str]]]:
    table = defaultdict(list)
    with (DATA / name).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            table[row["date"]].append(row)
    return table


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


@pytest.mark.parametrize("date", ["2015-04-30", "2016-02-05", "2019-12-30"])
def test_strikes_and_prices_are_recomputed(date):
    """From curve and normal vols alone; the file's numbers have ten digits."""
    nodes, quotes = rows_by_date("curve.csv")[date], rows_by_date("caps.csv")[date]
    curve = cs.DiscountCurve.from_discount_factors(
        column(nodes, "maturity_years"), column(nodes, "discount_factor")
    )
    quotes = [row for row in quotes if float(row["maturity_years"]) <= curve.last_time]
    day = cs.MarketDay.from_arrays(
        curve=curve,
        maturities=column(quotes, "maturity_years"),
        vols=column(quotes, "normal_vol"),
        date=date,
    )
    assert len(quotes) >= 13
    assert day.strikes == pytest.approx(column(quotes, "atm_strike"), abs=1e-10)
    assert day.prices == pytest.approx(column(quotes, "price"), rel=1e-7)
    model = cs.G2(0.5, 0.03, 0.006, 0.009, -0.8)
    assert np.isfinite(model.hessian(day)).all()


SETTINGS = {
    "caps": {"columns": {"maturity_years": "maturity", "atm_strike": "strike"}},
    "curve": {"columns": {"maturity_years": "maturity"}},
    "checks": {"maturities": [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]},
}


def at_the_money_strikes(day):
    return cs.MarketDay.from_arrays(
        curve=day.curve, maturities=day.maturities, prices=day.prices
    ).strikes


@pytest.mark.parametrize("interpolation", ["log-linear", "log-cubic", "monotone-convex"])
def test_the_reader_recomputes_strikes_and_prices_of_all_days(interpolation, capsys):
    """Given strikes and vols (and prices) agree up to curve interpolation; its size is printed.

    All pillars lie on the half-year grid, so interpolation matters to rounding only.
    """
    settings = {**SETTINGS, "conventions": {"interpolation": interpolation}}
    caps, curve = DATA / "caps.csv", DATA / "curve.csv"
    markets = {}
    for quantity in ("price", "normal_vol"):
        settings["caps"] = {**SETTINGS["caps"], "quantity": quantity}
        markets[quantity] = cs.read_market(caps, curve, settings=settings)
        assert len(markets[quantity]) == 3
    priced, quoted = markets["price"], markets["normal_vol"]
    gaps = priced.strike_gaps
    assert gaps.verdict.name == "FORWARD"
    at_the_money = max(
        1e4 * np.abs(at_the_money_strikes(day) - day.strikes).max() for day in priced
    )
    prices = max(
        np.abs(one.prices / other.prices - 1).max()
        for one, other in zip(priced, quoted, strict=True)
    )
    with capsys.disabled():
        print(
            f"\nreal days, {interpolation}: strikes differ by up to {at_the_money:.1e} bp, prices "
            f"by up to {prices:.1e} (relative)"
        )
    assert at_the_money < 1e-4
    assert prices < 1e-6
