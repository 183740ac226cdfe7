"""Studies of other models, and of several at once: run, report, export, serve."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from ho_lee import HoLee
from scipy.stats import f as f_distribution

import calibscope as cs
from calibscope.calibration.near_optimal.near_optimal import near_optimal
from calibscope.cli import main
from calibscope.models import model as registry
from calibscope.report.web.app import make_app
from calibscope.report.web.source import Source
from calibscope.report.web.state import LinkError, state_of_link
from calibscope.report.web.steps import chosen
from calibscope.study import statistics
from calibscope.study.near_optimal_ranges import SAMPLE

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv")]
MODELS = ("g2++", "hull-white", "ho-lee")


@pytest.fixture(scope="module", autouse=True)
def registered():
    registry.register(HoLee)
    yield
    del registry._REGISTERED["ho-lee"]


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between("2020-03-09", "2020-03-20")


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    """Three models, one of them from outside."""
    path = tmp_path_factory.mktemp("several") / "study.db"
    return cs.run_study(market, path, {"calibration": {"model": list(MODELS)}})


def test_each_model_has_its_own_results(study, market):
    assert study.models == MODELS
    assert study.model == "g2++"
    for name in MODELS:
        own = study.of(name)
        assert set(own.days["model"]) == {name}
        assert len(own.fitted) == len(market)
        fits = cs.calibrate_many(market.days, model=name)
        np.testing.assert_allclose(own.estimates.to_numpy(), fits.parameters, rtol=1e-9)
        assert tuple(own.estimates.columns) == fits.problems[0].specs.names
        counts = own.directions.groupby("date").size()
        assert (counts == len(own.specs.names)).all()
        assert own.settings.calibration.model == name


def test_one_model_is_what_it_is_alone(study, market, tmp_path):
    for name in MODELS[:2]:
        alone = cs.run_study(market, tmp_path / f"{name}.db", {"calibration": {"model": name}})
        for table in ("quotes", "parameters", "intervals", "influence", "rag"):
            pd.testing.assert_frame_equal(getattr(alone, table), getattr(study.of(name), table))


def test_a_second_run_computes_nothing_and_a_third_model_only_itself(market, tmp_path):
    few, path = market.between("2020-03-16", "2020-03-18"), tmp_path / "study.db"
    cs.run_study(few, path)
    both = cs.run_study(few, path, {"calibration": {"model": ["g2++", "hull-white"]}})
    assert both.runs["days_computed"].tolist() == [3, 3]
    assert both.runs["days_kept"].tolist() == [0, 3]
    again = cs.run_study(few, path, {"calibration": {"model": "hull-white"}})
    assert again.runs["days_computed"].tolist()[-1] == 0
    assert again.superseded.empty
    assert again.of("hull-white").superseded.empty
    bounded = {"model": ["g2++", "hull-white"], "bounds": {"a_x": [0.1, 1.0]}}
    changed = cs.run_study(few, path, {"calibration": bounded})
    assert changed.runs["days_computed"].tolist()[-1] == 3  # of G2++ alone
    assert len(changed.superseded) == 3
    assert changed.of("hull-white").superseded.empty
    effective = json.loads(changed.runs["effective_settings"].iloc[-1])["calibration"]["bounds"]
    assert effective["g2++"]["a_x"] == [0.1, 1.0]
    assert set(effective["hull-white"]) == {"a", "sigma"}


def test_models_are_compared_on_the_same_days(study, market):
    table = statistics.model_comparison(study).set_index("model")
    assert list(table.index) == list(MODELS)
    assert table["parameters"].tolist() == [5, 2, 2]
    for name, row in table.iterrows():
        own = study.of(name)
        assert row["days"] == len(market)
        assert row["rmsre_median"] == own.fitted["rmsre"].median()
        rag = own.rag[own.rag["date"].isin(own.fitted["date"])]["rag"]
        assert row["red"] == (rag == "red").mean()
        assert row["green"] + row["amber"] + row["red"] == pytest.approx(1)
        assert row["ranges"] == min(SAMPLE, len(market))
    ranges = statistics.near_optimal_ranges(study)
    assert ranges["date"].max() == pd.Timestamp(market.dates[-1])
    last = ranges[(ranges["date"] == ranges["date"].max()) & (ranges["model"] == "g2++")]
    fit = cs.calibrate(market.days[-1])
    found = near_optimal(fit.problem, fit.parameters)
    np.testing.assert_allclose(last["low"], found.low, rtol=1e-9)
    np.testing.assert_allclose(last["high"], found.high, rtol=1e-9)
    assert last["parameter"].tolist() == list(fit.problem.specs.names)
    assert len(statistics.days_by_model(study)) == 3 * len(study.days)


def test_the_second_factor_is_judged_by_the_f_statistic(study, market):
    (row,) = statistics.nested_models(study).to_dict("records")
    assert (row["smaller"], row["larger"]) == ("hull-white", "g2++")
    statistic = []
    for day in market:
        one, two = (cs.calibrate(day, model=name).objective for name in ("hull-white", "g2++"))
        m = len(day.prices)
        statistic.append(((one - two) / 3) / (two / (m - 5)))
    assert row["f_median"] == pytest.approx(np.median(statistic), rel=1e-6)
    limit = [f_distribution.ppf(0.95, 3, len(day.prices) - 5) for day in market]
    assert row["supported"] == np.mean(np.array(statistic) > limit)


def test_a_market_of_one_factor_does_not_support_a_second(tmp_path):
    truth = cs.HullWhite(a=0.05, sigma=0.009)
    days, chance = cs.demo_market().days[:60], np.random.default_rng(5)
    quoted = []
    for day in days:
        noise = 1 + 0.003 * chance.standard_normal(len(day.prices))
        arrays = {"curve": day.curve, "maturities": day.maturities, "strikes": day.strikes}
        quoted.append(
            cs.MarketDay.from_arrays(**arrays, prices=truth.prices(day) * noise, date=day.date)
        )
    market = cs.Market(tuple(quoted), name="one factor", is_synthetic=True)
    both = cs.run_study(market, tmp_path / "s.db", {"calibration": {"model": list(MODELS[:2])}})
    (row,) = statistics.nested_models(both).to_dict("records")
    assert row["days"] == 60
    assert row["supported"] < 0.35  # 5 % if the three further parameters meant anything under it
    comparison = statistics.model_comparison(both).set_index("model")
    assert comparison.loc["hull-white", "pinned"] == 2
    assert comparison.loc["g2++", "pinned"] < 5


@pytest.mark.parametrize("name", ["hull-white", "ho-lee"])
def test_report_export_and_page_of_another_model(study, name, tmp_path):
    own = study.of(name)
    cs.write_report(own, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    title = registry.model_named(name).title
    assert f"{title} calibrated to" in text
    assert "Models side by side" in text
    assert (
        "a_x" not in re.sub(r"(?s)<section id=.models.*?</section>", "", text).split("Formulas")[0]
    )
    cs.export(own, tmp_path / "tables", format="csv")
    days = pd.read_csv(tmp_path / "tables" / "days.csv")
    assert len(days) == len(own.days)
    names = set(pd.read_csv(tmp_path / "tables" / "parameters.csv")["parameter"])
    assert names == set(own.specs.names)
    assert (tmp_path / "tables" / "model_comparison.csv").exists()
    cs.export(own, tmp_path / "book.xlsx")


@pytest.mark.parametrize("models", [["ho-lee"], ["g2++", "ho-lee"]])
def test_without_its_package_a_model_is_missed_by_name(models, market, tmp_path, monkeypatch):
    path = tmp_path / "study.db"
    cs.run_study(
        market.between("2020-03-16", "2020-03-17"), path, {"calibration": {"model": models}}
    )
    monkeypatch.delitem(registry._REGISTERED, "ho-lee")
    for command in (["report", "-o", str(tmp_path / "r.html")], ["serve", "--model", "ho-lee"],
                    ["export", "--csv", str(tmp_path / "tables")]):  # fmt: skip
        if models[0] == "g2++" and command[0] != "serve":
            continue
        result = CliRunner().invoke(main, [command[0], str(path), *command[1:]])
        assert result.exit_code == 1
        assert isinstance(result.exception, SystemExit)
        assert "has results of the model ho-lee, which is not known here" in result.stderr
        assert "install the package that announces it (entry point calibscope.models)" in (
            " ".join(result.stderr.split())
        )
    if models[0] == "g2++":  # the others are as they were
        cs.write_report(cs.open_study(path), tmp_path / "r.html")
        assert "ho-lee" in (tmp_path / "r.html").read_text(encoding="utf-8")
        cs.export(cs.open_study(path), tmp_path / "tables", format="csv")


def test_the_live_page_shows_any_of_the_models(study):
    app = make_app(study.path, model="ho-lee")
    assert app.server.test_client().get("/").status_code == 200
    source = Source(study.path, "ho-lee")
    plain = state_of_link("?date=2020-03-18")
    assert source.study(plain).model == "ho-lee"
    moved = state_of_link("?date=2020-03-18&model=hull-white&move=10Y:1&bounds=sigma:0.001:0.5")
    found = source.what_if(moved)
    assert type(found.after.parameters) is cs.HullWhite
    assert found.after.rmsre != found.before.rmsre
    assert (
        chosen(source, moved, "model", "g2++").link == "?date=2020-03-18&model=g2%2B%2B&move=10Y:1"
    )
    with pytest.raises(LinkError, match="'a_x' is not a parameter; choose from a, sigma"):
        source.study(state_of_link("?model=hull-white&bounds=a_x:0:1"))
    with pytest.raises(cs.StoreError, match=r"no results of the model 'vasicek'; choose from"):
        source.study(state_of_link("?model=vasicek"))
    for view in ("overview", "influence", "uncertainty", "dates"):
        answer = app.server.test_client().get(f"/day.html?date=2020-03-18&model=ho-lee&view={view}")
        assert answer.status_code == 200
        assert "fading" in answer.get_data(as_text=True)


def test_the_command_takes_several_models(tmp_path):
    store = str(tmp_path / "study.db")
    models = ["--model", "g2++", "--model", "hull-white"]
    result = CliRunner().invoke(main, ["run", *FILES, "--store", store, *models, "--full"])
    assert result.exit_code == 0, result.output
    assert "The market supports G2++ against Hull-White on 100 % of 52 days" in result.output
    assert "Computed 104 fits of 2 models" in result.output
    result = CliRunner().invoke(main, ["report", store, "--model", "hull-whit", "-o", "r.html"])
    assert result.exit_code == 1
    assert "no results of the model 'hull-whit'" in result.output
    assert "did you mean 'hull-white'" in result.output
    result = CliRunner().invoke(main, ["run", *FILES, "--store", store, "--model", "g3"])
    assert result.exit_code == 1
    assert "model is 'g3'; choose from" in result.output


def test_a_study_outlives_its_model(study, tmp_path):
    path = tmp_path / "study.db"
    shutil.copy(study.path, path)
    code = (
        "import calibscope as cs, sys; study = cs.open_study(sys.argv[1], 'ho-lee'); "
        "print(len(study.days), len(study.rag), study.parameters['parameter'].nunique())\n"
        "try: study.specs\nexcept cs.StoreError as error: print(error)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True,
        env=os.environ,
    ).stdout.splitlines()  # fmt: skip
    assert found[0] == f"{len(study.days)} {len(study.days)} 2"
    assert "has results of the model ho-lee, which is not known here; install" in found[1]
