"""Files that quote a maturity at several strikes, or caps beside floors."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

import calibscope as cs
from calibscope.market.findings import PartlyQuoted, dropped
from calibscope.market.settings import Conventions
from calibscope.report.outcomes import check_as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.check import check_document

DATES = ("2024-06-03", "2024-06-04", "2024-06-05")
CURVE = "\n".join(["date,1Y,5Y,30Y", *(f"{date},0.97,0.88,0.5" for date in DATES)])
ANY_COUNT = {"checks": {"fewest_quotes": 1}}

# maturity, kind, strike, vol
SURFACE = [
    ("3Y", "cap", "", 0.0091), ("5Y", "cap", "", 0.0089), ("10Y", "cap", "ATM", 0.0085),
    ("10Y", "cap", 0.01, 0.0088), ("10Y", "cap", 0.02, 0.0086), ("10Y", "floor", 0.01, 0.0087),
    ("10Y", "Floors", "", 0.0085), ("5Y", "FLOOR", "atm", 0.0089),
]  # fmt: skip
LABELS = ("3Y", "5Y", "5Y floor", "10Y", "10Y @1%", "10Y @2%", "10Y floor", "10Y floor @1%")


@pytest.fixture
def market_of(tmp_path):
    """A market from the text of a caps file."""

    def read(text, curve=CURVE, **settings):
        (tmp_path / "caps.csv").write_text(text)
        (tmp_path / "curve.csv").write_text(curve)
        return cs.read_market(tmp_path / "caps.csv", tmp_path / "curve.csv", settings=settings)

    return read


def tidy(rows, dates=DATES, header="date,maturity,kind,strike,normal_vol"):
    lines = [",".join(map(str, (date, *row))) for date in dates for row in rows]
    return "\n".join([header, *lines])


def listing(rows, header="date,maturity,strike,normal_vol"):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)])


def reviewed(market):
    """Warnings, but for those about quotes and curves that are the same every day."""
    return [str(finding) for finding in market.warnings if "stale" not in finding.check]


def page(market):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions(), everything=True)))
    return console.export_text()


def test_labels_strikes_and_prices_are_those_of_quotes(market_of):
    market = market_of(tidy(SURFACE))
    assert market.labels == LABELS
    assert not market.dropped
    day = market.days[0]
    assert day.labels == LABELS
    quotes = [
        cs.Quote(cs.Cap(3), vol=0.0091), cs.Quote(cs.Cap(5), vol=0.0089),
        cs.Quote(cs.Floor(5), vol=0.0089), cs.Quote(cs.Cap(10), vol=0.0085),
        cs.Quote(cs.Cap(10, 0.01), vol=0.0088), cs.Quote(cs.Cap(10, 0.02), vol=0.0086),
        cs.Quote(cs.Floor(10), vol=0.0085), cs.Quote(cs.Floor(10, 0.01), vol=0.0087),
    ]  # fmt: skip
    single = cs.MarketDay.from_quotes(curve=day.curve, quotes=quotes, date=DATES[0])
    assert single.labels == LABELS
    assert day.strikes == pytest.approx(single.strikes, rel=1e-13)
    assert day.prices == pytest.approx(single.prices, rel=1e-12)
    assert market.normal_vols.shape == (3, 8)
    assert market.normal_vols[1] == pytest.approx(single.normal_vols, rel=1e-10)


@pytest.mark.parametrize("kind", ["Typ", "Art"])
def test_german_percents_in_any_order(market_of, kind):
    rows = [(m, k, str(s).replace(".", ","), str(v).replace(".", ",")) for m, k, s, v in SURFACE]
    rows = [(m, k, {"0,01": "1,0", "0,02": "2,0"}.get(s, s), v) for m, k, s, v in reversed(rows)]
    lines = [";".join((date, *row)) for date in DATES for row in rows]
    text = "\n".join([f"Datum;Laufzeit;{kind};Basispreis;normal_vol", *lines])
    market = market_of(text, caps={"units": {"strike": "percent"}})
    expected = market_of(tidy(SURFACE))
    assert market.fingerprint == expected.fingerprint
    assert market.labels == LABELS


def test_the_long_layout_says_the_same(market_of):
    rows = [(m, k, s, "normal_vol", v) for m, k, s, v in SURFACE]
    rows += [(m, k, s, what, v + gap) for m, k, s, v in SURFACE for what, gap in
             (("bid", -1e-4), ("ask", 1e-4))]  # fmt: skip
    text = tidy(rows, header="date,maturity,kind,strike,quantity,value")
    market = market_of(text)
    assert market.labels == LABELS
    expected = market_of(tidy(SURFACE))
    for day, other in zip(market, expected, strict=True):
        np.testing.assert_array_equal(day.prices, other.prices)
        np.testing.assert_array_equal(day.strikes, other.strikes)
        assert (day.bid_ask[:, 0] < day.prices).all()


def test_a_quote_keeps_its_name_where_its_neighbours_are_missing(market_of):
    text = tidy(SURFACE[3:5], DATES[:1]) + "\n" + tidy(SURFACE[4:5], DATES[1:]).split("\n", 1)[1]
    market = market_of(text, **ANY_COUNT)
    assert [day.labels for day in market] == [("10Y @1%", "10Y @2%"), ("10Y @2%",), ("10Y @2%",)]
    nan = np.nan
    expected = [[0.0088, 0.0086], [nan, 0.0086], [nan, 0.0086]]
    np.testing.assert_allclose(market.normal_vols, expected, rtol=1e-10)
    # A strike of one day is not missed on the others, one of two days is.
    assert not market.incomplete
    text = tidy(SURFACE[3:5], DATES[:2]) + "\n" + tidy(SURFACE[4:5], DATES[2:]).split("\n", 1)[1]
    (finding,) = market_of(text, **ANY_COUNT).incomplete
    assert "normal_vol is missing at 10Y @1%" in finding.message
    strict = market_of(text, checks={"incomplete": "drop"})
    assert [finding.lacking for finding in strict.dropped] == [(10.0,)]


def test_without_repeats_a_strike_is_the_days_own(market_of):
    rows = [("3Y", "", 0.031, 0.0091), ("5Y", "floor", 0.029, 0.0089), ("5Y", "cap", "ATM", 0.0089)]
    market = market_of(tidy(rows))
    day = market.days[0]
    assert day.labels == ("3Y", "5Y", "5Y floor")
    assert day.strikes[[0, 2]].tolist() == [0.031, 0.029]
    usual = cs.MarketDay.from_arrays(curve=day.curve, maturities=[5], vols=[0.0089])
    assert day.strikes[1] == pytest.approx(usual.strikes[0], rel=1e-13)
    blank = [*rows[:2], ("5Y", "cap", "", 0.0089)]
    assert market_of(tidy(blank)).fingerprint == market.fingerprint


def test_blanks_beside_floors_of_a_strike_are_at_the_money(market_of):
    rows = [("3Y", "cap", "", 0.0091), ("5Y", "cap", "", 0.0089), ("5Y", "floor", 0.01, 0.0089)]
    market = market_of(tidy(rows), **ANY_COUNT)
    words = [(year, kind, strike or "ATM", vol) for year, kind, strike, vol in rows]
    assert market.fingerprint == market_of(tidy(words), **ANY_COUNT).fingerprint
    assert [len(day.prices) for day in market] == [3, 3, 3]
    assert not market.incomplete


def test_a_blank_beside_daily_strikes_is_a_gap(market_of):
    rows = [(date, "3Y", f"0.02{i}", 0.009) for i, date in enumerate(DATES)]
    rows += [(date, "5Y", f"0.02{i}" if i else "", 0.009) for i, date in enumerate(DATES)]
    market = market_of(listing(rows), **ANY_COUNT)
    assert [day.labels for day in market] == [("3Y",), ("3Y", "5Y"), ("3Y", "5Y")]
    (finding,) = market.incomplete
    assert str(finding).startswith("caps.csv: 2024-06-03: strike is missing at 5Y; the day is kept")


def test_a_column_of_blank_strikes_is_at_the_money(market_of):
    rows = [("3Y", "", 0.0091), ("5Y", "", 0.0089)]
    market = market_of(tidy(rows, header="date,maturity,strike,normal_vol"))
    bare = tidy([(year, vol) for year, _, vol in rows], header="date,maturity,normal_vol")
    assert market.fingerprint == market_of(bare).fingerprint


def test_a_header_alone_has_no_quotes(market_of):
    with pytest.raises(cs.MarketDataError):
        market_of("date,maturity,kind,strike,normal_vol\n")


def test_a_file_of_gaps_is_named_once(market_of):
    text = "\n".join(["date,3Y,5Y", *(f"{date},," for date in DATES)])
    with pytest.raises(cs.MarketDataError) as error:
        market_of(text)
    assert str(error.value) == "caps.csv: there is no value of price; all are gaps"


def test_blank_kinds_are_those_of_the_conventions(market_of):
    rows = [("3Y", "", "", 0.0091), ("5Y", "cap", "", 0.0089)]
    text = tidy(rows, header="date,maturity,kind,comment,normal_vol")
    market = market_of(text, conventions={"kind": "floor"}, caps={"columns": {"comment": "ignore"}})
    assert market.labels == ("3Y floor", "5Y")
    assert market.days[0].kind == ("floor", "cap")


def test_words_alone_put_all_strikes_at_the_money(market_of):
    rows = [("3Y", "atm", 0.0091), ("5Y", "At the money", 0.0089)]
    market = market_of(tidy(rows, header="date,maturity,strike,normal_vol"))
    bare = [(year, vol) for year, _, vol in rows]
    without = market_of(tidy(bare, header="date,maturity,normal_vol"))
    assert market.fingerprint == without.fingerprint
    assert market.strike_gaps is None


def test_a_strike_at_the_money_is_not_named(market_of):
    day = market_of(tidy([("10Y", "cap", "ATM", 0.0085)])).days[0]
    rows = [("10Y", "cap", repr(float(day.strikes[0])), 0.0085), SURFACE[4]]
    assert market_of(tidy(rows)).labels == ("10Y", "10Y @2%")
    twice = [*rows, ("10Y", "cap", "ATM", 0.0086)]
    with pytest.raises(cs.MarketDataError, match=r"dropped as quoted twice.*keep one"):
        market_of(tidy(twice))


def test_chosen_maturities_keep_all_their_quotes(market_of):
    market = market_of(tidy(SURFACE), checks={"maturities": ["10Y", "3Y"]})
    assert market.labels == ("3Y", *LABELS[3:])


def test_neighbours_are_of_one_kind_and_strike(market_of):
    # Caps at 1 % are dearer than floors and than caps at 5 %, whatever the maturity.
    rows = [(f"{year}Y", kind, strike, 0.0085) for year in (5, 7, 10) for kind in ("cap", "floor")
            for strike in (0.01, 0.05, "")]  # fmt: skip
    assert not reviewed(market_of(tidy(rows)))
    slip = [(*row[:3], 0.0285) if row[:3] == ("7Y", "floor", 0.01) else row for row in rows]
    found = reviewed(market_of(tidy(slip)))
    assert len(found) == 3 * 4
    start = "caps.csv: 2024-06-03, 7Y floor @1%: normal vol is 285.0 bp, but 85.0 bp at 5Y"
    assert any(text.startswith(start) for text in found)
    order = "10Y floor @1%: costs .*, the 7Y floor .*; a longer floor should cost more"
    assert any(re.search(order, text) for text in found)


def test_strikes_are_compared_with_the_curve_at_the_money_only(market_of):
    day = market_of(tidy([("3Y", 0.009), ("5Y", 0.009)], header="date,maturity,normal_vol")).days[0]
    own = [round(float(strike), 6) for strike in day.strikes]
    rows = [
        tidy([("3Y", "cap", own[0] + i * 1e-6, 0.009), ("5Y", "cap", own[1] + i * 1e-6, 0.009),
              ("7Y", "cap", 0.04, 0.0087), *SURFACE[2:5]], [date])
        for i, date in enumerate(DATES)
    ]  # fmt: skip
    market = market_of("\n".join([rows[0], *(text.split("\n", 1)[1] for text in rows[1:])]))
    # Strikes that follow the market are those of the day, one that does not is not at the money.
    assert market.strike_gaps.labels == ("3Y", "5Y")
    assert market.labels == ("3Y", "5Y", "7Y @4%", "10Y", "10Y @1%", "10Y @2%")
    assert not reviewed(market)


MOVING = "\n".join(
    ["date,1Y,5Y,30Y", *(f"{date},{0.97 - 0.002 * i},{0.88 - 0.01 * i},0.5"
                         for i, date in enumerate(DATES))]
)  # fmt: skip


@pytest.mark.parametrize("layout", ["tidy", "wide"])
def test_a_strike_away_from_the_money_is_named_in_every_layout(market_of, tmp_path, layout):
    """Also if it is the only one of its maturity."""
    years, strikes = ("3Y", "5Y", "10Y"), (0.01, 0.01, 0.06)
    rows = [(year, strike, 0.0085) for year, strike in zip(years, strikes, strict=True)]
    market = market_of(tidy(rows, header="date,maturity,strike,normal_vol"), **ANY_COUNT)
    if layout == "wide":
        for name, values in (("vols", (0.0085,) * 3), ("strikes", strikes)):
            lines = [",".join(map(str, (date, *values))) for date in DATES]
            (tmp_path / f"{name}.csv").write_text("\n".join(["date,3Y,5Y,10Y", *lines]))
        files = {"normal_vol": tmp_path / "vols.csv", "strike": tmp_path / "strikes.csv"}
        read = cs.read_market(files, tmp_path / "curve.csv", settings=ANY_COUNT)
        assert read.fingerprint == market.fingerprint
        market = read
    assert market.labels == ("3Y @1%", "5Y @1%", "10Y @6%")
    assert market.strike_gaps is None
    assert not [text for text in reviewed(market) if "lie" in text or "first_caplet" in text]
    day = market.days[0]
    arrays = {"curve": day.curve, "vols": [0.0085] * 3, "maturities": [3, 5, 10]}
    single = cs.MarketDay.from_arrays(**arrays, strikes=strikes, date=DATES[0])
    assert single.labels == market.labels


def test_a_strike_that_stays_while_the_market_moves_is_named(market_of):
    """2.5 % is near the money on each of the days, and is not the money's."""
    rows = [("5Y", 0.025, 0.0085), ("10Y", "ATM", 0.0085)]
    text = tidy(rows, header="date,maturity,strike,normal_vol")
    assert market_of(text, **ANY_COUNT).labels == ("5Y", "10Y")
    moving = market_of(text, curve=MOVING, **ANY_COUNT)
    assert [day.labels for day in moving] == [("5Y @2.5%", "10Y")] * 3
    # Strikes of another curve follow it, and are those of the quotes.
    usual = [day.strikes[1] for day in moving]
    rows = [(date, "10Y", f"{strike + 0.0031:.6f}", 0.0085) for date, strike in zip(DATES, usual,
            strict=True)]  # fmt: skip
    market = market_of(listing(rows), curve=MOVING, **ANY_COUNT)
    assert market.labels == ("10Y",)
    assert market.strike_gaps.basis_bp == pytest.approx(31, abs=0.1)


def test_floors_of_one_strike_are_no_other_convention(market_of):
    rows = [(f"{year}Y", kind, strike, 0.0085) for year in (3, 5, 10)
            for kind, strike in (("cap", ""), ("floor", 0.01))]  # fmt: skip
    market = market_of(tidy(rows))
    assert market.labels == (
        "3Y", "3Y floor @1%", "5Y", "5Y floor @1%", "10Y", "10Y floor @1%"
    )  # fmt: skip
    assert market.strike_gaps is None
    assert not reviewed(market)
    missing = tidy(rows) + "\n2024-06-06,3Y,cap,,0.0085"
    lacking = market_of(missing, CURVE + "\n2024-06-06,0.97,0.88,0.5", **ANY_COUNT).incomplete
    assert "missing at 3Y floor @1%, 5Y, 5Y floor @1%, 10Y" in lacking[-1].message


def test_quotes_at_the_money_lack_no_strike(market_of):
    rows = [("3Y", "cap", "ATM", 0.0091), ("5Y", "floor", "", 0.0089), ("5Y", "cap", 0.01, 0.0089)]
    text = tidy(rows, DATES[:2]) + "\n" + tidy(rows[:1], DATES[2:]).split("\n")[1]
    (finding,) = market_of(text, checks={"incomplete": "drop"}).dropped
    assert str(finding) == "caps.csv: 2024-06-05: normal_vol is missing at 5Y @1%, 5Y floor"


def test_what_is_excluded_has_to_be_there(market_of):
    market = market_of(tidy(SURFACE), checks={"exclude": [DATES[0], "2024-06-09"]})
    (found,) = reviewed(market)
    assert found == "settings: checks.exclude (no file has 2024-06-09) has no effect"


def test_one_curve_too_many_is_one(market_of):
    (found,) = reviewed(market_of(tidy(SURFACE), CURVE + "\n2024-06-06,0.97,0.88,0.5"))
    assert found.endswith("1 curve is dated before or after all cap quotes, and not used")


def test_strikes_far_from_low_rates_are_no_wrong_unit(market_of):
    low = "\n".join(["date,1Y,5Y,30Y", *(f"{date},0.9985,0.99,0.94" for date in DATES)])
    rows = [("5Y", "cap", strike, 0.009) for strike in (0.04, 0.06, 0.08, 0.1)]
    assert len(market_of(tidy(rows), curve=low, checks={"near_zero_price": 0})) == 3
    percents = [("5Y", "cap", strike, 0.009) for strike in (1, 2, 3)]
    with pytest.raises(cs.MarketDataError, match=r"caps\.units\.strike = 'percent'"):
        market_of(tidy(percents))


def test_a_smile_of_one_day_leaves_the_daily_strikes_in_their_series(market_of):
    """The other days quote the maturity once, at the money with the strike as a number."""
    dates = [f"2024-06-{day:02}" for day in (3, 4, 5, 6, 7)]
    curve = "\n".join(["date,1Y,5Y,30Y", *(f"{date},0.97,0.88,0.5" for date in dates)])
    rows = [(date, year, f"{0.0255 + 1e-4 * i:.4f}", 0.009) for i, date in enumerate(dates)
            for year in ("3Y", "5Y")]  # fmt: skip
    rows += [(dates[2], "5Y", strike, 0.0088) for strike in (0.01, 0.02, 0.03)]
    market = market_of(listing(rows), curve, **ANY_COUNT)
    assert market.labels == ("3Y", "5Y", "5Y @1%", "5Y @2%", "5Y @3%")
    assert [day.labels for day in market] == [("3Y", "5Y")] * 2 + [market.labels] + [
        ("3Y", "5Y")
    ] * 2
    assert [day.strikes[1] for day in market] == [0.0255, 0.0256, 0.0257, 0.0258, 0.0259]
    assert market.days[2].strikes[2:].tolist() == [0.01, 0.02, 0.03]
    assert not market.incomplete
    words = "2024-06-05, 5Y with strike 0.02: normal_vol is 0.0088 in row 13"
    with pytest.raises(cs.MarketDataError, match=words):
        market_of(listing([*rows, (dates[2], "5Y", 0.02, 0.0089)]), curve)
    with pytest.raises(cs.MarketDataError, match=r"2024-06-05, 5Y: normal_vol is 0\.009 in row 7"):
        market_of(listing([*rows, (dates[2], "5Y", 0.0257, 0.0089)]), curve)


def test_one_strike_in_another_unit_is_named_and_left_out(market_of):
    """Not taken for the unit of all: following that advice would spoil the others."""
    years = ("3Y", "5Y", "7Y", "10Y")
    rows = [(date, year, strike, 0.0085) for date in DATES for year in years
            for strike in ("ATM", 0.02, 0.03)]  # fmt: skip
    place = rows.index((DATES[1], "5Y", 0.03, 0.0085))
    slip = [*rows[:place], (DATES[1], "5Y", 3, 0.0085), *rows[place + 1 :]]
    market = market_of(listing(slip))
    (found,) = (text for text in reviewed(market) if "2024-06-04, 5Y @300%" in text)
    words = "strike is 3, typically 0.02.* in this file; correct it .*kept with its other 11 q"
    assert re.search(words, found)
    whole, kept = market_of(listing(rows)), market.day(DATES[1])
    assert set(whole.days[1].labels) - set(kept.labels) == {"5Y @3%"}
    assert [day.fingerprint for day in market.days[::2]] == [
        day.fingerprint for day in whole.days[::2]
    ]
    strict = market_of(listing(slip), checks={"incomplete": "drop"})
    assert "implausible" in {finding.check for finding in strict.dropped}
    assert len(strict) == 2


def test_a_mix_of_units_is_an_error_that_names_the_fewer(market_of):
    rows = [("5Y", "cap", strike, 0.0085) for strike in (0.02, 2.5, 3, 3.5)]
    words = r"'percent'. But 0.02 \(2024-06-03, 5Y @2%\) and 2 more are much smaller: correct"
    with pytest.raises(cs.MarketDataError, match=words):
        market_of(tidy(rows))
    rows = [("5Y", "cap", strike, 0.0085) for strike in (0.02, 0.03, 0.035, 3)]
    market = market_of(tidy(rows), **ANY_COUNT)
    assert market.labels == ("5Y @2%", "5Y @3%", "5Y @3.5%")
    assert len([text for text in reviewed(market) if "5Y @300%" in text]) == 3


def test_a_row_twice_among_daily_strikes_is_an_error(market_of):
    rows = [(date, "5Y", f"0.02{i}", 0.009) for i, date in enumerate(DATES)]
    with pytest.raises(cs.MarketDataError, match=r"2024-06-04, 5Y: normal_vol is 0\.009 in row 3"):
        market_of(listing([*rows, (DATES[1], "5Y", "0.021", 0.0091)]))


@pytest.mark.parametrize("layout", ["tidy", "long"])
@pytest.mark.parametrize(
    ("strike", "kind", "words"),
    [("2%", "cap", "'2%' carries a percent sign"), ("ATM", "collar", "'collar' is not a kind")],
)
def test_quotes_that_cannot_be_told_apart_are_not_called_twins(
    market_of, layout, strike, kind, words
):
    rows = [("5Y", "cap", "ATM"), ("5Y", kind, strike)]
    number = {"tidy": (0.009,), "long": ("normal_vol", 0.009)}[layout]
    header = "date,maturity,kind,strike," + {"tidy": "normal_vol", "long": "quantity,value"}[layout]
    with pytest.raises(cs.MarketDataError) as error:
        market_of(tidy([(*row, *number) for row in rows], header=header))
    (problem,) = error.value.problems
    assert words in problem


def test_a_column_that_says_cap_only_is_nobodys(market_of):
    rows = [("3Y", "cap", 0.0091), ("5Y", "cap", 0.0089)]
    market = market_of(tidy(rows, header="date,maturity,product,normal_vol"), **ANY_COUNT)
    assert market.unused_columns == ("product (caps.csv)",)


def test_check_lists_caps_and_floors_with_their_strikes(market_of):
    market = market_of(tidy(SURFACE))
    lines = [" ".join(line.split()) for line in page(market).splitlines()]
    assert "caps 3Y, 5Y, 10Y (ATM, 1%, 2%)" in lines
    assert "floors 5Y, 10Y (ATM, 1%); 6M tenor, idealised dates" in lines
    assert "strikes at the money on the curve where none is named; first caplet excluded" in lines
    data = check_as_data(market)
    assert data["labels"] == list(LABELS)
    assert data["kind"] == "cap, floor"


def test_too_many_strikes_are_at_the_money(market_of, monkeypatch):
    monkeypatch.setattr("calibscope.market.readers.join.MOST_CELLS", 8)
    rows = [
        (date, "5Y", strike) for i, date in enumerate(DATES) for strike in (0.01, 0.02 + i / 1e3)
    ]
    text = "\n".join(
        ["date,maturity,strike,price", *(",".join(map(str, (*r, 0.02))) for r in rows)]
    )
    with pytest.raises(cs.MarketDataError, match=r"4 maturities and strikes.*write ATM"):
        market_of(text)


def test_strikes_that_change_daily_are_asked_about(market_of):
    rows = [(date, "5Y", strike, 0.009) for i, date in enumerate(DATES)
            for strike in (0.01, round(0.02 + i / 1e3, 4))]  # fmt: skip
    lines = [",".join(map(str, row)) for row in rows]
    market = market_of("\n".join(["date,maturity,strike,normal_vol", *lines]), **ANY_COUNT)
    assert market.labels == ("5Y @1%", "5Y @2%", "5Y @2.1%", "5Y @2.2%")
    (finding,) = reviewed(market)
    assert "3 strikes are quoted on one day only, such as 5Y @2%; write ATM" in finding


def test_a_remedy_names_a_maturity_of_several_strikes_once():
    years = [3.0, 4, 5, 6, 7, 8, 8, 8, 10]
    drops = [dropped("caps.csv", "", np.datetime64(DATES[0]), None, "incomplete", [10.0])]
    assert PartlyQuoted.among(drops, years).remedy == "checks.maturities = [3, 4, 5, 6, 7, 8]"
