"""A link holds a state, and nothing but a valid one is ever computed."""

import contextlib
import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibscope.report.web.source import Source
from calibscope.report.web.state import LinkError, State, state_of_link
from calibscope.report.web.steps import changed, chosen, in_unit, on_neighbour, undone
from calibscope.study.errors import StoreError

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


@pytest.mark.parametrize("text", ["2020-03-18", "18.03.2020", "18.3.2020", "2020/03/18"])
def test_a_date_as_people_write_it(text):
    assert state_of_link(f"?date={text}").date == DAY


def test_the_plain_page_has_a_plain_link():
    assert State().link == ""
    assert not State().has_change


HOSTILE = {
    "?date=tomorrow": "use a date such as",
    "?date=2020-03-18&date=2020-03-19": "twice",
    "?move=3Y:one": "use a number",
    "?move=3Y:1e308": "stay between",
    "?move=3Y:nan": "use a finite number",
    "?move=%00:1": "use the name of a quote",
    "?without=<b>": "use the name of a quote",
    "?solver=<script>alert(1)</script>": "choose from study, global",
    "?view=__proto__": "choose from overview",
    "?bounds=a_x:1": "numbers are missing",
    "?bounds=a_x:5:1": "lower <= upper",
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
