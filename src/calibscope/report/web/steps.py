"""From one state to the next: another day, another choice, another unit, or back to the study."""

import datetime
from typing import Any

import numpy as np

from calibscope.market.day import MarketDay
from calibscope.report.web.source import Source
from calibscope.report.web.state import SCALES, LinkError, State, checked_state
from calibscope.study.what_if import price_moves, vol_moves

DIGITS = 3  # of a move that is shown in another unit


def changed(state: State, **changes: Any) -> State:
    """The state with these changes, checked as a link is."""
    return checked_state(state.model_dump() | changes)


def undone(state: State) -> State:
    """The same day and view, as the study has them."""
    kept = {name: getattr(state, name) for name in ("date", "model", "unit", "view", "other")}
    return State(**kept)


def with_other(state: State, date: str | None) -> State:
    """Compared with a second date, or with none."""
    if date:
        return changed(state, other=date, view="dates")
    return changed(state, other=None, view="overview" if state.view == "dates" else state.view)


def on_neighbour(source: Source, state: State, step: int) -> State:
    """The day before (-1) or after (1) that has results; at the ends, the same."""
    date = source.date(state)
    days: list[datetime.date] = source.study(state).fitted["date"].dt.date.to_list()
    near = [day for day in days if (day - date).days * step > 0]
    return changed(state, date=(near[0] if step > 0 else near[-1]) if near else date)


def chosen(source: Source, state: State, field: str, value: str) -> State:
    """The state after a button was pressed.

    Parameters
    ----------
    field : of the state; "without" and "near_optimal" are turned on and off
    """
    if field == "model":  # whose parameters are others
        return changed(state, model=value, bounds={})
    if field == "unit":
        return in_unit(state, source.study(state).day(source.date(state)), value)
    if field == "near_optimal":
        return changed(state, near_optimal=not state.near_optimal)
    if field == "without":
        names = state.without
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
    moves = np.array([state.move.get(name, 0.0) for name in day.labels])
    convert = vol_moves if unit == "vol" else price_moves
    found = SCALES[unit] * convert(day, moves / SCALES[state.unit])
    sizes = {
        name: round(float(size), DIGITS)
        for name, size in zip(day.labels, found, strict=True)
        if np.isfinite(size)
    }
    return changed(state, unit=unit, move={name: size for name, size in sizes.items() if size})
