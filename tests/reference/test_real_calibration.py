"""The calibration of real Euro days, where the data is at hand (it is not ours to ship)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs

DATA = Path(__file__).parents[3] / "shared" / "data" / "real"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs licensed quotes that the project does not ship; fine to skip"
)

MATURITIES = {
    "2015-04-30": [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30],
    "2016-02-05": [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20],
    "2019-12-30": [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30],
}


def real_day(date):
    settings = {
        "caps": {
            "columns": {"maturity_years": "maturity", "atm_strike": "strike"},
            "quantity": "normal_vol",
        },
        "curve": {"columns": {"maturity_years": "maturity"}},
        "checks": {"maturities": MATURITIES[date]},
    }
    return cs.read_market(DATA / "caps.csv", DATA / "curve.csv", settings=settings).day(date)


@pytest.mark.parametrize("date", MATURITIES)
def test_real_days_are_fitted(date, capsys):
    fit = cs.calibrate(real_day(date))
    with capsys.disabled():
        print(f"\n{fit}\n  {fit.status.value}")
        for sentence in fit.evidence.sentences:
            print(f"  {sentence}")
    assert fit.is_converged
    assert fit.rmsre < 0.005


def test_a_wrong_quote_stands_out():
    day = real_day("2019-12-30")
    k = day.maturities.tolist().index(10)
    prices = np.array(day.prices)
    prices[k] *= 0.9
    errors = np.abs(cs.calibrate(replace(day, prices=prices)).residuals)
    assert errors.argmax() == k
    assert errors[k] > 3 * np.delete(errors, k).max()


def test_the_interpolated_quote_is_suspected_first_and_none_is_accused():
    """12Y of this day is a straight line between 10Y and 15Y, not a quote."""
    table = cs.diagnose(cs.calibrate(real_day("2016-02-05"))).refits.outliers().frame()
    assert table["chances"].idxmax() == "12Y"
    assert table["chances"].nlargest(2).iloc[1] < 0.5 * table["chances"].max()
    assert set(table["verdict"]) == {"in line"}
