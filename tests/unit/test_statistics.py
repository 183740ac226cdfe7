"""Statistics of a study against plain computations on the same days."""

import datetime
import statistics as plain
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import calibscope as cs
from calibscope.models.g2.parameters import PARAMETERS, SPECS
from calibscope.study import statistics
from calibscope.study.events import REFERENCE_DATES

LOWER, UPPER = SPECS.lower, SPECS.upper

FIRST, LAST = "2022-10-01", "2023-01-31"  # a new year, many switches, correlations off the bound
TABLES = sorted({*statistics.__all__} - {"ParameterPCA", "parameter_pca"})


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between(FIRST, LAST)


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("study") / "s.db")


@pytest.fixture(scope="module")
def fits(market):
    return list(cs.calibrate_many(market))


@pytest.fixture(scope="module")
def full(fits):
    return list(cs.diagnose_many(fits, mode="full"))


@pytest.fixture(scope="module")
def own(fits):
    """In the mode of the study."""
    return list(cs.diagnose_many(fits))


@pytest.fixture(scope="module")
def strict(fits):
    return list(cs.diagnose_many(fits, mode="strict"))


def years_of(market):
    return np.array([date.year for date in market.dates])


def quoting(day, maturities):
    """The same day with some of its quotes."""
    kept = np.isin(day.maturities, maturities)
    return cs.MarketDay.from_arrays(
        curve=day.curve, maturities=day.maturities[kept], prices=day.prices[kept],
        strikes=day.strikes[kept], date=day.date,
    )  # fmt: skip


@pytest.fixture(scope="module")
def mixed(market, tmp_path_factory):
    """Three days: all quotes, without the shortest and the longest, and only three quotes."""
    days = market.days[:3]
    days = (days[0], quoting(days[1], days[1].maturities[1:-1]), quoting(days[2], [3, 10, 30]))
    return cs.run_study(
        replace(market, days=days, dropped=()), tmp_path_factory.mktemp("m") / "s.db"
    )


# Fit


def test_fit_over_time(study, market, fits):
    table = statistics.fit_over_time(study, thresholds=(0.004, 0.007)).set_index("period")
    errors, years = np.array([fit.rmsre for fit in fits]), years_of(market)
    assert list(table.index) == ["2022", "2023", "all"]
    lost = Counter(finding.date.year for finding in market.dropped)
    lost = [lost[2022], lost[2023], lost.total()]
    assert lost[2] > 0
    assert table["days_without_results"].to_list() == lost
    for period, chosen in {"2022": years == 2022, "2023": years == 2023, "all": years > 0}.items():
        row, values = table.loc[period], errors[chosen]
        assert row["days"] == len(values)
        assert row[["min", "q05", "median", "q95", "max"]].to_list() == pytest.approx(
            np.quantile(values, [0, 0.05, 0.5, 0.95, 1]).tolist(), rel=1e-12
        )
        assert row["days_above_0.004"] == sum(value > 0.004 for value in values)
        assert row["days_above_0.007"] == sum(value > 0.007 for value in values)
    assert 0 < table.loc["all", "days_above_0.007"] < table.loc["all", "days_above_0.004"]


# Leverage and influence


@pytest.mark.parametrize("kind", ["leverage", "leverage_strict"])
def test_leverage_by_maturity(study, market, full, strict, kind):
    found = np.array([dx.leverage for dx in (full if kind == "leverage" else strict)])
    table = statistics.leverage_by_maturity(study, kind, thresholds=(0.5, 0.9))
    assert table["maturity"].to_list() == market.days[0].maturities.tolist()
    assert table["label"].to_list()[:2] == ["3Y", "4Y"]
    assert (table["days"] == len(market)).all()
    assert table["median"].to_numpy() == pytest.approx(np.median(found, axis=0), rel=1e-12)
    assert table["q95"].to_numpy() == pytest.approx(np.quantile(found, 0.95, axis=0), rel=1e-12)
    assert (table["share_above_0.5"].to_numpy() == (found > 0.5).mean(axis=0)).all()
    assert (table["share_above_0.9"].to_numpy() == (found > 0.9).mean(axis=0)).all()
    assert 0 < table["share_above_0.5"].mean() < 1


def test_influence_by_maturity(study, market, own):
    scores = np.array([dx.influence_score for dx in own])
    table = statistics.influence_by_maturity(study, tail=0.02)
    logs = np.log10(scores)
    assert (table["zero_days"] == 0).all()
    # log10 of scores that agree to rounding, absolute on values of order one
    assert table["log10_median"].to_numpy() == pytest.approx(np.median(logs, axis=0), abs=1e-9)
    assert table["log10_q05"].to_numpy() == pytest.approx(np.quantile(logs, 0.05, axis=0), abs=1e-9)
    assert table["largest"].to_numpy() == pytest.approx(scores.max(axis=0), rel=1e-9)
    assert [date.date() for date in table["largest_on"]] == [
        market.dates[place] for place in scores.argmax(axis=0)
    ]
    count = int(np.ceil(0.02 * scores.size))
    tail = Counter(np.argsort(scores, axis=None)[-count:] % scores.shape[1])
    assert table["tail_events"].to_list() == [tail[place] for place in range(scores.shape[1])]
    assert table["tail_share"].sum() == pytest.approx(1, rel=1e-12)
    assert table["tail_events"].min() < table["tail_events"].max()


def test_scores_of_zero_have_no_logarithm():
    dates = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    quotes = pd.DataFrame({"date": dates, "label": "5Y", "influence_score": [0.0, 1.0, 100.0]})
    labels = pd.DataFrame({"label": ["5Y"], "kind": "cap", "maturity": 5.0})
    row = statistics.influence_by_maturity(SimpleNamespace(quotes=quotes, labels=labels)).iloc[0]
    assert (row["days"], row["zero_days"]) == (3, 1)
    assert (row["log10_min"], row["log10_median"], row["log10_max"]) == (0.0, 1.0, 2.0)
    assert (row["tail_events"], row["largest_on"]) == (1, dates[2])


@pytest.mark.parametrize("tail", [0, -0.1, 1.5])
def test_a_tail_is_a_share(tail):
    with pytest.raises(ValueError, match="give a share of the scores"):
        statistics.influence_by_maturity(SimpleNamespace(), tail)


# EDoF and bounds


def test_edof_levels(study, full):
    table = statistics.edof_levels(study)
    for variant, values in {
        "edof": [dx.edof for dx in full],
        "edof_scaled": [dx.effective_degrees.scaled for dx in full],
        "edof_strict": [dx.effective_degrees.strict for dx in full],
        "edof_tikhonov": [round(2 * float(dx.effective_degrees.tikhonov)) / 2 for dx in full],
    }.items():
        expected = sorted(Counter(map(float, values)).items(), reverse=True)
        rows = table[table["variant"] == variant]
        assert list(zip(rows["level"], rows["days"], strict=True)) == expected
        assert rows["share"].to_list() == [days / len(full) for _, days in expected]
        assert len(expected) > 1


def test_edof_switches(study, market, full):
    levels = [dx.edof for dx in full]
    expected = Counter(
        f"{date.year}Q{(date.month + 2) // 3}"
        for date, before, now in zip(market.dates[1:], levels, levels[1:], strict=False)
        if now != before
    )
    table = statistics.edof_switches(study).set_index("quarter")
    assert list(table.index) == ["2022Q4", "2023Q1"]
    assert table["switches"].to_dict() == expected
    assert expected["2022Q4"] > expected["2023Q1"] > 0
    first = sum(date.year == 2022 for date in market.dates)
    assert table["days"].to_list() == [first, len(market) - first]
    assert table["share"].to_list() == [
        expected["2022Q4"] / (first - 1), expected["2023Q1"] / (len(market) - first),
    ]  # fmt: skip


def test_a_switch_counts_over_a_gap_and_for_the_later_quarter():
    dates = pd.to_datetime(["2020-03-30", "2020-03-31", "2020-04-01", "2020-04-02", "2020-10-01"])
    days = pd.DataFrame({"date": dates, "edof": [5, np.nan, 4, 4, np.nan]})
    table = statistics.edof_switches(SimpleNamespace(days=days)).set_index("quarter")
    assert table["days"].to_dict() == {"2020Q1": 1, "2020Q2": 2, "2020Q4": 0}
    assert table["switches"].to_dict() == {"2020Q1": 0, "2020Q2": 1, "2020Q4": 0}
    assert table["share"].isna().to_list() == [True, False, True]
    assert table.loc["2020Q2", "share"] == 0.5


def test_active_constraints(study, fits):
    values = np.array([fit.parameters.values for fit in fits])
    table = statistics.active_constraints(study, tolerance=1e-3).set_index(["parameter", "side"])
    assert list(dict.fromkeys(table.index.get_level_values(0))) == list(PARAMETERS)
    for p, name in enumerate(PARAMETERS):
        for side, bound in (("lower", LOWER[p]), ("upper", UPPER[p])):
            row = table.loc[(name, side)]
            assert (row["bound"], row["days"]) == (bound, len(fits))
            assert row["exact"] == np.mean(values[:, p] == bound)
            assert row["near"] == np.mean(np.abs(values[:, p] - bound) <= 1e-3)
    rho = table.loc[("rho_xy", "lower")]
    assert 0.1 < rho["exact"] < rho["near"]


def test_bounds_are_those_of_the_settings_of_each_day(market, tmp_path):
    short = replace(market, days=market.days[:8], dropped=())
    settings = {"calibration": {"bounds": {"rho_xy": [-0.9, 0.9]}, "fixed": {"a_y": 0.05}}}
    narrow = cs.run_study(short, tmp_path / "s.db", settings)
    table = statistics.active_constraints(narrow).set_index(["parameter", "side"])
    assert "a_y" not in table.index.get_level_values(0)
    assert table.loc[("rho_xy", "lower"), "bound"] == -0.9
    assert table.loc[("rho_xy", "lower"), "exact"] == (narrow.estimates["rho_xy"] == -0.9).mean()
    assert table.loc[("rho_xy", "lower"), "exact"] > 0.5
    # Only two of the days are computed anew, with the usual bounds: both kinds stand side by side.
    both = cs.run_study(replace(short, days=short.days[:2]), tmp_path / "s.db")
    rho = statistics.active_constraints(both).set_index(["parameter", "side"]).loc["rho_xy"]
    assert sorted(rho.loc[["lower"], "bound"]) == [-1.0, -0.9]
    assert sorted(rho.loc[["lower"], "days"]) == [2, 6]


# Boundary dominance


def test_boundary_dominance(study, full, strict, fits):
    table = statistics.boundary_dominance(study).set_index(["kind", "among"])
    at_minus_one = np.array([fit.parameters.rho_xy == -1 for fit in fits])
    assert 0 < at_minus_one.sum() < len(fits)
    for kind, diagnoses in (("leverage", full), ("leverage_strict", strict)):
        H = np.array([dx.leverage for dx in diagnoses])
        share = (H[:, 0] + H[:, 1] + H[:, -1]) / H.sum(axis=1)
        peaks = np.minimum(H[:, :2].max(axis=1), H[:, -1]) > H[:, 2:-1].max(axis=1)
        means = H.mean(axis=1)
        heavy = (H[:, :2].mean(axis=1) > means) & (H[:, -1] > means)
        for among, chosen in (("all days", ...), ("rho_xy = -1", at_minus_one)):
            row = table.loc[(kind, among)]
            assert row["days"] == len(share[chosen])
            assert row["end_share"] == pytest.approx(np.median(share[chosen]), rel=1e-12)
            assert row["count_share"] == 3 / 13
            assert row["dominated"] == peaks[chosen].mean()
            assert row["above_count"] == heavy[chosen].mean()
            assert row["above_half"] == (share[chosen] > 0.5).mean()
    assert 0 < table["dominated"].min() < 1


def test_ends_are_those_of_the_day(mixed):
    one = statistics.end_shares(mixed, short=1, long=2)
    days = mixed.quotes.groupby("date")
    expected = {}
    for date, quotes in days:
        ordered = quotes.sort_values("maturity")["leverage"].to_numpy()
        if len(ordered) > 3:
            expected[date] = (ordered[0] + ordered[-2:].sum()) / ordered.sum(), 3 / len(ordered)
    rows = one[one["kind"] == "leverage"]
    assert list(rows["date"]) == list(expected)  # the day of three quotes has none between its ends
    assert rows[["end_share", "count_share"]].to_numpy() == pytest.approx(
        np.array(list(expected.values())), rel=1e-12
    )
    assert rows["count_share"].to_list() == [3 / 13, 3 / 11]


@pytest.mark.parametrize(
    ("leverage", "is_above_count", "is_dominated", "is_above_half"),
    [
        ([0.9, 0.8, 0.1, 0.1, 0.9], True, True, True),
        ([0.9, 0.1, 0.5, 0.6, 0.7], False, True, True),  # the short end has less than two fifths
        ([0.9, 0.1, 0.7, 0.6, 0.7], False, False, True),  # a tie with the long end is no peak
        ([0.6, 0.6, 0.5, 0.5, 0.1], False, False, True),  # the long end has less than a fifth
        ([0.3, 0.2, 0.5, 0.6, 0.4], False, False, False),
    ],
)
def test_what_counts_as_dominated(leverage, is_above_count, is_dominated, is_above_half):
    quotes = pd.DataFrame(
        {
            "date": pd.Timestamp("2020-03-18"), "maturity": [3.0, 4, 10, 20, 30],
            "leverage": leverage, "leverage_strict": 0.0,
        }
    ).sample(frac=1, random_state=3)  # fmt: skip
    row = statistics.end_shares(SimpleNamespace(quotes=quotes))
    assert len(row) == 1  # no leverage at all has no shares
    marks = row[["is_above_count", "is_dominated", "is_above_half"]].iloc[0].to_list()
    assert marks == [is_above_count, is_dominated, is_above_half]


def test_an_end_has_a_maturity(study):
    with pytest.raises(ValueError, match="an end has at least one maturity"):
        statistics.boundary_dominance(study, long=0)


# Gauss-Newton and intervals


def test_gauss_newton_adequacy(study, own):
    table = statistics.gauss_newton_adequacy(study).set_index("measure")
    for measure in ("gauss_newton_ratio", "gauss_newton_error"):
        values = sorted(float(getattr(dx, measure)) for dx in own)
        row = table.loc[measure]
        assert (row["days"], row["days_not_finite"]) == (len(own), 0)
        assert row["mean"] == pytest.approx(plain.fmean(values), rel=1e-6)
        assert row["median"] == pytest.approx(plain.median(values), rel=1e-6)
        assert row["q90"] == pytest.approx(np.quantile(values, 0.9), rel=1e-6)
        assert row["max"] == pytest.approx(values[-1], rel=1e-6)


def test_days_without_a_finite_error_are_counted_apart():
    fitted = pd.DataFrame(
        {"gauss_newton_ratio": [0.1, 0.3, np.nan], "gauss_newton_error": [1, np.inf, 3.0]}
    )
    table = statistics.gauss_newton_adequacy(SimpleNamespace(fitted=fitted)).set_index("measure")
    assert table["days_not_finite"].to_list() == [1, 1]
    assert table["mean"].to_list() == pytest.approx([0.2, 2.0])


@pytest.mark.parametrize("scale", ["mad", "mad_adjusted", "mse"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_shares(study, own, scale, level):
    table = statistics.interval_shares(study)
    assert list(table["parameter"].unique()) == list(PARAMETERS)
    rows = table[(table["scale"] == scale) & (table["level"] == level)].set_index("parameter")
    found = [dx.intervals(level, scale, method="delta") for dx in own]
    for p, name in enumerate(PARAMETERS):
        row = rows.loc[name]
        none = [bool(np.isnan(i.low[p])) for i in found]
        whole = [bool(i.low[p] == LOWER[p] and i.high[p] == UPPER[p]) for i in found]
        collapsed = [
            bool(i.is_collapsed[p]) and not gone for i, gone in zip(found, none, strict=True)
        ]
        lost = [not i.is_identified[p] and not gone for i, gone in zip(found, none, strict=True)]
        assert row["days"] == len(own)
        assert row["no_interval"] == plain.fmean(none)
        assert row["full_range"] == plain.fmean(whole)
        assert row["collapsed"] == plain.fmean(collapsed)
        assert row["not_identified"] == plain.fmean(lost)
    for kind in ("no_interval", "full_range", "collapsed", "not_identified"):
        assert rows[kind].max() > 0


def test_profile_shares_count_what_profiles_say():
    """Four days: one without a delta interval, one contradicted, one with a second minimum."""
    dates = pd.date_range("2020-03-16", periods=4)
    key = {"date": dates, "parameter": "a_x", "scale": "mse", "level": 0.95}
    profiles = pd.DataFrame(
        {**key, "low": 0.1, "high": 1.0, "is_cut_low": [True, False, True, False],
         "is_cut_high": [True, True, False, False], "is_connected": [False, True, True, True],
         "second_minimum": [np.nan, np.nan, 0.5, np.nan]}
    )  # fmt: skip
    marks = pd.array([False, True, False, False], "boolean")
    intervals = pd.DataFrame({**key, "low": [np.nan, 0.4, 0.1, 0.1], "is_contradicted": marks})
    kept = SimpleNamespace(profiles=profiles, intervals=intervals, specs=SPECS)
    row = statistics.profile_shares(kept).dropna(subset="days").iloc[0]
    kinds = ["days", "full_range", "with_gap", "second_minimum", "contradicted"]
    assert row[kinds].to_list() == pytest.approx([4, 0.25, 0.25, 0.25, 1 / 3])
    other = SimpleNamespace(
        profiles=profiles.assign(scale="0.003"), intervals=intervals, specs=SPECS
    )
    assert statistics.profile_shares(other)["contradicted"].isna().all()  # none of that scale


def test_delta_shares_can_leave_profiled_days_out(study):
    one = study.fitted["date"].iloc[0]
    kept = SimpleNamespace(
        intervals=study.intervals, parameters=study.parameters, specs=SPECS,
        profiles=pd.DataFrame({"date": [one]}),
    )  # fmt: skip
    counts = [
        statistics.interval_shares(kept, is_profiled=known)["days"].max()
        for known in (None, True, False)
    ]
    assert counts == [len(study.fitted), 1, len(study.fitted) - 1]


def test_an_interval_without_width_has_collapsed():
    key = {"date": pd.Timestamp("2020-03-18"), "parameter": "a_x"}
    intervals = pd.DataFrame(
        {**key, "scale": ["mad", "mse"], "level": 0.95, "low": [0.5, 0.4], "high": [0.5, 0.6],
         "is_cut_low": False, "is_cut_high": False, "is_collapsed": False}
    )  # fmt: skip
    parameters = pd.DataFrame({**key, "is_identified": [True]})
    kept = SimpleNamespace(intervals=intervals, parameters=parameters, specs=SPECS)
    table = statistics.interval_shares(kept).set_index("scale")
    assert table["collapsed"].to_dict() == {"mad": 1.0, "mse": 0.0}


# Reference dates


def test_reference_dates(study, market, fits, own):
    date = market.dates[40]
    table = statistics.reference_dates(study, {str(date): "a day", "2022-10-03": "the first"})
    row, fit, dx = table.iloc[0], fits[40], own[40]
    assert table["event"].to_list() == ["a day", "the first"]
    assert row["date"].date() == date
    assert row["rmsre"] == pytest.approx(fit.rmsre, rel=1e-12)
    assert row["edof"] == dx.effective_degrees.full
    for name, values in (
        ("leverage", dx.leverage), ("influence", dx.influence_score), ("residual", fit.residuals),
    ):  # fmt: skip
        place = int(np.abs(values).argmax())
        assert row[f"largest_{name}"] == pytest.approx(values[place], rel=1e-9)
        assert row[f"largest_{name}_at"] == dx.problem.labels[place]
    assert row["summary"] == dx.summary


def test_dates_without_results_say_so(study, market):
    lost = market.dropped[0]
    table = statistics.reference_dates(study, [lost.date, datetime.date(1999, 1, 1), "2023-01-03"])
    assert table["date"].dt.year.to_list() == [2022, 1999, 2023]
    assert (table["event"] == "").all()
    assert table["rmsre"].isna().to_list() == [True, True, False]
    assert table["summary"][0] == f"no results: {lost}"
    assert table["summary"][1] == "not in the study"
    assert list(statistics.reference_dates(study)["event"]) == list(REFERENCE_DATES.values())
    assert statistics.reference_dates(study, []).empty


# Regimes


def test_regime_summary(study, market, fits, full):
    table = statistics.regime_summary(study).set_index("period")
    values, years = np.array([fit.parameters.values for fit in fits]), years_of(market)
    scores = statistics.parameter_pca(study).scores[["PC1", "PC2"]].to_numpy()
    edof, errors = np.array([dx.edof for dx in full]), np.array([fit.rmsre for fit in fits])
    changes = np.append(np.nan, np.diff(edof) != 0)
    for period, days in {"2022": years == 2022, "2023": years == 2023, "all": years > 0}.items():
        row = table.loc[period]
        assert row["days"] == days.sum()
        assert row["rmsre_median"] == pytest.approx(np.median(errors[days]), rel=1e-12)
        for p, name in enumerate(PARAMETERS):
            low, middle, high = np.quantile(values[days, p], [0.25, 0.5, 0.75])
            assert row[f"{name}_median"] == pytest.approx(middle, rel=1e-12)
            assert row[f"{name}_spread"] == pytest.approx(high - low, rel=1e-9, abs=1e-15)
            rows = study.parameters[study.parameters["parameter"] == name]
            likely = rows["plausible"].to_numpy(float)[days]
            assert row[f"{name}_plausible"] == pytest.approx(np.nanmedian(likely), rel=1e-12)
        shares = [(edof[days] == 5).mean(), (edof[days] == 4).mean(), (edof[days] < 4).mean()]
        assert row[["edof_full", "edof_one_lost", "edof_more_lost"]].to_list() == shares
        assert row["edof_switches"] == np.nansum(changes[days])
        assert row["switch_share"] == pytest.approx(np.nanmean(changes[days]))
        assert row["at_bound"] == np.mean([np.any(fits[i].at_bound) for i in np.flatnonzero(days)])
        assert row[["pc1_spread", "pc2_spread"]].to_list() == pytest.approx(
            scores[days].std(axis=0, ddof=1).tolist(), rel=1e-12
        )
    # The scores of the whole history have the variances of the components.
    variances = statistics.parameter_pca(study).explained["variance"]
    assert table.loc["all", "pc1_spread"] ** 2 == pytest.approx(variances[0], rel=1e-12)
    assert 0 < table.loc["all", "edof_full"] < 1


def test_lost_directions_and_days_without_results_in_a_year():
    dates = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-06", "2020-01-07"])
    days = pd.DataFrame(
        {
            "date": dates, "rmsre": [0.01, 0.02, np.nan, 0.03, 0.04],
            "edof": [5, 3, np.nan, 4, 4], "lost_directions": [0, 2, np.nan, 1, 1],
            "has_parameters_at_bound": pd.array([True, False, None, False, False], "boolean"),
            "is_implausible": pd.array([False, True, None, True, True], "boolean"),
            "plausible_rmsre": [0.01, 0.03, np.nan, 0.05, 0.07],
        }
    )  # fmt: skip
    estimates = pd.DataFrame(0.5, dates.delete(2).rename("date"), list(PARAMETERS))
    row = statistics.regime_summary(
        SimpleNamespace(
            days=days, estimates=estimates, plausible_estimates=0.5 * estimates, specs=SPECS
        )
    ).iloc[0]
    assert row[["implausible", "plausible_rmsre_median"]].to_list() == pytest.approx([0.75, 0.04])
    assert (row["a_x_median"], row["a_x_plausible"]) == (0.5, 0.25)
    assert (row["period"], row["days"]) == ("2020", 4)
    shares = row[["edof_full", "edof_one_lost", "edof_more_lost", "at_bound"]].to_list()
    assert shares == [0.25, 0.5, 0.25, 0.25]
    assert (row["edof_switches"], row["switch_share"]) == (2, 2 / 3)


# Studies of an unusual kind


def test_maturities_that_differ_from_day_to_day(mixed):
    table = statistics.leverage_by_maturity(mixed).set_index("label")
    assert table.loc[["3Y", "4Y", "10Y", "30Y"], "days"].to_list() == [2, 2, 3, 2]
    assert statistics.influence_by_maturity(mixed)["days"].sum() == 13 + 11 + 3
    assert statistics.fit_over_time(mixed)["days"].to_list() == [3, 3]


@pytest.fixture(scope="module")
def one_day(market, tmp_path_factory):
    single = replace(market, days=market.days[:1], dropped=())
    return cs.run_study(single, tmp_path_factory.mktemp("one") / "s.db")


@pytest.fixture(scope="module")
def failed(market, tmp_path_factory):
    """Two days, on both of which the calibration broke down."""

    def broken(*_, **__):
        raise ArithmeticError("no luck")

    pair = replace(market, days=market.days[:2], dropped=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("calibscope.study.results.calibrate_many", broken)
        return cs.run_study(pair, tmp_path_factory.mktemp("failed") / "s.db")


@pytest.fixture(scope="module")
def no_days(market, tmp_path_factory):
    nothing = replace(market, days=(), dropped=())
    return cs.run_study(nothing, tmp_path_factory.mktemp("none") / "s.db")


# Of several models (tests/models/test_studies_of_models.py), or of profiles.
EMPTY_HERE = ("nested_models", "near_optimal_ranges", "profile_shares")


@pytest.mark.parametrize("name", TABLES)
def test_columns_do_not_depend_on_what_a_study_holds(study, one_day, failed, no_days, name):
    compute = getattr(statistics, name)
    columns = list(compute(study).columns)
    assert list(compute(one_day).columns) == columns
    assert len(compute(one_day)) > 0 or name in EMPTY_HERE
    for empty in (compute(failed), compute(no_days)):
        assert list(empty.columns) == columns
        if "days" in columns:
            assert empty["days"].sum() == 0
        elif name in ("reference_dates", "days_by_model"):
            assert empty["rmsre"].isna().all()
        else:
            assert empty.empty


def test_one_day_does_not_move(one_day):
    row = statistics.regime_summary(one_day).iloc[-1]
    assert row["a_x_median"] == one_day.estimates["a_x"].iloc[0]
    assert row["a_x_spread"] == 0
    assert row["edof_switches"] == 0
    assert np.isnan(row["switch_share"])


def test_failed_days_are_counted(failed):
    table = statistics.fit_over_time(failed)
    assert table["days_without_results"].to_list() == [2, 2]
    assert table["median"].isna().all()
    wanted = [failed.days["date"].iloc[0].date()]
    summary = statistics.reference_dates(failed, wanted)["summary"][0]
    assert summary == "no results: ArithmeticError: no luck"


@pytest.mark.parametrize("coordinates", ["natural", "scaled"])
def test_pca_of_a_day_or_none(one_day, failed, coordinates):
    for kept, count in ((one_day, 1), (failed, 0)):
        pca = statistics.parameter_pca(kept, coordinates)
        assert list(pca.scores.columns) == ["date", "PC1", "PC2", "PC3", "PC4", "PC5"]
        assert (pca.scores.drop(columns="date").to_numpy() == 0).all()
        assert len(pca.scores) == count
        assert pca.loadings["parameter"].to_list() == list(PARAMETERS)
        assert pca.loadings.drop(columns="parameter").isna().all(axis=None)
        assert (pca.explained["variance"] == 0).all()
        assert pca.explained["share"].isna().all()
