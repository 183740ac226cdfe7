"""What reports and exports make of stored refits, and what they say where there are none."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

import calibscope as cs
from calibscope.base.numbers import interval, percent
from calibscope.models.g2.parameters import SPECS
from calibscope.report.document import Document, section
from calibscope.report.export.columns import header
from calibscope.report.export.dictionary import dictionary
from calibscope.report.sections.intervals import interval_blocks
from calibscope.report.sections.study_refits import refit_blocks
from renderings import in_html, read
from sealing import seal_again

MARCH = cs.demo_market().between("2020-03-12", "2020-03-19")
LIMITS = {"largest_leverage": {"red": 0.985, "amber": 0.97}, "largest_refit_confidence": False}
STRICT = {"governance": {"limits": LIMITS}}
# Between these the search is not compiled as a whole: no quote is left out unless asked for.
BETWEEN_OTHER_BOUNDS = {"calibration": {"bounds": {"rho_xy": [-1.0, 0.9]}}}
EXACT_TABLES = ("left_out", "profiles")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("exact") / "s.db"
    return cs.run_study(MARCH, path, STRICT, profiles="all")


@pytest.fixture(scope="module")
def said(study, tmp_path_factory):
    path = cs.write_report(study, tmp_path_factory.mktemp("html") / "r.html")
    return read(path.read_text(encoding="utf-8"))


def flagged(study):
    ratings = study.rag
    return ratings.loc[ratings["rag"] != "green", "date"]


def test_the_report_says_how_often_first_order_was_right(study, said):
    good = [(study.left_out[f"error_{form}"] <= 0.25).mean() for form in ("exact", "gauss_newton")]
    assert f"{len(MARCH):,} days were fitted again" in said
    assert (
        f"Of {len(study.left_out):,} quotes left out, first order predicted the shift of the "
        f"parameters to within a quarter for {percent(good[0], 0)} with the exact Hessian and "
        f"{percent(good[1], 0)} with Gauss-Newton."
    ) in said


def test_every_flagged_day_has_its_largest_change(study, said):
    dates = flagged(study)
    assert 0 < len(dates) < len(MARCH)
    for date in dates:
        dx = cs.diagnose(cs.calibrate(MARCH.day(str(date.date()))))
        left = dx.refits.leave_one_out()
        moves = np.abs(left.shifts.refitted / left.shifts.scale)
        k, p = np.unravel_index(moves.argmax(), moves.shape)
        name, value = dx.problem.specs.names[p], dx.problem.values[p]
        word = "yes" if left.shifts.is_predicted[k] else "no"
        assert (
            f"{date.date()} {left.labels[k]} {name}: {value:.3g} to "
            f"{left.shifts.parameters[k, p]:.3g} {word} "
        ) in said


def test_profile_intervals_stand_beside_those_of_the_delta_method(study, said):
    date = flagged(study).iloc[-1]
    for table, word in ((study.profiles, "profile"), (study.intervals, "delta")):
        rows = table[(table["date"] == date) & (table["level"] == 0.95)]
        if word == "delta":
            rows = rows[rows["scale"] == "mse"]
        row = rows.set_index("parameter").loc["a_x"]
        assert f"{date.date()} {word} {interval(row['low'], row['high'])}" in said


def test_the_section_on_uncertainty_names_the_method_of_every_interval(study):
    from calibscope.study import statistics

    days, profiled = len(study.fitted), study.profiles["date"].nunique()
    said = in_html(Document("t", "", (section("a", "A", *interval_blocks(study)),)))
    assert f"{profiled} days of {days} have profile intervals" in said
    shares = statistics.profile_shares(study)
    shares = shares[shares["level"] == 0.95].set_index("parameter")["contradicted"]
    assert f"which contradict {100 * shares.max():.0f} % of the delta intervals for" in said
    assert f"Intervals at 95 % by profile (scale mse), share of {profiled} days" in said
    others = "Uninformative intervals at 95 % by delta method (scale mse), share of the "
    assert (f"{others}{days - profiled} days without profiles" in said) == (profiled < days)


def test_marks_travel_with_the_intervals(study, tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(study.path.read_bytes())
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE intervals SET is_collapsed = 1 WHERE parameter = 'a_y'")
        store.execute("UPDATE parameters SET is_identified = 0 WHERE parameter = 'a_y'")
        store.execute("UPDATE profiles SET is_connected = 0 WHERE parameter = 'sigma_y'")
    seal_again(path)
    table = refit_blocks(cs.open_study(path))[-1]
    texts = {column.title: cells for column, cells in table.shown}
    titles, columns = list(texts), list(texts.values())
    cells = {row[1]: dict(zip(titles, row, strict=True)) for row in zip(*columns, strict=True)}
    assert cells["delta"]["a_y"].endswith(" (n, c)")
    assert cells["profile"]["sigma_y"].endswith(" (g)")
    assert not cells["profile"]["a_y"].endswith(")")


def test_a_study_without_exact_answers_says_how_to_get_them(tmp_path):
    study = cs.run_study(MARCH, tmp_path / "s.db", {**STRICT, **BETWEEN_OTHER_BOUNDS})
    (sentence,) = refit_blocks(study)
    assert sentence.startswith("No day was fitted again: `calibscope run ... --profiles all`")


def test_green_days_need_none(market, tmp_path):
    green = replace(market, days=market.days[:4], dropped=())
    study = cs.run_study(green, tmp_path / "s.db", BETWEEN_OTHER_BOUNDS)
    assert set(study.rag["rag"]) == {"green"}
    assert refit_blocks(study) == []


def test_days_that_lack_answers_are_counted(study, tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(study.path.read_bytes())
    day = study.days.loc[study.days["date"] == flagged(study).iloc[0], "day_id"].item()
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("DELETE FROM profiles WHERE day_id = ?", (int(day),))
    seal_again(path)
    first = refit_blocks(cs.open_study(path))[0]
    assert f"{len(MARCH)} days were fitted again without each quote" in first
    assert f"{len(MARCH) - 1} days have profile intervals" in first
    assert "1 day that is not green has none: `calibscope run" in first


def test_exports_have_the_tables_with_units(study, tmp_path):
    cs.export(study, tmp_path / "r.xlsx", all_tables=True)
    cs.export(study, tmp_path / "parquet", format="parquet")
    book = openpyxl.load_workbook(tmp_path / "r.xlsx", read_only=True)
    for name in EXACT_TABLES:
        frame = getattr(study, name)
        rows = list(book[name].iter_rows(min_row=2, values_only=True))
        columns = dictionary(SPECS)[name].columns
        assert list(rows[0]) == [header(column, columns[column].unit) for column in frame]
        assert len(rows) == 1 + len(frame)
        table = pq.read_table(tmp_path / "parquet" / f"{name}.parquet")
        assert table.column_names == list(frame)
        assert set(columns) == set(frame)
    shifts = pq.read_table(tmp_path / "parquet" / "left_out.parquet")["a_x"].to_numpy()
    np.testing.assert_array_equal(shifts, study.left_out["a_x"])


def test_exports_without_exact_answers_lack_the_tables(tmp_path):
    one = cs.Market(MARCH.days[:1], name="one")
    study = cs.run_study(one, tmp_path / "s.db", BETWEEN_OTHER_BOUNDS)
    cs.export(study, tmp_path / "csv", format="csv")
    assert not [name for name in EXACT_TABLES if (tmp_path / "csv" / f"{name}.csv").exists()]
