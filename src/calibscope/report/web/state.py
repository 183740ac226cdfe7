"""The state of the live page, and the link that holds all of it.

A link says only what differs from a plain look at the last day, for example
``?date=2022-07-21&move=3Y:1&without=7Y&bounds=rho_xy:-0.9:0.9``. Whatever comes in a link, or from
the controls, is read here and nowhere else: a `State` is valid, or there is a `LinkError` with all
that is wrong.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from calibscope.base.errors import SettingsError
from calibscope.base.settings import Section, checked_settings, refused
from calibscope.calibration.weights import Weighting
from calibscope.market.maturity import label, maturity
from calibscope.market.written_dates import date_or_remedy
from calibscope.study.settings import Solver
from calibscope.study.what_if import HELD, Change, Unit

LONGEST_LINK = 2000  # characters
MOST_ENTRIES = 60  # in a list of a link
LONGEST_LABEL = 80  # characters of a quote's name
SCALES = {"price": 100.0, "vol": 1e4}  # moves are shown in percent of price, and in bp of vol
LARGEST = {"price": 50.0, "vol": 100.0}  # moves that can be asked for

View = Literal["overview", "influence", "uncertainty", "consequences", "dates"]
VIEWS: dict[View, str] = {
    "overview": "Fit and leverage",
    "influence": "Influence",
    "uncertainty": "Uncertainty",
    "consequences": "Consequences",
    "dates": "Two dates",
}
STUDY = "study"  # as the study has it
WeightChoice = Literal["study", "held", Weighting]
if TYPE_CHECKING:
    SolverChoice = str
else:
    SolverChoice = Literal["study", Solver]


def _date(value: Any) -> datetime.date:
    """As `calibscope day` reads it."""
    found = date_or_remedy(str(value))
    if isinstance(found, str):
        raise PydanticCustomError("date", "{text}", {"text": found})
    return found


def _label(value: Any) -> str:
    """The label of a quote; a maturity alone may be written in any way."""
    text = " ".join(str(value).split())
    years = maturity(text)
    if years:
        return label(years)
    if not text.isprintable() or set(text) & set("<>") or not 0 < len(text) <= LONGEST_LABEL:
        raise PydanticCustomError("quote", "use the name of a quote, such as 3Y or 10Y floor")
    return text


def _length(name: str) -> tuple[float, str]:
    """By maturity, as far as a label begins with one; a state has one link."""
    return maturity(name.split()[0]) or float("inf"), name


def _sorted(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(names, key=_length))


Label = Annotated[str, BeforeValidator(_label)]
Date = Annotated[datetime.date, BeforeValidator(_date)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[\w+.-]{1,40}$")]  # of a model or a parameter


class LinkError(ValueError):
    """A link, or what came from the controls, that means nothing; says why."""


class State(Section):
    """What the page shows."""

    date: Date | None = None  # None: the last day with results
    unit: Unit = "price"
    move: dict[Label, Number] = Field(default={}, max_length=MOST_ENTRIES)  # %, or bp of vol
    without: Annotated[tuple[Label, ...], AfterValidator(_sorted)] = Field(
        default=(), max_length=MOST_ENTRIES
    )
    weights: WeightChoice = "study"
    solver: SolverChoice = "study"
    bounds: dict[Name, tuple[Number, Number]] = Field(default={}, max_length=MOST_ENTRIES)
    model: Name | None = None  # None: the main one of the study
    other: Date | None = None  # to compare with
    view: View = "overview"
    near_optimal: bool = False  # whether consequences have their range over nearly equal fits

    @model_validator(mode="after")
    def _possible(self) -> "State":
        wrong = [
            f"{name} is moved by {size:g}; stay between {-LARGEST[self.unit]:g} and "
            f"{LARGEST[self.unit]:g} {'%' if self.unit == 'price' else 'bp'}"
            for name, size in self.move.items()
            if abs(size) > LARGEST[self.unit]
        ]
        wrong += [
            f"bounds of {name} are {low:g} and {high:g}; give lower <= upper"
            for name, (low, high) in self.bounds.items()
            if low > high
        ]
        if wrong:
            raise refused("; ".join(wrong))
        return self

    @property
    def change(self) -> Change:
        """What is to be different from the study."""
        return Change(
            moves={name: size / SCALES[self.unit] for name, size in self.move.items()},
            unit=self.unit,
            without=self.without,
            weights=None if self.weights == STUDY else self.weights,
            solver=None if self.solver == STUDY else self.solver,
            bounds=dict(self.bounds),
        )

    @property
    def has_change(self) -> bool:
        """Whether anything is asked that the study did not do."""
        return bool(self.changes)

    @property
    def changes(self) -> tuple[str, ...]:
        """What is different, in words."""
        unit = "% of price" if self.unit == "price" else "bp of normal vol"
        said = [f"{name} {size:+g} {unit}" for name, size in self._moves() if size]
        said += [f"without {name}" for name in self.without]
        if self.weights == HELD:
            said.append("weights held")
        elif self.weights != STUDY:
            said.append(f"weights {self.weights}")
        if self.solver != STUDY:
            said.append(f"solver {self.solver}")
        said += [f"{name} in [{low:g}, {high:g}]" for name, (low, high) in self.bounds.items()]
        return tuple(said)

    @property
    def link(self) -> str:
        """The query of a link to this state, with its question mark; empty for the plain page."""
        query = urlencode(list(self._entries()), safe=":,")
        return f"?{query}" if query else ""

    def _moves(self) -> list[tuple[str, float]]:
        return [(name, self.move[name]) for name in _sorted(tuple(self.move))]

    def _entries(self) -> Iterator[tuple[str, str]]:
        if self.date is not None:
            yield "date", self.date.isoformat()
        if self.model is not None:
            yield "model", self.model
        if self.unit != "price":
            yield "unit", self.unit
        moves = [f"{_escaped(name)}:{size:g}" for name, size in self._moves() if size]
        if moves:
            yield "move", ",".join(moves)
        if self.without:
            yield "without", ",".join(map(_escaped, self.without))
        for name in ("weights", "solver"):
            if getattr(self, name) != STUDY:
                yield name, getattr(self, name)
        if self.bounds:
            limits = [f"{name}:{low:g}:{high:g}" for name, (low, high) in self.bounds.items()]
            yield "bounds", ",".join(limits)
        if self.other is not None:
            yield "other", self.other.isoformat()
        if self.view != "overview":
            yield "view", self.view
        if self.near_optimal:
            yield "near_optimal", "yes"


def state_of_link(query: str) -> State:
    """The state that a link holds.

    Parameters
    ----------
    query : the link from the question mark on

    Raises
    ------
    LinkError
        with everything that is wrong about the link
    """
    if len(query) > LONGEST_LINK:
        raise LinkError(f"this link is longer than {LONGEST_LINK:,} characters; it cannot be ours")
    content: dict[str, Any] = {}
    for name, text in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
        if name in content:
            raise LinkError(f"the link says {name[:40]!r} twice; keep one of them")
        content[name] = _parsed(name, text)
    return checked_state(content)


def checked_state(content: Mapping[str, Any]) -> State:
    """A state from its parts, or an error with all that is wrong about them."""
    try:
        return checked_settings(State, dict(content), "link")
    except SettingsError as error:
        raise LinkError(str(error).removeprefix("link: ")) from None


def _parsed(name: str, text: str) -> Any:
    """Lists and pairs of a link; what is neither stays as it is, and is judged later."""
    parts = [part for part in text.split(",") if part]
    if name == "without":
        return [unquote(part) for part in parts]
    if name == "move":
        return {unquote(key): size for key, size in map(_pair, parts)}
    if name == "bounds":
        return {key: tuple(rest.split(":")) for key, rest in map(_pair, parts)}
    return text


def _escaped(name: str) -> str:
    """A label without the signs that separate entries of a link."""
    return name.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")


def _pair(part: str) -> tuple[str, str]:
    key, _, rest = part.partition(":")
    return key, rest
