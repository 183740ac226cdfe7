"""What is stored is what calibration and diagnosis say, and only what is new is computed."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.cli import main
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.settings import MODES
from calibscope.market.maturity import label
from calibscope.study import engines, results, run
from calibscope.study.run import run_study
from faults import rows

EXAMPLES = Path(__file__).parents[2] / "examples"


def with_price_moved(market, date, factor=1.001):
    days = [
        replace(day, prices=day.prices * factor) if str(day.date) == date else day for day in market
    ]
    return replace(market, days=tuple(days))


def computed(path):
    return int(cs.open_study(path).runs["days_computed"].iloc[-1])


def test_days_hold_what_fit_and_diagnosis_say(market, study):
    fits = cs.calibrate_many(market)
    for place in (0, 20):
        fit, dx = fits[place], cs.diagnose(fits[place])
        row = study.fitted.iloc[place]
        assert row["date"].date() == fit.problem.day.date
        assert row["status"] == fit.status.name
        assert row["summary"] == dx.summary
        assert row["edof"] == dx.effective_degrees.full
        assert row["edof_strict"] == dx.effective_degrees.strict
        assert row["lost_directions"] == 5 - dx.effective_degrees.full
        assert [name for name in MEANINGS if row[name]] == list(dx.flags.raised)
        for name in ("condition_number", "scale_mse", "scale_mad_adjusted", "gauss_newton_error"):
            assert row[name] == pytest.approx(getattr(dx, name), rel=1e-12)
        assert row["rmsre"] == pytest.approx(fit.rmsre, rel=1e-12)
        worst = np.abs(fit.residuals).argmax()
        assert row["largest_residual"] == pytest.approx(fit.residuals[worst], rel=1e-9)
        assert row["largest_residual_at"] == label(fit.problem.day.maturities[worst])


def test_quotes_parameters_intervals_and_influence(market, study):
    date = str(market.dates[7])
    fit = cs.calibrate(market.day(date))
    own, full, strict = (cs.diagnose(fit, mode) for mode in MODES)
    assert own.is_held.any()
    quotes = study.quotes[study.quotes["date"] == date]
    assert quotes["maturity"].tolist() == fit.problem.day.maturities.tolist()
    np.testing.assert_allclose(quotes["model_price"], fit.prices, rtol=1e-12)
    np.testing.assert_allclose(quotes["residual"], fit.residuals, atol=1e-13)
    np.testing.assert_allclose(quotes["leverage"], full.leverage, rtol=1e-11)
    np.testing.assert_allclose(quotes["leverage_strict"], strict.leverage, rtol=1e-11)
    np.testing.assert_allclose(quotes["cooks_distance"], own.cooks_distance, rtol=1e-9)
    assert study.estimates.loc[date].to_list() == fit.parameters.values.tolist()
    one = study.intervals[study.intervals["date"] == date]
    assert len(one) == 5 * 3 * 3
    chosen = one[(one["scale"] == "mad") & (one["level"] == 0.75)].set_index("parameter")
    interval = own.intervals(0.75, "mad", method="delta")
    for p, name in enumerate(("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")):
        assert chosen.loc[name, "low"] == pytest.approx(interval.low[p], nan_ok=True, rel=1e-9)
        assert chosen.loc[name, "is_cut_high"] == interval.is_cut_high[p]
    influence = study.influence[study.influence["date"] == date]
    found = influence.pivot(index="maturity", columns="parameter", values="influence")
    np.testing.assert_allclose(found["sigma_y"], own.influence[:, 3], rtol=1e-9)


def test_dropped_days_are_rows_with_their_reason(market, study):
    dropped = study.days[study.days["status"] == "DROPPED"]
    assert {date.date() for date in dropped["date"]} == {item.date for item in market.dropped}
    assert dropped["reason"].str.contains("missing|there is no").all()
    assert dropped["rmsre"].isna().all()
    assert len(study.fitted) == len(market)


def test_running_again_computes_nothing(market, tmp_path):
    store = tmp_path / "s.db"
    run_study(market, store)
    before = rows(store)
    again = run_study(market, store)
    assert rows(store) == before
    assert again.runs["days_computed"].tolist()[1] == 0
    assert again.runs["days_kept"].tolist()[1] == len(again.days)


def test_tomorrow_is_appended(market, tmp_path):
    store = tmp_path / "s.db"
    run_study(replace(market, days=market.days[:-1]), store)
    run_study(market, store)
    assert computed(store) == 1
    run_study(replace(market, days=market.days[-1:], dropped=()), store)  # a file of one day
    assert computed(store) == 0
    assert len(cs.open_study(store).fitted) == len(market)


def test_a_changed_day_is_computed_anew_and_the_former_kept(market, tmp_path):
    store, date = tmp_path / "s.db", str(market.dates[3])
    first = run_study(market, store).fitted.iloc[3]
    study = run_study(with_price_moved(market, date), store)
    assert computed(store) == 1
    assert len(study.fitted) == len(market)
    (old,) = study.superseded.to_dict("records")
    assert str(old["date"].date()) == date
    assert old["superseded_by"] == 2
    assert old["rmsre"] == first["rmsre"]
    assert study.fitted.iloc[3]["data_hash"] != old["data_hash"]
    assert len(study.quotes) == 13 * len(market)  # the former quotes are not mixed in


def test_other_settings_compute_anew_but_governance_does_not(market, tmp_path):
    store = tmp_path / "s.db"
    some = replace(market, days=market.days[:5], dropped=())
    run_study(some, store)
    run_study(some, store, {"governance": {"limits": {"rmsre": {"red": 1e-5}}}})
    assert computed(store) == 0
    assert set(cs.open_study(store).rag["rag"]) == {"red"}
    study = run_study(some, store, {"diagnosis": {"levels": [0.9]}})
    assert computed(store) == 5
    assert len(study.superseded) == 5
    assert set(study.intervals["level"]) == {0.9}


def test_bounds_and_mode_of_the_settings_are_used(market, tmp_path):
    some = replace(market, days=market.days[:3], dropped=())
    settings = {
        "calibration": {"bounds": {"rho_xy": [-0.9, 0.9]}, "solver": "lm"},
        "diagnosis": {"mode": "strict"},
    }
    study = run_study(some, tmp_path / "s.db", settings)
    fit = cs.calibrate(some.days[1], "lm", bounds={"rho_xy": (-0.9, 0.9)})
    dx = cs.diagnose(fit, "strict")
    assert study.estimates.iloc[1].to_list() == fit.parameters.values.tolist()
    assert study.fitted["summary"].iloc[1] == dx.summary
    errors = study.parameters[study.parameters["date"] == str(some.dates[1])]["se_mse"]
    order = ["a_x", "a_y", "rho_xy", "sigma_x", "sigma_y"]
    wanted = dict(zip(order, np.take(dx.standard_errors("mse"), [0, 1, 4, 2, 3]), strict=True))
    np.testing.assert_allclose(errors, list(wanted.values()), rtol=1e-9)
    full = cs.diagnose(fit, "full")
    quotes = study.quotes[study.quotes["date"] == str(some.dates[1])]
    np.testing.assert_allclose(quotes["leverage"], full.leverage, rtol=1e-11)


def test_optima_where_asked_for(market, tmp_path):
    some = replace(market, days=market.days[:2], dropped=())
    study = run_study(some, tmp_path / "s.db", {"calibration": {"optima": True}})
    best = study.optima[study.optima["rank"] == 0]
    assert len(best) == 2
    np.testing.assert_allclose(best["rmsre"], study.fitted["rmsre"], rtol=1e-6)
    assert run_study(some, tmp_path / "t.db").optima.empty


def test_chunks_change_nothing(market, tmp_path, monkeypatch, study):
    for chunk in (1, 7):
        monkeypatch.setattr(run, "CHUNK", chunk)
        run_study(market, tmp_path / f"{chunk}.db")
        assert rows(tmp_path / f"{chunk}.db") == rows(study.path)


def test_a_day_that_cannot_be_computed_is_a_row_and_the_others_go_on(market, tmp_path, monkeypatch):
    some = replace(market, days=market.days[:6], dropped=())
    genuine = results.calibrate_many

    def broken(days, **arguments):
        if some.days[2] in list(days):
            raise FloatingPointError("no number")
        return genuine(days, **arguments)

    monkeypatch.setattr(results, "calibrate_many", broken)
    study = run_study(some, tmp_path / "s.db")
    assert study.days["status"].tolist().count("FAILED") == 1
    assert study.days["reason"].iloc[2] == "FloatingPointError: no number"
    assert study.runs["days_failed"].iloc[0] == 1
    assert len(study.fitted) == 5
    assert study.rag["rag"].iloc[2] == "grey"
    monkeypatch.setattr(results, "calibrate_many", genuine)  # what failed is tried again
    assert len(run_study(some, tmp_path / "s.db").fitted) == 6
    assert computed(tmp_path / "s.db") == 1


def test_the_audit_trail_says_what_was_run(market, tmp_path):
    file = tmp_path / "caps.csv"
    file.write_text("quotes")
    some = replace(market, days=market.days[:2], dropped=())
    study = run_study(some, tmp_path / "s.db", inputs=[file])
    row = study.runs.iloc[0]
    assert row["market_hash"] == some.fingerprint
    assert json.loads(row["inputs"])[str(file)].startswith("37a64828")  # sha256sum says so
    assert json.loads(row["settings"])["calibration"]["solver"] == "global"
    assert json.loads(row["software"])["calibscope"] == cs.__version__
    assert row["outcome"] == "complete"
    assert row["is_synthetic"]
    assert row["finished"] > row["started"]


def test_an_interrupted_run_keeps_what_it_has(market, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CHUNK", 8)

    def stop(tally):
        if tally.done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(market, tmp_path / "s.db", progress=stop)
    study = cs.open_study(tmp_path / "s.db")
    assert 16 <= len(study.days) < len(market)
    assert study.runs["outcome"].iloc[0] == "stopped by KeyboardInterrupt"
    run_study(market, tmp_path / "s.db")
    every = cs.open_study(tmp_path / "s.db").days
    assert computed(tmp_path / "s.db") == len(every) - len(study.days) > 0
    assert len(cs.open_study(tmp_path / "s.db").fitted) == len(market)


def test_warnings_of_the_checks_are_kept(tmp_path):
    market = cs.demo_market()
    warned = next(item for item in market.warnings if item.date in market.dates)
    one = market.between(warned.date, warned.date)
    study = run_study(one, tmp_path / "s.db")
    assert warned.message in study.days["warnings"].iloc[0]


def test_progress_counts_days_and_lights(market, tmp_path):
    seen = []
    study = run_study(
        market, tmp_path / "s.db", progress=lambda tally: seen.append((tally.done, tally.total))
    )
    assert seen[0] == (0, len(study.days))
    assert seen[-1] == (len(study.days), len(study.days))


def test_days_without_kernels_or_cluster_are_no_excuse():
    with pytest.raises(engines.EngineError, match="no Dask scheduler answers"):
        list(engines.Cluster("tcp://127.0.0.1:1").results([], None))
    with pytest.raises(engines.EngineError, match="not an address of a scheduler"):
        list(engines.Cluster("nonsense").results([], None))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"calibration": {"bounds": {"sigma_x": [1, 0.1]}}}, "bounds of sigma_x are"),
        ({"calibration": {"fixed": {"rho_xy": -7}}}, "bounds of rho_xy are"),
        ({"calibration": {"weights": {"10Y": 1, "20Y": 3}}}, "name every quote or maturity"),
        ({"calibration": {"weights": {"10Y": -1}}}, "at least 0"),
        ({"calibration": {"weights": "rmsr"}}, "'rmsr' is not a weighting; .*did you mean 'rmsre'"),
        ({"calibration": {"bounds": 3}}, "write one by one"),
        ({"calibration": {"bounds": {"a_x": [1]}}}, "numbers are missing"),
        ({"diagnosis": {"cooks_distance": float("inf")}}, "use a finite number"),
        ({"diagnosis": {"rank_tolerance": -1}}, "at least 0"),
        ({"diagnosis": {"levels": []}}, "give at least one"),
        ({"diagnosis": {"levels": [1.5]}}, "below 1"),
        ({"governance": {"limits": 3}}, "write one by one"),
        ({"governance": {"limits": {"edof": {"red": 4}}}}, "there is no 'edof'"),
    ],
)
def test_a_mistake_in_the_settings_touches_no_result(market, tmp_path, settings, message):
    store, some = tmp_path / "s.db", replace(market, days=market.days[:2], dropped=())
    run_study(some, store)
    before = rows(store)
    with pytest.raises(cs.SettingsError, match=message):
        run_study(some, store, settings)
    assert rows(store) == before
    assert len(cs.open_study(store).runs) == 1


def test_levels_are_kept_once(market, tmp_path):
    some = replace(market, days=market.days[:1], dropped=())
    study = run_study(some, tmp_path / "s.db", {"diagnosis": {"levels": [0.95, 0.5, 0.95]}})
    assert sorted(study.intervals["level"].unique()) == [0.5, 0.95]


def test_what_is_no_market_is_refused(market, tmp_path):
    with pytest.raises(TypeError, match="expected a Market, got a tuple"):
        run_study(market.days, tmp_path / "s.db")
    with pytest.raises(ValueError, match="threads is 0; use at least one"):
        run_study(market, tmp_path / "s.db", threads=0)
    assert not list(tmp_path.iterdir())


def test_an_empty_store_is_a_study_without_days(tmp_path):
    empty = replace(cs.demo_market(), days=(), dropped=())
    study = run_study(empty, tmp_path / "s.db")
    assert "no days" in repr(study)
    assert study.quotes.empty
    assert study.rag.empty


def test_the_store_is_one_file_when_a_run_is_over(market, tmp_path):
    run_study(replace(market, days=market.days[:2]), tmp_path / "s.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.db", "s.db-writer"]
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_run_in_which_every_day_fails_is_not_complete(market, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError("no kernels today")

    monkeypatch.setattr(results, "calibrate_many", broken)
    tallies = []
    study = run_study(market, tmp_path / "s.db", progress=tallies.append)
    said = "failed: no day could be calibrated (OSError: no kernels today)"
    assert study.runs["outcome"].iloc[-1] == said
    assert f"UTC, {said} at" in study.unfinished_run
    assert tallies[-1].is_failed
    files = [str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv")]
    result = CliRunner().invoke(main, ["run", *files, "--store", str(tmp_path / "e.db"), "-q"])
    assert result.exit_code == 1
    assert "no day could be calibrated: OSError: no kernels today" in result.output
