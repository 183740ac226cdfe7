"""Variants are compared on the same days, each as `cs.calibrate` would have it."""

from dataclasses import replace

import numpy as np
import pytest

import calibscope as cs
from calibscope.models.g2.parameters import SPECS
from calibscope.report.outcomes import robustness_as_data
from calibscope.report.sections.robustness import robustness_document
from calibscope.study.robustness import (
    Variant,
    keep,
    robustness,
    skipped_variants,
    usual_variants,
    variants_of,
)
from calibscope.study.settings import study_settings

scaled = SPECS.coordinates.of


def test_a_variant_that_changes_nothing_moves_nothing(market):
    table = robustness(market, {"same": Variant()}, sample=10)
    base, same = table.to_dict("records")
    assert base.pop("variant") == "baseline"
    assert same.pop("variant") == "same"
    assert base == same
    assert base["worse"] == base["moved"] == base["leverage_move"] == 0.0
    assert base["edof_same"] == 1.0


def test_numbers_of_a_variant(market):
    days = market.days[::10]
    some = cs.Market(days)
    table = robustness(some, {"no 3Y": Variant(without=(3.0,))}, sample=None).set_index("variant")
    base = [cs.calibrate(day) for day in days]
    other = [cs.calibrate(day.without([3.0])) for day in days]
    moves = np.array(
        [
            np.abs(scaled(b.parameters.values) - scaled(o.parameters.values))
            for b, o in zip(base, other, strict=True)
        ]
    )
    row = table.loc["no 3Y"]
    assert row["rmsre"] == pytest.approx(np.median([fit.rmsre for fit in other]), rel=1e-12)
    assert row["move_a_y"] == pytest.approx(np.median(moves[:, 1]), rel=1e-9)
    assert row["moved"] == np.mean(moves.max(axis=1) > 0.1)
    assert np.isnan(row["worse"])
    leverage = [[cs.diagnose(fit).leverage for fit in fits] for fits in (base, other)]
    long_end = np.mean([one[-2:].sum() / one.sum() for one in leverage[1]])
    assert row["long_end"] == pytest.approx(long_end, rel=1e-9)
    moved = np.abs(np.mean(leverage[0], axis=0)[1:] - np.mean(leverage[1], axis=0)).max()
    assert row["leverage_move"] == pytest.approx(moved, rel=1e-9)


def test_local_solvers_miss_optima_and_the_start_matters(market):
    start = (5.0, 4.0, 0.5, 0.5, 0.9)
    table = robustness(
        market, {"lm": Variant(solver="lm"), "far": Variant(solver="lm", start=start)}, sample=8
    ).set_index("variant")
    assert table.loc["far", "worse"] > 0
    assert (table["rmsre"] >= table.loc["baseline", "rmsre"] * (1 - 1e-9)).all()


def test_the_papers_variants_are_there(market):
    usual = usual_variants(market)
    assert {variant.solver for variant in usual.values()} == {"global", "bobyqa", "nelder-mead"}
    assert {variant.without for variant in usual.values()} == {(), (3.0,), (25.0, 30.0)}
    starts = [variant.start for variant in usual.values() if variant.start]
    assert len(set(starts)) == 2


def test_what_is_left_out_are_quotes_of_the_market(market):
    shorter = replace(market, days=tuple(day.without([3, 25, 30]) for day in market.days[:3]))
    assert "without 4Y" in usual_variants(shorter)
    assert "without 15Y and 20Y" in usual_variants(shorter)
    few = replace(market, days=tuple(day.without(day.maturities[6:]) for day in market.days[:3]))
    assert not [name for name in usual_variants(few) if name.startswith("without")]
    table = robustness(shorter, sample=2, threads=1).set_index("variant")
    assert table.loc["without 4Y", "days"] == 2


@pytest.fixture(scope="module")
def mixed(market):
    """Two days with four caps, four floors of a strike and a cap off the money."""

    def day_of(day):
        quotes = [cs.Quote(cs.Cap(year), vol=0.008) for year in (3, 5, 7, 10)]
        quotes += [cs.Quote(cs.Floor(year, -0.01), vol=0.009) for year in (3, 5, 7, 10)]
        quotes += [cs.Quote(cs.Cap(10, 0.03), vol=0.0085)]
        return cs.MarketDay.from_quotes(curve=day.curve, quotes=quotes, date=day.date)

    return cs.Market(tuple(map(day_of, market.days[:2])), name="mixed")


def test_quotes_that_remain_are_counted_and_not_maturities(market, mixed):
    """Four maturities are few, and nine quotes are not."""
    usual = usual_variants(mixed)
    floors = tuple(f"{year}Y floor @-1%" for year in (3, 5, 7, 10))
    without = {name: variant.without for name, variant in usual.items() if variant.without}
    assert without == {"without 3Y": (3.0,)}
    skipped = {"without 7Y and 10Y": 4, "without floors": 5, "without quotes off the money": 4}
    assert skipped_variants(mixed) == skipped
    more = [cs.Quote(cs.Cap(year), vol=0.008) for year in (4, 15)]
    wider = replace(mixed, days=tuple(
        cs.MarketDay.from_quotes(curve=day.curve, date=day.date, quotes=[
            *(cs.Quote(cs.Cap(year), vol=0.008) for year in (3, 5, 7, 10)), *more,
            *(cs.Quote(cs.Floor(year, -0.01), vol=0.009) for year in (3, 5, 7, 10)),
        ])
        for day in mixed
    ))  # fmt: skip
    assert usual_variants(wider)["without floors"].without == floors
    assert usual_variants(wider)["without quotes off the money"].without == floors
    eight = replace(market, days=tuple(day.without(day.maturities[8:]) for day in market.days[:3]))
    names = [name for name in usual_variants(eight) if name.startswith("without")]
    assert names == ["without 3Y", "without 9Y and 10Y"]


def test_what_is_skipped_is_said(mixed, monkeypatch):
    one = {"lm": Variant(solver="lm")}
    monkeypatch.setattr("calibscope.study.robustness.usual_variants", lambda *any: one)
    table = robustness(mixed, sample=None, threads=1)
    shown = robustness_document(table, "market").sections[0].blocks[1].text
    assert shown == (
        "Not computed, for a comparison needs 6 quotes: without 7Y and 10Y (4 quotes left), "
        "without floors (5 quotes left), without quotes off the money (4 quotes left)."
    )
    assert robustness_as_data(table, mixed, None)["skipped"] == skipped_variants(mixed)
    assert robustness(mixed, one, sample=None, threads=1).attrs["skipped"] == {}


def test_quotes_are_left_out_by_label(mixed, tmp_path):
    file = tmp_path / "variants.toml"
    file.write_text(
        '["no floor"]\nwithout = "3Y floor @-1%"\n[both]\nwithout = ["3Y", "10Y @3%"]\n'
    )
    variants = variants_of(file)
    assert variants["no floor"].without == ("3Y floor @-1%",)
    assert variants["both"].without == (3.0, "10Y @3%")
    table = robustness(mixed, variants, sample=None, threads=1).set_index("variant")
    day = mixed.days[1]
    fits = [cs.calibrate(one.without(["3Y", "3Y floor @-1%", "10Y @3%"])) for one in mixed]
    assert table.loc["both", "rmsre"] == pytest.approx(np.median([fit.rmsre for fit in fits]))
    assert len(day.prices) == 9
    with pytest.raises(
        ValueError, match=r"leaves out 3Y flor @-1%, which.*did you mean '3Y floor @-1%'"
    ):
        robustness(mixed, {"x": Variant(without=("3Y flor @-1%",))}, sample=2)


def test_days_without_what_is_left_out_are_not_compared(market):
    """Nor those that quote nothing else: leaving these out would leave nothing to fit."""
    whole, other = market.days[:2], market.days[2]
    ends = replace(other, date=market.days[3].date).without(other.maturities[:-2])
    ragged = replace(market, days=(*whole, other.without([3.0]), ends))
    table = robustness(ragged, sample=None, threads=1).set_index("variant")
    assert table.loc[["baseline", "without 3Y", "without 25Y and 30Y"], "days"].tolist() == [
        4,
        2,
        3,
    ]
    alone = robustness(replace(market, days=whole), usual_variants(ragged), sample=None, threads=1)
    alone = alone.set_index("variant").loc["without 3Y"]
    assert table.loc["without 3Y"].to_dict() == pytest.approx(
        alone.to_dict(), rel=1e-6, nan_ok=True
    )
    first = robustness_document(table.reset_index(), "market").sections[0].blocks[1]
    assert [column.title for column in first.columns][:3] == ["variant", "days", "RMSRE"]
    assert first.shown[1][1] == tuple(map(str, table["days"]))


def test_variants_from_a_file(tmp_path):
    file = tmp_path / "variants.toml"
    file.write_text('["no short end"]\nwithout = ["3Y", 4]\n[vega]\nweights = "vega"\n')
    assert variants_of(file) == {
        "no short end": Variant(without=(3.0, 4.0)),
        "vega": Variant(weights="vega"),
    }
    file.write_text('[one]\nsolver = "bobyka"\n[two]\nwithot = "3Y"\n')
    with pytest.raises(cs.SettingsError) as error:
        variants_of(file)
    assert "[one] solver is 'bobyka'; choose from global" in str(error.value)
    assert "[two] withot: there is no such setting; did you mean 'without'?" in str(error.value)
    for text, problem in (("x = 1", "needs a table per variant"), ("x = ", "is not valid TOML")):
        file.write_text(text)
        with pytest.raises(cs.SettingsError, match=problem):
            variants_of(file)


def test_a_comparison_is_kept_with_the_study(market, tmp_path):
    store = tmp_path / "s.db"
    cs.run_study(cs.Market(market.days[:3]), store)
    assert cs.open_study(store).robustness.empty
    for sample in (4, 6):
        table = robustness(market, {"no 3Y": Variant(without=(3.0,))}, sample=sample)
        keep(table, store)
        kept = cs.open_study(store).robustness
        assert kept["variant"].tolist() == ["baseline", "no 3Y"]
        assert kept["days"].tolist() == [sample, sample]
        np.testing.assert_array_equal(kept["moved"], table["moved"])
        assert np.isnan(kept["worse"].iloc[1])


def test_variants_change_only_what_they_say(market):
    settings = study_settings({"calibration": {"fixed": {"rho_xy": -0.5}}})
    table = robustness(market, {"lm": Variant(solver="lm")}, settings=settings, sample=4)
    assert table["move_rho_xy"].tolist() == [0.0, 0.0]
    other = {"free": Variant(fixed={})}
    table = robustness(market, other, settings=settings, sample=4).set_index("variant")
    assert table.loc["free", "rmsre"] < table.loc["baseline", "rmsre"]
    assert np.isnan(table.loc["free", "worse"])


def test_variants_that_compare_nothing_are_refused(market):
    with pytest.raises(ValueError, match="called 'baseline'"):
        robustness(market, {"baseline": Variant(solver="lm")}, sample=2)
    with pytest.raises(ValueError, match="leaves out 99Y, which no day quotes"):
        robustness(market, {"x": Variant(without=(99.0,))}, sample=2)
    every = tuple(market.days[0].maturities.tolist())
    with pytest.raises(ValueError, match="leaves no day a quote; leave out fewer"):
        robustness(market, {"x": Variant(without=every)}, sample=2)
