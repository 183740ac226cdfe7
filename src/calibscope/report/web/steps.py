"""From one state to the next: another day, another choice, another unit, or back to the study."""

import datetime
from typing import Any

import numpy as np

from calibscope.market.day import MarketDay
from calibscope.market.maturity import label
from calibscope.report.web.source import Source
from calibscope.report.web.state import SCALES, LinkError, State, checked_state
from calibscope.study.what_if import price_moves, vol_moves

DIGITS = 3  # of a move that is shown in another unit


def changed(state: State, **changes: Any) -> State:
    """The state with these changes, checked as a link is."""
    return checked_state(state.model_dump() | changes)


def undone(state: State) -> State:
    """The same day and view, as the study has them."""
    return State(date=state.date, unit=state.unit, view=state.view, other=state.other)


def on_neighbour(source: Source, state: State, step: int) -> State:
    """The day before (-1) or after (1) that has results; at the ends, the same."""
    date = source.date(state)
    days: list[datetime.date] = source.study.fitted["date"].dt.date.to_list()
    near = [day for day in days if (day - date).days * step > 0]
    return changed(state, date=(near[0] if step > 0 else near[-1]) if near else date)


def chosen(source: Source, state: State, field: str, value: str) -> State:
    """The state after a button was pressed.

    Parameters
    ----------
    field : of the state; "without" and "near_optimal" are turned on and off
    """
    if field == "unit":
        return in_unit(state, source.study.day(source.date(state)), value)
    if field == "near_optimal":
        return changed(state, near_optimal=not state.near_optimal)
    if field == "without":
        names = [label(year) for year in state.without]
        now = [name for name in names if name != value] if value in names else [*names, value]
        return changed(state, without=now)
    if field not in State.model_fields:
        raise LinkError(f"there is no choice {field[:20]!r}")
    return changed(state, **{field: value})


def in_unit(state: State, day: MarketDay, unit: str) -> State:
    """The same moves in the other unit, to three digits after the point."""
    if unit not in SCALES:
        raise LinkError(f"the unit is {unit[:20]!r}; use price or vol")
    if unit == state.unit:
        return state
    moves = np.array([state.move.get(float(year), 0.0) for year in day.maturities])
    convert = vol_moves if unit == "vol" else price_moves
    found = SCALES[unit] * convert(day, moves / SCALES[state.unit])
    sizes = {
        float(year): round(float(size), DIGITS)
        for year, size in zip(day.maturities, found, strict=True)
        if np.isfinite(size)
    }
    return changed(state, unit=unit, move={year: size for year, size in sizes.items() if size})
