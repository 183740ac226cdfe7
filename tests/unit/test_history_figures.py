"""Figures of a history: their data against plain computations on the study's tables."""

import datetime
import importlib
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import calibscope as cs
from calibscope.models.g2.parameters import PARAMETERS
from calibscope.report.figures.active_bounds_over_time import active_bounds_over_time
from calibscope.report.figures.edof_over_time import edof_over_time
from calibscope.report.figures.fan_chart import BOUND, LOST, fan_chart, interval_kinds
from calibscope.report.figures.free_place import DISTANCES, HALF_HEIGHT, free_place
from calibscope.report.figures.influence_by_maturity import influence_by_maturity
from calibscope.report.figures.leverage_by_maturity import leverage_by_maturity
from calibscope.report.figures.leverage_heat_map import leverage_heat_map
from calibscope.report.figures.marks import marks_of, over_time, share_of
from calibscope.report.figures.markup import plain
from calibscope.report.figures.parameter_biplot import parameter_biplot
from calibscope.report.figures.parameter_biplot_by_year import parameter_biplot_by_year
from calibscope.report.figures.parameter_paths import parameter_paths
from calibscope.report.figures.rag_calendar import RAGS, rag_calendar
from calibscope.report.figures.residual_correlations import residual_correlations
from calibscope.report.figures.residual_heat_map import residual_heat_map
from calibscope.report.figures.rmsre_over_time import rmsre_over_time
from calibscope.report.figures.style import wrapped
from calibscope.study.settings import StudySettings

HIKE = pd.Timestamp("2022-07-21")
FIGURES = {
    "rmsre_over_time": {},
    "leverage_by_maturity": {"strict": True},
    "influence_by_maturity": {},
    "edof_over_time": {},
    "active_bounds_over_time": {},
    "parameter_biplot": {"coordinates": "scaled"},
    "parameter_biplot_by_year": {},
    "fan_chart": {"parameter": "sigma_x"},
    "leverage_heat_map": {"strict": True},
    "residual_heat_map": {},
    "residual_correlations": {},
    "parameter_paths": {},
    "rag_calendar": {},
}
OVER_TIME = {
    "rmsre_over_time", "edof_over_time", "active_bounds_over_time", "fan_chart",
    "leverage_heat_map", "residual_heat_map", "parameter_paths",
}  # fmt: skip
SINGLE = 1e-6  # figures have float32, which keeps seven digits


def drawn(name, study):
    module = importlib.import_module(f"calibscope.report.figures.{name}")
    return getattr(module, name)(study, **FIGURES[name])


@pytest.fixture(scope="module")
def market():
    """The ECB's hike, active bounds, lost rank, and a day without data two days before."""
    return cs.demo_market().between("2022-04-11", "2022-08-05")


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    found = cs.run_study(market, tmp_path_factory.mktemp("study") / "s.db")
    assert found.days["rmsre"].isna().any()
    assert HIKE in set(found.fitted["date"])
    return found


@pytest.fixture(scope="module")
def small(market, tmp_path_factory):
    """By name: one day, days with other maturities, no day with results; no reference date."""
    day, second = market.days[:2]
    kept = np.isin(second.maturities, [4.0, 10.0, 30.0])
    other = cs.MarketDay.from_arrays(
        curve=second.curve, maturities=second.maturities[kept], prices=second.prices[kept],
        strikes=second.strikes[kept], date=second.date,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("small")
    markets = {
        "one": replace(market, days=(day,), dropped=()),
        "mixed": replace(market, days=(day, other), dropped=()),
        "lost": replace(market, days=(), dropped=market.dropped[:1]),
        "real": replace(market, days=(day,), dropped=(), is_synthetic=False),
    }
    return {name: cs.run_study(own, folder / f"{name}.db") for name, own in markets.items()}


def traces(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def trace(figure, name):
    (found,) = traces(figure, name)
    return found


def texts(dates):
    return [str(date.date()) for date in dates]


# What holds for every figure


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_asks_and_describes(name, study):
    figure = drawn(name, study)
    assert isinstance(figure, go.Figure)
    assert figure.layout.title.text.endswith("?")
    assert "SYNTHETIC" in figure.layout.title.subtitle.text
    alt = figure.layout.meta["alt"]
    assert alt.startswith("Synthetic market.")
    assert "<" not in alt
    assert any(sign.isdigit() for sign in alt)
    json.loads(figure.to_json())


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_marks_the_reference_date(name, study):
    figure = drawn(name, study)
    (mark,) = [mark for mark in marks_of(study) if mark.date == HIKE]
    if name in OVER_TIME:
        (line,) = [shape for shape in figure.layout.shapes if shape.line.dash == "dot"]
        assert (line.x0, line.x1, line.line.color) == ("2022-07-21", "2022-07-21", mark.colour)
        labels = [note.text for note in figure.layout.annotations if mark.event in note.text]
        assert labels == [mark.label]
    heat_maps = {"leverage_heat_map", "residual_heat_map", "residual_correlations"}
    if name not in {"active_bounds_over_time", *heat_maps}:
        symbols = [one for one in figure.data if one.name and one.name.startswith(mark.event)]
        assert symbols
        for symbol in symbols:
            look = symbol.marker
            assert (look.symbol, look.color) == (mark.symbol, mark.colour)


def test_names_of_close_reference_dates_stand_at_two_heights():
    days = pd.DataFrame({"date": pd.date_range("2016-09-01", "2025-06-01")})
    settings = StudySettings()
    figure = go.Figure()
    over_time(figure, SimpleNamespace(days=days, settings=settings))
    # COVID to hike and hike to cut are less than a third of the axis.
    assert [label.showarrow for label in figure.layout.annotations] == [False, True, False]
    assert figure.layout.xaxis.dtick is None  # Plotly leaves out years on a narrow page
    far = go.Figure()
    over_time(far, SimpleNamespace(days=days[days["date"] < "2022-07-01"], settings=settings))
    assert [label.showarrow for label in far.layout.annotations] == [False]


@pytest.mark.parametrize("kind", ["one", "mixed", "lost", "real"])
@pytest.mark.parametrize("name", FIGURES)
def test_small_studies(name, kind, small):
    figure = drawn(name, small[kind])
    assert figure.layout.title.text.endswith("?")
    assert ("SYNTHETIC" in figure.layout.title.subtitle.text) == (kind != "real")
    assert ("Synthetic" in figure.layout.meta["alt"]) == (kind != "real")
    assert not any(shape.line.dash == "dot" for shape in figure.layout.shapes)


# One by one


def test_rmsre(study):
    figure = rmsre_over_time(study)
    line = trace(figure, "RMSRE of the day")
    assert list(line.x) == texts(study.days["date"])
    np.testing.assert_allclose(line.y, 100 * study.days["rmsre"], rtol=SINGLE)
    median = trace(figure, "median of the year")
    assert median.y[0] == pytest.approx(100 * np.median(study.fitted["rmsre"]))
    lost = study.days[study.days["rmsre"].isna()]
    assert list(trace(figure, "no results").x) == texts(lost["date"])
    symbol = trace(figure, "ECB hike")
    assert symbol.y[0] == pytest.approx(
        100 * study.days.set_index("date")["rmsre"][HIKE], rel=SINGLE
    )
    spread = study.fitted["rmsre"].max() / study.fitted["rmsre"].min()
    assert (figure.layout.yaxis.type == "log") == (spread > 10)


@pytest.mark.parametrize("strict", [False, True])
def test_leverage_violins(strict, study):
    figure = leverage_by_maturity(study, strict=strict)
    column = "leverage_strict" if strict else "leverage"
    for i, (years, own) in enumerate(study.quotes.groupby("maturity")):
        violin = trace(figure, f"{years:g}Y")
        assert violin.x0 == i
        np.testing.assert_allclose(violin.y, own[column], rtol=SINGLE)
    quotes = study.quotes[study.quotes["date"] == HIKE]
    np.testing.assert_allclose(trace(figure, "ECB hike, 2022-07-21").y, quotes[column], rtol=SINGLE)
    assert list(figure.layout.xaxis.ticktext) == [f"{y:g}Y" for y in quotes["maturity"]]


def test_influence_violins_are_of_logarithms(study):
    figure = influence_by_maturity(study)
    for years, own in study.quotes.groupby("maturity"):
        scores = [math.log10(score) for score in own["influence_score"] if score > 0]
        np.testing.assert_allclose(trace(figure, f"{years:g}Y").y, scores, rtol=SINGLE)
    axis = figure.layout.yaxis
    assert dict(zip(axis.tickvals, axis.ticktext, strict=True))[0] == "1"


def test_edof(study):
    figure = edof_over_time(study)
    rank, tikhonov = (one for one in figure.data if one.name is None)
    np.testing.assert_array_equal(rank.y, study.fitted["edof"])
    np.testing.assert_allclose(tikhonov.y, study.fitted["edof_tikhonov"], rtol=SINGLE)
    assert list(rank.x) == list(tikhonov.x) == texts(study.fitted["date"])
    shares = {note.y: note.text for note in figure.layout.annotations if note.xref == "paper"}
    for level in set(study.fitted["edof"]):
        assert shares[level] == share_of(np.mean(study.fitted["edof"] == level), 1)


def test_active_bounds(study):
    figure = active_bounds_over_time(study)
    rows = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    drawn_days = {plain(one.name): list(one.x) for one in figure.data}
    held = study.estimates["rho_xy"] == -1
    assert held.any()
    assert drawn_days["rho_xy = -1"] == texts(study.estimates.index[held])
    held = study.estimates["sigma_x"] == 1
    assert held.any()
    assert drawn_days["sigma_x = 1"] == texts(study.estimates.index[held])
    assert "sigma_y = 1" not in drawn_days
    for one in figure.data:
        assert rows[one.y[0]] == one.name
    bounds = [one for one in figure.data if one.name != "no results"]
    counts = [len(one.x) for one in sorted(bounds, key=lambda one: one.y[0])]
    assert counts == sorted(counts)


def test_biplot(study):
    figure = parameter_biplot(study)
    values = study.estimates.to_numpy()
    Z = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    _, vectors = np.linalg.eigh(np.corrcoef(values.T))
    for axis, vector in (("x", vectors[:, -1]), ("y", vectors[:, -2])):
        expected = Z @ vector
        sign = np.sign(vector[np.abs(vector).argmax()])
        np.testing.assert_allclose(figure.data[0][axis], sign * expected, rtol=1e-4, atol=1e-5)
        tips = {note.name: note[axis] for note in figure.layout.annotations if note.name}
        lengths = np.array([tips[name] for name in PARAMETERS]) / (sign * vector)
        np.testing.assert_allclose(lengths, lengths[0], rtol=1e-6)
    labels = ", ".join(note.text for note in figure.layout.annotations if note.text)
    assert sorted(plain(labels).split(", ")) == sorted(PARAMETERS)


def test_labels_stand_where_they_cover_nothing():
    point, east = np.array([0.5, 0.5]), 0.0
    assert free_place(point, east, 14.0, np.empty((0, 2))) == (DISTANCES[0], 0.0)
    cloud = np.array([[x, 0.5] for x in np.linspace(0, 1, 200)])
    right, up = free_place(point, east, 14.0, cloud)
    assert abs(up) > HALF_HEIGHT
    assert math.hypot(right, up) == pytest.approx(DISTANCES[0])
    below = np.array([[x, y] for x in np.linspace(0, 1, 200) for y in np.linspace(0, 0.5, 50)])
    assert free_place(point, east, 14.0, below)[1] > HALF_HEIGHT


def test_biplot_by_year_splits_the_days(tmp_path):
    study = cs.run_study(cs.demo_market().between("2022-12-20", "2023-01-12"), tmp_path / "s.db")
    whole = parameter_biplot(study).data[0]
    figure = parameter_biplot_by_year(study)
    assert [note.text for note in figure.layout.annotations] == ["<b>2022</b>", "<b>2023</b>"]
    for background in traces(figure, "all days"):
        np.testing.assert_array_equal(background.x, whole.x)
    first, second = traces(figure, "days of the year")
    assert [*first.text, *second.text] == texts(study.fitted["date"])
    assert max(first.text) < "2023" < min(second.text)
    np.testing.assert_array_equal([*first.y, *second.y], whole.y)


@pytest.mark.parametrize("parameter", ["a_y", "rho_xy", "sigma_x"])
def test_fan_chart(parameter, study):
    figure = fan_chart(study, parameter, scales=("mse",))
    table = study.intervals[
        (study.intervals["parameter"] == parameter) & (study.intervals["scale"] == "mse")
    ]
    marks = study.parameters[study.parameters["parameter"] == parameter].set_index("date")
    is_misleading = (marks["at_bound"] != 0) | ~marks["is_identified"].astype(bool)
    collapsed = table[table["is_collapsed"].astype(bool)]["date"]
    is_misleading |= marks.index.isin(collapsed)
    assert is_misleading.any()
    assert not is_misleading.all()
    for level in (0.5, 0.75, 0.95):
        low, high = traces(figure, f"{100 * level:.0f} % interval")
        first = datetime.date.fromisoformat(low.x0)
        own = table[table["level"] == level].set_index("date")
        for date, is_thin in is_misleading.items():
            i = (date.date() - first).days
            if is_thin:
                assert low.y[i] == high.y[i]
            else:
                assert low.y[i] == pytest.approx(own["low"][date], rel=SINGLE)
                assert high.y[i] == pytest.approx(own["high"][date], rel=SINGLE)
    for date in study.days.loc[study.days["rmsre"].isna(), "date"]:
        i = (date.date() - first).days
        assert low.y[i] == high.y[i]
    ticks = [day for kind in (BOUND, LOST) for one in traces(figure, kind) for day in one.x]
    assert sorted(ticks) == texts(marks.index[is_misleading])
    for one in traces(figure, BOUND):
        at = study.estimates.loc[pd.to_datetime(list(one.x)), parameter]
        np.testing.assert_allclose(one.y, at, rtol=SINGLE)
    line = trace(figure, "estimate")
    assert line.mode == "markers"  # a line would draw values that no day has
    free = marks[marks["at_bound"] == 0]["estimate"]
    values = dict(zip(line.x, line.y, strict=True))
    for day, value in zip(texts(free.index), free, strict=True):
        assert values[day] == pytest.approx(value, rel=SINGLE)
    assert (figure.layout.yaxis.type == "log") == (parameter != "rho_xy")


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """A week of which three days are profiled; volatilities of 100 % fit, and are implausible."""
    from calibscope.study import refits

    path = tmp_path_factory.mktemp("profiled") / "s.db"
    week, calm = cs.demo_market().between("2022-05-09", "2022-05-18"), {"warnings": False}
    rules = {"governance": {"limits": {}, "amber": [], "screening": False, **calm}}
    rules["governance"]["limits"] = dict.fromkeys(limits_of(), False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refits, "LATEST", 3)
        return cs.run_study(week, path, rules, profiles="usual")


def limits_of():
    from calibscope.study.settings import StudySettings

    return StudySettings().governance.limits


@pytest.mark.parametrize("parameter", ["a_x", "sigma_x"])
def test_profiles_are_drawn_where_they_are_and_delta_intervals_elsewhere(parameter, profiled):
    figure = fan_chart(profiled, parameter)
    known = profiled.profiles[profiled.profiles["parameter"] == parameter]
    assert 0 < known["date"].nunique() < len(profiled.fitted)
    ends = known[known["level"] == 0.95].set_index("date")
    delta = profiled.intervals.query(
        "parameter == @parameter and scale == 'mse' and level == 0.95"
    ).set_index("date")
    *_, low, high = [one for one in figure.data if one.name and "by profile" in one.name][:2]
    quick = [one for one in figure.data if one.name and "by delta method" in one.name]
    first = datetime.date.fromisoformat(low.x0)
    for date in profiled.fitted["date"]:
        i = (date.date() - first).days
        if date in ends.index:
            assert low.y[i] == pytest.approx(ends["low"][date], rel=SINGLE)
            assert high.y[i] == pytest.approx(ends["high"][date], rel=SINGLE)
            assert not quick or quick[0].y[i] == quick[1].y[i]
        else:
            assert low.y[i] == high.y[i]
            if quick and quick[0].y[i] != quick[1].y[i]:
                assert quick[0].y[i] == pytest.approx(delta["low"][date], rel=SINGLE)
    assert all(one.fillpattern.shape == "/" for one in quick if one.fill)
    note = plain(figure.layout.title.subtitle.text)
    assert f"By profile on {known['date'].nunique()} of {len(profiled.fitted)} days" in note
    second = ends["second_minimum"].dropna()
    drawn_there = [day for one in traces(figure, "second minimum") for day in one.x]
    assert drawn_there == texts(second.index)


def test_plausible_fits_are_drawn_beside_implausible_ones(profiled):
    odd = profiled.fitted.loc[profiled.fitted["is_implausible"].eq(True), "date"]
    assert len(odd) > 0
    for figure in (parameter_paths(profiled), fan_chart(profiled, "sigma_x")):
        own = traces(figure, "best plausible fit")
        expected = [profiled.plausible_estimates.loc[odd, name] for name in PARAMETERS]
        if len(own) == 1:
            expected = [profiled.plausible_estimates.loc[odd, "sigma_x"]]
        for one, values in zip(own, expected, strict=True):
            assert list(one.x) == texts(values.index)
            np.testing.assert_allclose(one.y, values, rtol=SINGLE)
    assert "Implausible: " in parameter_paths(profiled).layout.title.subtitle.text


def test_fan_chart_refuses_what_it_does_not_know(study):
    with pytest.raises(ValueError, match="a_x, a_y, sigma_x"):
        fan_chart(study, "kappa")
    with pytest.raises(ValueError, match="mad, mse"):
        fan_chart(study, "a_y", scales=("iqr",))


def test_interval_kinds_name_every_day_with_results(study):
    kinds = interval_kinds(study, "rho_xy", "mad")
    assert list(kinds.index) == list(study.fitted["date"])
    held = study.estimates["rho_xy"] == -1
    assert set(kinds[held]) == {BOUND}


def test_heat_maps(study):
    for figure, column, factor in (
        (leverage_heat_map(study), "leverage", 1),
        (residual_heat_map(study), "residual", 100),
    ):
        (cells,) = figure.data
        assert list(cells.x) == texts(study.days["date"])
        values = study.quotes.set_index(["date", "maturity"])[column]
        assert values.index.is_unique
        for j, date in enumerate(study.days["date"]):
            for i, label in enumerate(cells.y):
                expected = factor * values.get((date, float(label[:-1])), np.nan)
                assert cells.z[i][j] == pytest.approx(expected, rel=SINGLE, nan_ok=True)


def test_residual_correlations(study):
    figure = residual_correlations(study)
    (cells,) = figure.data
    wide = study.quotes.pivot(index="date", columns="label", values="residual")
    seen = 0
    for i, other in enumerate(cells.y):
        for j, label in enumerate(cells.x):
            if np.isfinite(cells.z[i, j]):
                assert cells.z[i, j] == pytest.approx(wide[label].corr(wide[other]), rel=1e-5)
                seen += 1
    assert seen == 13 * 12 / 2


def test_parameter_paths(study):
    figure = parameter_paths(study)
    for name in PARAMETERS:
        path = trace(figure, name)
        assert list(path.x) == texts(study.days["date"])
        expected = study.estimates[name].reindex(study.days["date"])
        np.testing.assert_allclose(path.y, expected, rtol=SINGLE)
    ticks = [
        (day, y)
        for one in traces(figure, "held by a bound")
        for day, y in zip(one.x, one.y, strict=True)
    ]
    assert len(ticks) == (study.parameters["at_bound"].fillna(0) != 0).sum()


def test_calendar(study):
    figure = rag_calendar(study)
    (cells,) = [one for one in figure.data if one.type == "heatmap"]
    ratings = study.rag.set_index("date")
    found = {}
    for row, names in zip(cells.z, cells.text, strict=True):
        for z, text in zip(row, names, strict=True):
            assert bool(text) == np.isfinite(z)
            if text:
                found[text[:10]] = (list(RAGS)[int(z)], text)
    assert len(found) == len(ratings)
    results = study.days.set_index("date")["rmsre"].notna()
    for date, rag in ratings["rag"].items():
        own, text = found[str(date.date())]
        assert own == rag
        assert (own == "grey") == (not results[date])
        if own in {"amber", "red"}:
            assert ratings["reasons"][date].split(";")[0][:20] in text.replace("<br>", " ")
    # 2022 began on a Saturday: 21 July is the Thursday of the thirtieth week.
    symbol = trace(figure, "ECB hike, 2022-07-21")
    week, row = symbol.x[0], symbol.y[0]
    assert week == 29
    assert cells.text[row][week].startswith("2022-07-21, Thu")
    assert cells.text[row + 1][week].startswith("2022-07-20, Wed")


def test_notes_are_wrapped_around_their_tags():
    note = "<b>SYNTHETIC market.</b> " + "a<sub>x</sub> is free. " * 12
    lines = wrapped(note).split("<br>")
    assert len(lines) == 3
    assert " ".join(lines) == note.strip()
    assert plain("\N{GREEK SMALL LETTER SIGMA}<sub>x</sub><br><b>at</b> 1") == "sigma_x at 1"
