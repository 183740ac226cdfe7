"""The shape of what a browser sends to a callback, checked before Dash reads it.

Dash takes the shape for granted and fails somewhere inside when it is another. A request that this
page did not make is refused here instead, by name and without repeating it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from calibscope.report.web.state import LONGEST_LINK

MOST_OF_A_KIND = 200  # components that one pattern may match
LARGEST = 1e300  # number; others are no quotes and no bounds
ALL = ["ALL"]  # stands in a pattern for any value
# What a property holds, if anything; fields have texts or numbers.
KINDS: dict[str, tuple[type, ...]] = {
    "search": (str,),
    "data": (str,),
    "n_clicks": (int,),
    "value": (str, int, float),
}


class RequestError(ValueError):
    """A request that no page of ours has made; says what is wrong with it."""


def check_request(body: Any, callbacks: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a request that does not fit its callback.

    Parameters
    ----------
    body : of the request, as JSON gives it
    callbacks : Dash's, by their output

    Raises
    ------
    RequestError
    """
    if not isinstance(body, dict):
        raise RequestError("the request is not an object")
    name = body.get("output")
    callback = callbacks.get(name) if isinstance(name, str) else None
    if callback is None:
        raise RequestError("there is no such callback")
    matched: dict[tuple[str, ...], list[Any]] = {}
    inputs = set(_checked(body, "inputs", callback["inputs"], matched))
    _ = set(_checked(body, "state", callback["state"], matched))
    _ = set(_checked(body, "outputs", _outputs(callback), matched))
    changed = body.get("changedPropIds", [])
    if not isinstance(changed, list) or not all(
        isinstance(entry, str) and entry in inputs for entry in changed
    ):
        raise RequestError("changedPropIds: not one of the inputs")


def _outputs(callback: Mapping[str, Any]) -> list[dict[str, Any]]:
    output = callback["output"]
    every = output if isinstance(output, (list, tuple)) else [output]
    return [{"id": one.component_id_str(), "property": one.component_property} for one in every]


def _checked(
    body: Mapping[str, Any],
    part: str,
    wanted: Sequence[Mapping[str, Any]],
    matched: dict[tuple[str, ...], list[Any]],
) -> Iterator[str]:
    """The names of the properties in a part of a request, in Dash's spelling."""
    given = body.get(part, [])
    if not isinstance(given, list) or len(given) != len(wanted):
        raise RequestError(f"{part}: there should be {len(wanted)}")
    for entry, expected in zip(given, wanted, strict=True):
        name, property_ = expected["id"], expected["property"]
        if name.startswith("{"):
            yield from _matches(entry, json.loads(name), property_, part, matched)
        else:
            _check_entry(entry, name, property_, part)
            yield f"{name}.{property_}"


def _matches(
    entries: Any,
    pattern: Mapping[str, Any],
    property_: str,
    part: str,
    matched: dict[tuple[str, ...], list[Any]],
) -> Iterator[str]:
    """The same for the components that a pattern stands for."""
    if not isinstance(entries, list) or len(entries) > MOST_OF_A_KIND:
        raise RequestError(f"{part}: not a list of at most {MOST_OF_A_KIND}")
    free = tuple(key for key, value in sorted(pattern.items()) if value == ALL)
    values = []
    for entry in entries:
        id_: Any = entry.get("id") if isinstance(entry, dict) else None
        if not _fits(id_, pattern):
            raise RequestError(f"{part}: another component")
        _check_entry(entry, id_, property_, part)
        values.append([id_[key] for key in free])
        spelled = json.dumps(id_, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        yield f"{spelled}.{property_}"
    # Sliders and fields, figures and captions: what is of a kind comes together.
    if matched.setdefault(free, values) != values:
        raise RequestError(f"{part}: components that belong together are not together")


def _fits(id_: Any, pattern: Mapping[str, Any]) -> bool:
    """Whether the id of a component is one that the pattern stands for."""
    return (
        isinstance(id_, dict)
        and id_.keys() == pattern.keys()
        and all(
            _is_name(id_[key]) if value == ALL else id_[key] == value
            for key, value in pattern.items()
        )
    )


def _is_name(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= 40 and value.isascii() and value.isprintable()
    return type(value) is int and 0 <= value < MOST_OF_A_KIND


def _check_entry(entry: Any, id_: Any, property_: str, part: str) -> None:
    if not isinstance(entry, dict) or entry.get("id") != id_:
        raise RequestError(f"{part}: another component")
    if str(entry.get("property")).partition("@")[0] != property_:
        raise RequestError(f"{part}: another property")
    if not _is_value(entry.get("value"), id_, property_):
        raise RequestError(f"{part}: {property_} cannot have that value")


def _is_value(value: Any, id_: Any, property_: str) -> bool:
    if property_ == "id":
        return bool(value == id_)
    if value is None:
        return True
    if property_ == "clickData":
        return _is_click(value)
    if type(value) not in KINDS.get(property_, ()):  # so that True is not a number
        return False
    if isinstance(value, str):
        return len(value) <= LONGEST_LINK + 1 and not _has_surrogates(value)
    return bool(-LARGEST < value < LARGEST)  # and not NaN


def _is_click(value: Any) -> bool:
    """Whether a point of the time series was clicked."""
    points = value.get("points") if isinstance(value, dict) else None
    first = points[0] if isinstance(points, list) and points else None
    date = first.get("x") if isinstance(first, dict) else None
    return isinstance(date, str) and not _has_surrogates(date)


def _has_surrogates(text: str) -> bool:
    """Half of a letter, which cannot be sent back."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)
