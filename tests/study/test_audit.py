"""The audit trail: every setting is in a hash, changed thresholds are logged, dates compared."""

import getpass
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.base.settings import Section
from calibscope.cli import main
from calibscope.market.settings import MarketSettings
from calibscope.study import results_hash
from calibscope.study.audit import effective_settings, hash_of
from calibscope.study.metric import _REGISTERED
from calibscope.study.settings import StudySettings

OWN = cs.Metric("own", "day", "1", "a number", len)  # registered where a test wants it

# Settings whose values are words or lists: another valid value for each.
OTHERS = {
    "calibration.model": "hull-white",
    "calibration.solver": "lm",
    "calibration.order": "solver",
    "calibration.weights": "vega",
    "calibration.bounds": {"a_x": (0.02, 2.0)},
    "calibration.fixed": {"rho_xy": -0.5},
    "diagnosis.mode": "full",
    "diagnosis.scale": "mad",
    "diagnosis.method": "delta",
    "diagnosis.levels": (0.5,),
    "governance.limits": {"rmsre": {"amber": 0.03}},
    "governance.amber": ("has_outlier",),
    "governance.red": (),
    "metrics": {"own": OWN.version},
    "conventions.tenor": "3M",
    "conventions.atm": "spot",
    "conventions.schedule": "TARGET",
    "conventions.kind": "floor",
    "conventions.compounding": "annual",
    "conventions.ois_index": "EONIA",
    "conventions.interpolation": "log-linear",
    "checks.maturities": (3.0, 10.0),
    "checks.incomplete": "drop",
    "checks.interpolated": "drop",
    "checks.exclude": ("2020-03-11",),
}
FILE = {
    "layout": "wide", "sheet": "Quotes", "date_format": "dmy", "decimal": ",", "delimiter": ";",
    "encoding": "cp1252", "missing": ("x",), "columns": {"a": "date"},
}  # fmt: skip
OTHERS |= {f"caps.{name}": value for name, value in FILE.items()}
OTHERS |= {f"curve.{name}": value for name, value in FILE.items()}
OTHERS |= {
    "caps.quantity": "normal_vol", "curve.quantity": "zero_rate",
    "caps.quantities": {"PX": "price"}, "curve.quantities": {"DF": "discount_factor"},
    "report.reference_dates": {"2020-03-18": "a day of ours"},
    "caps.units": {"price": "bp"}, "curve.units": {"zero_rate": "percent"},
}  # fmt: skip


def leaves(section, place=""):
    """Every setting by its full name, and its usual value."""
    for name, field in section.model_fields.items():
        value = field.get_default(call_default_factory=True)
        if isinstance(value, Section):
            yield from leaves(type(value), f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def other(name, value):
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return 0.5 * value if value else 0.01


def nested(name, value):
    first, _, rest = name.partition(".")
    return {first: nested(rest, value) if rest else value}


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between("2020-03-16", "2020-03-20")


STUDY = [name for name, _ in leaves(StudySettings)]
MARKET = [name for name, _ in leaves(MarketSettings)]


@pytest.mark.parametrize("name", STUDY + MARKET)
def test_every_single_setting_changes_the_hash(name, market, monkeypatch):
    read, chosen = MarketSettings(), StudySettings()
    usual = hash_of(effective_settings(replace(market, settings=read), chosen))
    if name == "metrics":
        monkeypatch.setitem(_REGISTERED, "own", OWN)
    if name in STUDY:
        value = dict(leaves(StudySettings))[name]
        chosen = StudySettings.model_validate(nested(name, other(name, value)))
    else:
        value = dict(leaves(MarketSettings))[name]
        read = MarketSettings.from_mapping(nested(name, other(name, value)))
    content = effective_settings(replace(market, settings=read), chosen)
    assert hash_of(content) != usual
    # A day is computed anew when anything changes on which its results depend.
    is_result = name.partition(".")[0] in ("calibration", "diagnosis", "metrics")
    _REGISTERED.pop("own", None)
    assert (chosen.results_hash != StudySettings().results_hash) == is_result
    assert hash_of(content) == hash_of(json.loads(json.dumps(content)))


@pytest.mark.parametrize(
    ("model", "bounds"), [("g2++", {"a_x": [1e-5, 10]}), ("hull-white", {"a": [1e-5, 10.0]})]
)
def test_bounds_that_are_the_models_own_change_nothing(model, bounds):
    def hash_with(**calibration):
        return StudySettings.model_validate({"calibration": {"model": model, **calibration}})

    assert hash_with(bounds=bounds).results_hash == hash_with().results_hash
    other = {name: (0.02, high) for name, (_, high) in bounds.items()}
    assert hash_with(bounds=other).results_hash != hash_with().results_hash


def test_explicit_bounds_have_the_hash_that_they_always_had():
    """Stores with them stay valid."""
    some = {"calibration": {"bounds": {"a_x": (0.02, 2.0)}, "fixed": {"rho_xy": -0.5}}}
    content = json.loads(StudySettings.model_validate(some).model_dump_json())
    for section, names in results_hash.SINCE.items():
        for name in names:
            del content[section][name]
    del content["calibration"]["model"]
    before = hash_of({name: content[name] for name in ("calibration", "diagnosis")})
    assert StudySettings.model_validate(some).results_hash == before


def test_days_are_computed_anew_where_a_model_gets_other_bounds(market, tmp_path, monkeypatch):
    """Its own, without a word in the settings."""
    from calibscope.models import model as registry

    few, path = market.between("2020-03-16", "2020-03-17"), tmp_path / "study.db"

    def bounded(high):
        first, *others = cs.HullWhite.specs
        specs = replace(cs.HullWhite.specs, parameters=(replace(first, bounds=(0.01, high)),
                                                        *others))  # fmt: skip
        return type("Slow", (cs.HullWhite,), {"name": "slow", "title": "Slow", "specs": specs})

    counts = []
    for high in (10.0, 10.0, 0.02):
        monkeypatch.setitem(registry._REGISTERED, "slow", bounded(high))
        study = cs.run_study(few, path, {"calibration": {"model": "slow"}})
        counts.append(int(study.runs["days_computed"].iloc[-1]))
    assert counts == [2, 0, 2]
    assert study.estimates["a"].max() <= 0.02


def test_the_run_row_has_all_of_them(market, tmp_path):
    study = cs.run_study(market, tmp_path / "study.db")
    row = study.runs.iloc[-1]
    content = json.loads(row["effective_settings"])
    assert content["calibration"]["bounds"]["g2++"]["rho_xy"] == [-1.0, 1.0]
    assert content["market"]["conventions"]["interpolation"] == "log-cubic"
    assert content["market"]["checks"]["incomplete"] == "drop"
    assert content["profiles"] == "none"
    assert row["effective_hash"] == hash_of(content)
    alone = cs.run_study(cs.Market(market.days), tmp_path / "alone.db")
    assert json.loads(alone.runs["effective_settings"].iloc[0])["market"] is None


def test_changed_thresholds_are_logged(market, tmp_path):
    path = tmp_path / "study.db"
    assert cs.run_study(market, path).threshold_changes.empty
    strict = {"governance": {"limits": {"rmsre": {"amber": 0.001}}}, "diagnosis": {"masking": 3}}
    log = cs.run_study(market, path, strict).threshold_changes
    assert log[["run_id", "setting", "old", "new"]].values.tolist() == [
        [2, "diagnosis.masking", "2.0", "3.0"],
        [2, "governance.limits.rmsre.amber", "0.02", "0.001"],
    ]
    assert set(log["who"]) == {getpass.getuser()}
    assert len(cs.run_study(market, path, strict).threshold_changes) == 2
    log = cs.run_study(market, path).threshold_changes
    assert log["run_id"].tolist() == [2, 2, 4, 4]
    cs.export(cs.open_study(path), tmp_path / "tables", format="csv")
    assert "rmsre.amber" in (tmp_path / "tables" / "threshold_changes.csv").read_text()
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0


def test_changed_checks_are_logged(market, tmp_path):
    """What is flagged depends on them: thresholds of [checks] are those of the market's files."""
    path = tmp_path / "study.db"
    for mads in (8.0, 6.0):
        read = MarketSettings.from_mapping({"checks": {"jump_mads": mads}})
        log = cs.run_study(replace(market, settings=read), path).threshold_changes
    wanted = [["checks.jump_mads", "8.0", "6.0"]]
    assert log[["setting", "old", "new"]].values.tolist() == wanted
    # Days that were made in Python are not checked, and say nothing about thresholds.
    assert len(cs.run_study(replace(market, settings=None), path).threshold_changes) == 1


def test_a_restated_quote(market, tmp_path):
    """A vendor corrects the 3Y price of a day by 10 %: what moved?"""
    path, date = tmp_path / "study.db", "2020-03-18"
    cs.run_study(market, path)
    with pytest.raises(cs.StoreError, match=r"no two results to compare .it was computed by run 1"):
        cs.open_study(path).restated(date)
    days = [
        replace(day, prices=day.prices * np.where(day.maturities == 3, 1.1, 1.0))
        if str(day.date) == date else day
        for day in market
    ]  # fmt: skip
    study = cs.run_study(replace(market, days=tuple(days)), path)
    found = study.restated(date)
    assert found.runs == (1, 2)
    moved = found.quotes[found.quotes["change"].abs() > 1e-9]
    assert moved["label"].tolist() == ["3Y"]
    assert moved["change"].iloc[0] == pytest.approx(0.1, rel=1e-9)
    fits = [cs.calibrate(each.day(date)) for each in (market, replace(market, days=tuple(days)))]
    for column, fit in zip(("before", "after"), fits, strict=True):
        values = found.parameters.set_index("parameter")[column][list(study.specs.names)]
        np.testing.assert_allclose(values, fit.parameters.values, rtol=1e-6)
    assert found.rmsre == pytest.approx([fit.rmsre for fit in fits], rel=1e-9)
    start = (
        "Run 2 has other quotes than run 1 on 2020-03-18: 3Y +10.00 %. RMSRE went from 0.68 % to "
    )
    assert found.summary.startswith(start)
    shown = CliRunner().invoke(main, ["check", str(path), "--date", date])
    assert shown.exit_code == 0, shown.output
    assert "3Y +10.00 %" in shown.stdout
    printed = CliRunner().invoke(main, ["check", str(path), "--date", date, "--json"]).stdout
    data = json.loads(printed)
    assert data["runs"] == [1, 2]
    assert data["date"] == date
    assert data["document"]["label"].startswith("SYNTHETIC")
    assert data["document"]["sections"][0]["blocks"][0]["text"] == found.summary
    page = tmp_path / "moved.html"
    CliRunner().invoke(main, ["check", str(path), "--date", date, "--html", str(page)])
    assert "What moved on 2020-03-18 from run 1 to run 2?" in page.read_text(encoding="utf-8")
    both = {"calibration": {"model": ["g2++", "hull-white"]}}
    for each in (market, replace(market, days=tuple(days))):
        cs.run_study(each.between(date, date), path, both)
    asked = ["check", str(path), "--date", date, "--model", "hull-white", "--json"]
    names = [row["parameter"] for row in
             json.loads(CliRunner().invoke(main, asked).stdout)["parameters"]]  # fmt: skip
    assert names == ["a", "sigma"]
    assert "--model goes with --date" in CliRunner().invoke(main, [*asked[:2], *asked[4:6]]).stderr
    wrong = CliRunner().invoke(main, ["check", str(path), "--date", "2020-03-17"])
    assert wrong.exit_code == 1
    assert "computed again when its quotes or the settings change" in wrong.stderr


def test_a_restatement_that_changes_settings_or_quotes(market, tmp_path):
    path = tmp_path / "study.db"
    cs.run_study(market, path)
    few = replace(market, days=tuple(day.without(["30Y"]) for day in market))
    study = cs.run_study(few, path, {"calibration": {"weights": "vega"}})
    text = study.restated("2020-03-18").summary
    assert "30Y gone" in text
    assert "The settings differ too." in text
