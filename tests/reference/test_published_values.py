"""Caps of the one-factor model, published elsewhere, as the limit sigma_y = 0 of G2++.

Source: TF Quant Finance (google/tf-quant-finance), expected values in the tests and
documentation of its Hull-White cap pricing: one-year quarterly cap, first caplet included, flat
curve of 1 % continuously compounded, notional 100, strike 1 %.
"""

import pytest

import calibscope as cs


@pytest.mark.parametrize(
    ("mean_reversion", "vol", "published"),
    [(0.03, 0.02, 0.4072088281493774), (0.06, 0.01, 0.2016075430673558)],
)
def test_one_factor_caps(mean_reversion, vol, published):
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1.0], [0.01]),
        maturities=[1.0],
        tenor=0.25,
        prices=[published],
        strikes=[0.01],
        notional=100,
        first_caplet=True,
    )
    for model in (
        cs.G2(mean_reversion, 0.5, vol, 0.0, -0.3),
        cs.G2(0.5, mean_reversion, 0.0, vol, 0.8),
    ):
        assert model.prices(day)[0] == pytest.approx(published, rel=0, abs=1e-8)
