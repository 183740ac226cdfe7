"""Settings: what is accepted in a user's words, and what a mistake is told."""

import datetime
from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest
from pydantic import BaseModel

import calibscope as cs
from calibscope.base.errors import SettingsError
from calibscope.diagnosis.settings import THRESHOLDS, DiagnosisSettings
from calibscope.market.settings import MarketSettings
from calibscope.study.metrics import DAY_METRICS
from calibscope.study.read import market_settings
from calibscope.study.settings import DiagnosisSection, study_settings


def nested(name, value):
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


def found(settings, name):
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings


@pytest.mark.parametrize(
    ("name", "value", "meaning"),
    [
        ("caps.missing", "#NV", ("#NV",)),
        ("caps.missing", ["#NV", "k.A."], ("#NV", "k.A.")),
        ("caps.quantity", "Normal Vol", "normal_vol"),
        ("caps.layout", "WIDE", "wide"),
        ("caps.units", {"Price": "EUR"}, {"price": "currency"}),
        ("caps.units", {"price": "€"}, {"price": "currency"}),
        ("caps.units", {"normal vol": "bps"}, {"normal_vol": "bp"}),
        ("caps.units", {"price": "basis points"}, {"price": "bp"}),
        ("caps.units", {"strike": "%"}, {"strike": "percent"}),
        ("curve.units", {"zero_rate": "pct"}, {"zero_rate": "percent"}),
        ("caps.quantities", {"DF": "Discount factor"}, {"DF": "discount_factor"}),
        ("conventions.schedule", "target", "TARGET"),
        ("conventions.ois_index", "estr", "ESTR"),
        ("conventions.interpolation", "Monotone convex", "monotone-convex"),
        ("conventions.tenor", "6m", "6M"),
        ("conventions.tenor", 0.5, "6M"),
        ("conventions.tenor", "0.25", "3M"),
        ("conventions.vol_shift", 0.5, 0.5),
        ("checks.maturities", ["3Y", 5, "18M"], (3.0, 5.0, 1.5)),
        ("checks.maturities", "3Y", (3.0,)),
        ("checks.exclude", "2024-06-03", (datetime.date(2024, 6, 3),)),
        ("checks.exclude", datetime.date(2024, 6, 3), (datetime.date(2024, 6, 3),)),
        ("checks.exclude", [np.datetime64("2024-06-03")], (datetime.date(2024, 6, 3),)),
        ("checks.exclude", [datetime.datetime(2024, 6, 3)], (datetime.date(2024, 6, 3),)),
    ],
)  # fmt: skip
def test_words_of_users_are_understood(name, value, meaning):
    assert found(MarketSettings.from_mapping(nested(name, value)), name) == meaning


CAPS = "price, normal_vol, lognormal_vol, shifted_lognormal_vol, strike, bid"
SUCH = "there is no such setting"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("caps.units.normalvol", "bp",
         f"caps.units: 'normalvol' is not a quantity; choose from {CAPS}, ask "
         "(did you mean 'normal_vol'?)"),
        ("curve.units.price", "bp", "curve.units: 'price' is not a quantity of this section; "
         "choose from discount_factor, zero_rate, par_rate"),
        ("caps.units.price", "x",
         "caps.units.price is 'x'; choose from decimal, percent, bp, currency"),
        ("caps.units", "bp",
         "caps.units is 'bp'; write one by one under [caps.units], such as price = \"bp\""),
        ("caps.quantity", "zero_rate", f"caps.quantity is 'zero_rate'; choose from {CAPS}, ask"),
        ("caps.quantities.PX", "prise", "caps.quantities.PX is 'prise'; choose from "
         + CAPS + ", ask, "
         "discount_factor, zero_rate, par_rate (did you mean 'price'?)"),
        ("caps.decimal", ";", "caps.decimal is ';'; choose from '.', ','"),
        ("caps", 3, "caps is 3; write single settings, each with its name"),
        ("caps.sheet", 3, "caps.sheet is 3; use a text in quotes"),
        ("caps.header_row", 0, "caps.header_row is 0; use a number of at least 1"),
        ("caps.header_row", 1.5, "caps.header_row is 1.5; use a whole number"),
        ("caps.missing", {"a": 1}, "caps.missing is {'a': 1}; use a list in brackets"),
        ("conventions.schedule", "targets",
         "conventions.schedule is 'targets'; choose from idealised, TARGET "
         "(did you mean 'TARGET'?)"),
        ("conventions.tenor", "1Y", "conventions.tenor is '1Y'; choose from 6M, 3M"),
        ("conventions.first_caplet", "ja", "conventions.first_caplet is 'ja'; use true or false"),
        ("conventions.notional", 0, "conventions.notional is 0; use a number above 0"),
        ("conventions.vol_shift", 3,
         "conventions.vol_shift is 3; use at most 0.5: 300 percent is implausible, "
         "and 0.03 is three percent"),
        ("checks.near_zero_price", "x", "checks.near_zero_price is 'x'; use a number"),
        ("checks.maturities", [3, "3Z"],
         "checks.maturities is '3Z'; use a maturity such as 3Y, or a number of years"),
        ("checks.exclude", ["2024-06-03", "soon"],
         "checks.exclude is 'soon'; write it like 2022-07-21 or 21.07.2022"),
        ("curve.compounding", "annual",
         f"curve.compounding: {SUCH}; did you mean conventions.compounding?"),
        ("tenor", "6M", f"tenor: {SUCH}; did you mean conventions.tenor?"),
        ("layout", "wide", f"layout: {SUCH}; did you mean caps.layout or curve.layout?"),
        ("caps.delimeter", ";", f"caps.delimeter: {SUCH}; did you mean 'delimiter'?"),
        ("nonsense", 1, f"nonsense: {SUCH}; remove it"),
    ],
)  # fmt: skip
def test_a_mistake_is_explained(name, value, problem):
    with pytest.raises(SettingsError) as caught:
        MarketSettings.from_mapping(nested(name, value))
    assert caught.value.problems == (problem,)


def test_flat_names_are_to_be_nested():
    with pytest.raises(SettingsError) as caught:
        MarketSettings.from_mapping({"caps.quantity": "price", "caps": {"units.price": "bp"}})
    assert set(caught.value.problems) == {
        f'caps.quantity: {SUCH}; write nested: {{"caps": {{"quantity": ...}}}}',
        f'caps.units.price: {SUCH}; write nested: {{"caps": {{"units": {{"price": ...}}}}}}',
    }


@pytest.mark.parametrize(
    "value", ["x", -1, 0, 1e9, 1.5, None, True, float("nan"), [], ["x"], {}, {"x": "y"}, {1: 2}]
)
def test_no_message_is_pydantics(value):
    sections = {name: type(field.default) for name, field in MarketSettings.model_fields.items()}
    for section, kind in sections.items():
        assert issubclass(kind, BaseModel)
        for name in kind.model_fields:
            with suppress(SettingsError):
                MarketSettings.from_mapping({section: {name: value}})
                continue
            with pytest.raises(SettingsError) as caught:
                MarketSettings.from_mapping({section: {name: value}})
            for problem in caught.value.problems:
                assert problem.startswith(f"{section}.{name}")
                assert "Input should" not in problem
                assert "valid" not in problem


def test_one_file_holds_every_section_and_all_mistakes_are_told_at_once(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('[caps]\nlayout = "wide"\n[calibration]\nsolver = "LM"\n')
    assert market_settings(file) == MarketSettings.from_mapping({"caps": {"layout": "wide"}})
    assert study_settings(file) == study_settings({"calibration": {"solver": "lm"}})
    wrong = "[caps]\nlayout = 'wise'\n[calibration]\nsolver = 'newtn'\n"
    file.write_text(wrong + "[diagnosys]\nmode = 'full'\n")
    for read in (market_settings, study_settings):
        with pytest.raises(cs.SettingsError) as caught:
            read(file)
        assert not isinstance(caught.value, cs.MarketDataError)
        assert caught.value.where == str(file)
        assert sorted(problem.split(" (")[-1] for problem in caught.value.problems) == [
            "diagnosys: there is no such setting; did you mean 'diagnosis'?",
            "did you mean 'newton'?)",
            "did you mean 'wide'?)",
        ]


def test_every_threshold_is_described_once_and_is_a_setting_of_studies():
    changes = [f"diagnosis.{name}={0.5 * one.default}" for name, one in THRESHOLDS.items()]
    chosen = study_settings(None, changes).diagnosis
    for name, one in THRESHOLDS.items():
        assert getattr(chosen.thresholds, name) == 0.5 * one.default
        assert one.unit
        assert one.sentence
    known = {one.name for one in fields(DiagnosisSettings)}
    assert set(DiagnosisSection.model_fields) == {"levels", *known}
    limits = study_settings(None).governance.limits
    assert {name: (one.amber, one.red) for name, one in limits.items()} == {
        one.name: (one.amber, one.red) for one in DAY_METRICS if one.amber is not None
    }


def test_a_market_knows_no_section_of_a_study():
    with pytest.raises(cs.SettingsError, match="calibration: there is no such setting; remove it"):
        MarketSettings.from_mapping({"calibration": {"solver": "lm"}})
