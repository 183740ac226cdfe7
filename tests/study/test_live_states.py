"""A link holds a state, and nothing but a valid one is ever computed; what is said of one."""

import contextlib
import datetime
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calibscope as cs
from calibscope.market.inputs import parsed_date
from calibscope.report.document import Collapsible, Table
from calibscope.report.figures.markup import plain
from calibscope.report.web import answers
from calibscope.report.web import source as sources
from calibscope.report.web.app import make_app
from calibscope.report.web.shown import answered
from calibscope.report.web.source import Source
from calibscope.report.web.state import LinkError, State, state_of_link
from calibscope.report.web.steps import changed, chosen, in_unit, on_neighbour, undone
from calibscope.study.errors import StoreError
from calibscope.study.stored_intervals import stored_intervals

DAY = datetime.date(2020, 3, 18)


@pytest.fixture(scope="module")
def source(live_store):
    return Source(live_store)


years = st.sampled_from(["3Y", "18M", "10Y floor", "10Y @2.5%", "put 5Y, on: 15Y"])
states = st.builds(
    State,
    date=st.none() | st.dates(),
    unit=st.sampled_from(["price", "vol"]),
    move=st.dictionaries(years, st.integers(1, 500).map(lambda size: size / 10)),
    without=st.lists(years, unique=True).map(sorted).map(tuple),
    weights=st.sampled_from(["study", "held", "vega"]),
    solver=st.sampled_from(["study", "nelder-mead"]),
    bounds=st.dictionaries(st.sampled_from(["a_x", "rho_xy"]), st.just((0.01, 0.5))),
    other=st.none() | st.dates(),
    view=st.sampled_from(["overview", "dates"]),
    near_optimal=st.booleans(),
)


@given(states)
def test_a_link_gives_its_state_back(state):
    again = state_of_link(state.link)
    assert again == state
    assert again.link == state.link


@pytest.mark.parametrize(
    "text", ["18.03.2020", "20200318", "2020/3/18", "18/03/2020", "soon", "30.02.2020"]
)
def test_a_date_is_read_or_refused_as_in_the_terminal(text):
    date, why = parsed_date(text)
    if why:
        with pytest.raises(LinkError) as error:
            state_of_link(f"?date={text}")
        assert [str(error.value)] == why
    else:
        assert state_of_link(f"?date={text}").date == date == DAY


def test_the_plain_page_has_a_plain_link():
    assert State().link == ""
    assert not State().has_change


HOSTILE = {
    "?date=tomorrow": "write it like 2022-07-21",
    "?date=2020-03-18&date=2020-03-19": "twice",
    "?move=3Y:one": "use a number",
    "?move=3Y:1e308": r"^3Y is moved by 1e\+308; stay between",
    "?move=3Y:nan": "use a finite number",
    "?move=%00:1": "use the name of a quote",
    "?without=<b>": "use the name of a quote",
    "?solver=<script>alert(1)</script>": "choose from study, global",
    "?view=__proto__": "choose from overview",
    "?bounds=a_x:1": "numbers are missing",
    "?bounds=a_x:5:1": "^bounds of a_x are 5 and 1; give lower <= upper",
    "?strange=1": "there is no such setting",
    "?" + 3000 * "a": "longer than 2,000 characters",
    "?move=" + ",".join(f"{k}M:1" for k in range(1, 200)): "at most 60",
}


@pytest.mark.parametrize(("query", "words"), HOSTILE.items(), ids=lambda text: text[:24])
def test_a_hostile_link_is_answered_with_a_message(query, words):
    with pytest.raises(LinkError, match=words):
        state_of_link(query)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?bounds=rho_xy:-9:9", "give -1"),
        ("?bounds=a:1:2", "choose from a_x"),
        ("?model=x", "no res"),
    ],
)
def test_what_the_model_does_not_have_is_answered_with_a_message(source, query, words):
    state = state_of_link(query)
    with pytest.raises((LinkError, StoreError), match=words):
        source.study(state)


@given(st.text(max_size=60))
def test_any_text_is_a_state_or_a_message(text):
    with contextlib.suppress(LinkError):
        assert isinstance(state_of_link(f"?{text}"), State)


def test_the_way_from_day_to_day(source):
    state = State(date=DAY)
    following = on_neighbour(source, state, 1)
    assert following.date > DAY
    assert on_neighbour(source, following, -1).date == DAY
    first = source.study(State()).fitted["date"].iloc[0].date()
    assert on_neighbour(source, State(date=first), -1).date == first
    last = source.study(State()).fitted["date"].iloc[-1].date()
    assert source.date(State()) == last


def test_buttons_turn_on_and_off(source):
    state = State(date=DAY)
    without = chosen(source, state, "without", "3Y")
    assert without.without == ("3Y",)
    assert chosen(source, without, "without", "3Y").without == ()
    assert chosen(source, state, "near_optimal", "yes").near_optimal
    assert chosen(source, state, "solver", "lm").solver == "lm"
    with pytest.raises(LinkError):
        chosen(source, state, "solver", "none")
    assert undone(changed(without, view="influence")) == State(date=DAY, view="influence")


def test_moves_keep_their_meaning_in_another_unit(source):
    day = source.study(State()).day(DAY)
    state = State(date=DAY, move={"3Y": 1.0})
    there = in_unit(state, day, "vol")
    assert there.unit == "vol"
    assert in_unit(there, day, "price").move["3Y"] == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(LinkError, match="use price or vol"):
        in_unit(state, day, "percent")


def test_what_is_changed_is_said_in_words():
    state = state_of_link("?move=3Y:1,5Y:-2&without=7Y&weights=held&bounds=rho_xy:-0.9:0.9")
    assert state.changes == (
        "3Y +1 % of price", "5Y -2 % of price", "without 7Y", "weights held",
        "rho_xy in [-0.9, 0.9]",
    )  # fmt: skip


# Which intervals are shown

LEVELS = (0.95, 0.75, 0.5)


def shown(source, query):
    """The table of parameters, and the sentences around it."""
    blocks = list(answers.summary(answered(source, state_of_link(query))))
    (found,) = (block for block in blocks if isinstance(block, Table))
    left_out = [each for block in blocks if isinstance(block, Collapsible) for each in block.blocks]
    texts = [block for block in blocks if isinstance(block, str)]
    return found, " ".join([*texts, *(block.text for block in left_out)])


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """Two days, both profiled; one has volatilities of 100 %."""
    path = tmp_path_factory.mktemp("profiled") / "study.db"
    market = cs.demo_market()
    days = tuple(market.day(date) for date in ("2022-05-16", "2023-06-15"))
    cs.run_study(replace(market, days=days, dropped=()), path, profiles="all")
    return Source(path)


def test_a_day_at_rest_has_profile_intervals_and_a_moved_one_the_quick_ones(source):
    state = state_of_link("?date=2020-03-18")
    found = source.what_if(state)
    at_rest = source.intervals(state, found, LEVELS)
    own = cs.diagnose(found.after).intervals(LEVELS)
    np.testing.assert_array_equal(at_rest.low, own.low)
    assert at_rest.marks == own.marks
    table, _ = shown(source, "?date=2020-03-18")
    assert table.caption.endswith("with 95 % intervals by profile")
    moved, _ = shown(source, "?date=2020-03-18&move=3Y:1")
    assert moved.caption.endswith("with 95 % intervals by delta method, the quick ones")
    words = [block for block in view_of(source, "?date=2020-03-18&view=uncertainty&move=3Y:1")
             if isinstance(block, str)]  # fmt: skip
    assert "these are the quick ones" in words[0]


def view_of(source, query):
    return answers.view(answered(source, state_of_link(query)))


def test_stored_profiles_are_shown_and_not_computed_again(profiled, monkeypatch):
    monkeypatch.setattr(sources, "_walked", lambda *_: pytest.fail("computed again"))
    study = profiled.study(State())
    for date in ("2022-05-16", "2023-06-15"):
        state = state_of_link(f"?date={date}")
        found = profiled.intervals(state, profiled.what_if(state), LEVELS)
        rows = study.profiles[study.profiles["date"] == date].set_index(["level", "parameter"])
        for level in LEVELS:
            own = rows.loc[level].loc[list(found.specs.names)]
            np.testing.assert_array_equal(found.at(level).low, own["low"])
            assert list(found.at(level).marks) == own["mark"].tolist()
        chart, *_ = view_of(profiled, f"?date={date}&view=uncertainty")
        assert "intervals by profile" in plain(chart.figure.layout.title.subtitle.text)


def test_profiles_of_another_fit_are_not_shown(profiled):
    state = state_of_link("?date=2022-05-16")
    dx = profiled.what_if(state).dx_after
    study, date = profiled.study(State()), profiled.date(state)
    assert stored_intervals(study, date, dx, LEVELS) is not None
    assert stored_intervals(study, date, dx, (0.9,)) is None
    elsewhere = replace(dx.problem, values=1.1 * dx.problem.values)
    assert stored_intervals(study, date, replace(dx, problem=elsewhere), LEVELS) is None


def test_a_study_by_delta_method_shows_delta_intervals(tmp_path):
    day = cs.demo_market().between("2020-03-18", "2020-03-18")
    cs.run_study(day, tmp_path / "s.db", {"diagnosis": {"method": "delta"}})
    table, _ = shown(Source(tmp_path / "s.db"), "")
    assert table.caption.endswith("by delta method, the quick ones")


def test_a_change_stands_before_after_and_beside_its_status(source):
    """12Y is wrong on that day; without it the fit is green, by the rules about fits."""
    table, words = shown(source, "?date=2020-03-11&without=12Y")
    titles, rows = [column.title for column in table.columns], {row[0]: row for row in table.rows}
    assert titles[:5] == ["quantity", "before", "after", "change", "predicted"]
    assert rows["RMSRE"][1:4] == ("2.81 %", "0.70 %", "-75.0 %")
    assert rows["RAG of the fit"][1:4] == ("amber", "green", "better")
    before, after = rows["a_y"][1:3]
    assert rows["a_y"][3] == f"\N{MULTIPLICATION SIGN} {after / before:.3g}"
    assert rows["rho_xy"][3] == "0"
    assert "screening of quotes against their history are not among them" in words
    wrong, words = shown(source, "?date=2020-03-18&move=12Y:-9")
    assert wrong.rows[-1][1:4] == ("green", "amber", "worse")
    assert "Rated amber: " in words


def test_two_dates_lie_on_common_axes(source):
    query = "?date=2020-03-18&other=2020-03-11&view=dates&without=12Y"
    table, drawn = view_of(source, query)
    assert [column.title for column in table.columns][1:5] == [
        "2020-03-18", "2020-03-18, what if", "2020-03-11", "change"
    ]  # fmt: skip
    market = [trace for trace in drawn.figure.data if trace.name.endswith(": market")]
    assert [trace.yaxis for trace in market] == ["y", "y"]
    assert [len(trace.x) for trace in market] == [12, 13]  # what is left out is in the second
    assert list(drawn.figure.layout.xaxis.categoryarray) == list(market[1].x)
    assert not list(answers.summary(answered(source, state_of_link(query))))


def test_the_plausible_fit_is_there_with_its_cost(profiled):
    table, words = shown(profiled, "?date=2023-06-15")
    assert "plausible fit" in [column.title for column in table.columns]
    row = profiled.study(State()).fitted.iloc[-1]
    cost = row["plausible_rmsre"] / row["rmsre"] - 1.0
    assert f"(+{100 * cost:.1f} %)" in words
    assert "50 % of the study's days are implausible" in words
    two, *_ = view_of(profiled, "?date=2022-05-16&other=2023-06-15&view=dates")
    titles = [column.title for column in two.columns]
    assert titles == [
        "quantity", "2022-05-16", "2023-06-15", "change", "2023-06-15, plausible fit"
    ]  # fmt: skip


def test_the_noise_of_the_history_is_named_beside_a_day(source, study):
    """Eleven weeks show misfit; a month is too short to tell."""
    said = "The history shows misfit, not independent noise"
    _, words = shown(Source(study.path), "")
    assert said in words
    report = make_app(study.path).server.test_client().get("/day.html")
    assert said in report.get_data(as_text=True)
    _, words = shown(source, "?date=2020-03-18")
    assert said not in words
