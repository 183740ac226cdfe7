"""The figures and tables of the paper, from a study of the demo market with its preset.

Some months of 2020, 2022 and 2024 around the paper's reference dates, every tenth day: BOBYQA
takes a hundred times as long as the global search.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

import calibscope as cs
from calibscope.report.figures.edof_over_time import edof_over_time
from calibscope.report.figures.fan_chart import fan_chart
from calibscope.report.figures.influence_by_maturity import influence_by_maturity
from calibscope.report.figures.leverage_by_maturity import leverage_by_maturity
from calibscope.report.figures.parameter_biplot import parameter_biplot
from calibscope.report.figures.parameter_biplot_by_year import parameter_biplot_by_year
from calibscope.report.figures.rmsre_over_time import rmsre_over_time
from calibscope.study import statistics

DATES = ("2020-03-18", "2022-07-21", "2024-06-06")
SPANS = (("2020-02-20", "2020-04-15"), ("2022-07-01", "2022-08-15"), ("2024-05-15", "2024-06-28"))


@pytest.fixture(scope="module")
def market():
    whole = cs.demo_market(preset="paper")
    days = {
        day.date: day
        for first, last in SPANS
        for place, day in enumerate(whole.between(first, last))
        if place % 10 == 0 or day.date.isoformat() in DATES
    }
    return replace(whole, days=tuple(days.values()), dropped=(), warnings=())


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("paper") / "study.db", preset="paper")


def test_the_study_is_the_papers(study, market):
    chosen = study.settings
    assert (chosen.calibration.solver, chosen.calibration.order) == ("bobyqa", "solver")
    assert (chosen.diagnosis.mode, chosen.diagnosis.scale) == ("full", "mad")
    assert set(study.days["solver"]) == {"bobyqa"}
    (run,) = study.runs["effective_settings"]
    assert '"interpolation": "paper"' in run
    assert len(study.fitted) == len(market)
    fits = cs.calibrate_many(market.days[:3], preset="paper")
    assert study.estimates.to_numpy()[:3] == pytest.approx(fits.parameters, rel=1e-12)
    diagnoses = cs.diagnose_many(fits, preset="paper")
    assert study.days["edof"].to_list()[:3] == diagnoses.of_all("edof").tolist()


def test_a_second_run_finds_everything_and_other_settings_do_not(study, market):
    tallies = []
    cs.run_study(market, study.path, preset="paper", progress=tallies.append)
    assert tallies[-1].done == 0
    assert tallies[-1].kept == len(market)
    usual = cs.StudySettings()
    assert study.settings.results_hash != usual.results_hash
    assert set(study.days["settings_hash"]) == {study.settings.results_hash}


def test_every_parameter_has_an_interval_on_every_day(study):
    intervals = study.intervals
    assert intervals["low"].notna().all()
    assert (study.parameters["at_bound"] != 0).any()
    edges = intervals[intervals["parameter"] == "rho_xy"].merge(
        study.parameters[study.parameters["at_bound"] == -1], on=["date", "parameter"]
    )
    assert len(edges)
    assert (edges["low"] == -1.0).all()
    assert set(edges["high"]) <= {-1.0, 1.0}


def test_table_of_three_reference_cases(study):
    """The paper's table: RMSRE, EDoF, largest leverage and influence with their quotes."""
    table = statistics.reference_dates(study)
    assert [str(date)[:10] for date in table["date"]] == list(DATES)
    for name in ("rmsre", "edof", "largest_leverage", "largest_influence"):
        assert np.isfinite(table[name].astype(float)).all()
    assert table["largest_leverage_at"].str.endswith("Y").all()


def test_figures_of_fit_leverage_influence_and_edof(study):
    days = len(study.fitted)
    for figure in (
        rmsre_over_time(study),
        leverage_by_maturity(study),
        influence_by_maturity(study),
        edof_over_time(study),
        parameter_biplot(study),
        parameter_biplot_by_year(study),
    ):
        assert figure.layout.title.text.endswith("?") or "?" in figure.layout.title.text
        assert figure.data
    assert len(study.quotes) == 13 * days
    traces = study.quotes.groupby("date")["leverage"].sum()
    assert traces.to_numpy() == pytest.approx(study.days["edof"].to_numpy(float), abs=1e-9)
    assert (study.days["edof"] % 1 == 0).all()
    assert study.days["edof"].mode()[0] == 5
    assert (study.days["edof_tikhonov"] % 1 != 0).any()
    assert len(statistics.leverage_by_maturity(study)) == 13
    assert statistics.active_constraints(study) is not None
    assert len(statistics.gauss_newton_adequacy(study))


def bands(figure):
    """Lower and upper ends of the widest bands, as they are drawn."""
    lines = [trace for trace in figure.data if trace.name == "95% interval" or "95" in trace.name]
    return [np.asarray(trace.y, float) for trace in lines[:2]]


def note(figure):
    """All its words, on one line."""
    return re.sub(r"(<br>|\s)+", " ", figure.to_json().encode().decode("unicode_escape"))


def test_fan_charts_have_no_gaps(study):
    """The paper's fan charts, robust and classical; unless somebody asks for gaps."""
    figure = fan_chart(study, "a_y", scales=("mad", "mse"))
    low, high = bands(figure)
    frame = study.intervals.query("parameter == 'a_y' and scale == 'mad' and level == 0.95")
    drawn = np.unique(low)
    assert [np.abs(drawn / end - 1).min() < 1e-3 for end in frame["low"]] == [True] * len(frame)
    assert (low <= high).all()
    names = {trace.name for trace in figure.data if len(trace.x if trace.x is not None else [])}
    assert not names & {"held by a bound", "not identified or collapsed", "no interval"}
    correlation = fan_chart(study, "rho_xy", scales=("mad",))
    assert "also where it misleads: held by a bound" in note(correlation)
    gaps = fan_chart(study, "rho_xy", scales=("mad",), has_gaps=True)
    assert "No band on" in note(gaps)
