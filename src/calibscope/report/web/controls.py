"""The controls of the live page, set as a state says.

Buttons that are pressed or not, and the browser's own sliders and fields: they have names, can be
reached by keyboard, and need no script of ours. What a button does is said by its id
(`steps.py`); numbers are read by `state_of_numbers`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from dash import dcc, html

from calibscope.base.numbers import number
from calibscope.calibration.problem import box
from calibscope.calibration.solvers import SOLVERS
from calibscope.market.day import MarketDay
from calibscope.report.web.state import VIEWS, State, WeightChoice
from calibscope.report.web.steps import changed
from calibscope.study.settings import StudySettings
from calibscope.study.study import Study

REACH, STEP = 5.0, 0.25  # of the sliders, in percent of price or bp of normal vol; every step asks
TYPED = 0.4  # seconds after which a number counts as typed
UNITS = {"price": "price, %", "vol": "normal vol, bp"}
WEIGHTS = {
    "study": "as in the study",
    "held": "held at the old quotes",
    "rmsre": "relative errors",
    "absolute": "absolute errors",
    "vega": "errors in normal vol",
    "leverage_balanced": "leverage balanced",
}
SOLVER_TITLES = {
    "study": "as in the study",
    **{name: spec.title for name, spec in SOLVERS.items()},
}
assert set(WEIGHTS) == set(get_args(WeightChoice))


def controls(state: State, day: MarketDay, study: Study) -> list[Any]:
    """Everything that can be asked about a day."""
    settings, models = study.settings, {name: study.model_of(name).title for name in study.models}
    usual = _usual_bounds(settings)
    return [
        html.H2("What to change", className="unseen"),
        *([_group("Model", _choices("model", models, study.model))] if len(models) > 1 else []),
        _group(
            "Move quotes by",
            _choices("unit", UNITS, state.unit),
            _movers(day, state),
        ),
        _folded("Weights", WEIGHTS[state.weights], _choices("weights", WEIGHTS, state.weights)),
        _folded(
 "Solver", SOLVER_TITLES[state.solver], _choices("solver", SOLVER_TITLES, state.solver)
),
        _folded(
            "Bounds",
            "changed" if state.bounds else "as in the study",
            html.Div(
                [part for name in usual for part in _limits(name, state, usual[name])],
                className="bounds",
            ),
        ),
        html.P(html.Button("Undo all changes", id={"type": "go", "where": "undo"})),
    ]  # fmt: skip


def views(state: State) -> Any:
    """The views to choose from."""
    return _choices("view", VIEWS, state.view)


def near_optimal_button(state: State) -> Any:
    """Whether consequences are searched among nearly equal fits."""
    words = "Search nearly equal fits, too (some seconds)"
    return html.P(_button("near_optimal", "yes", words, is_pressed=state.near_optimal))


def text_field(name: str, value: str, example: str = "") -> Any:
    """A field for a few letters that is read when they are entered."""
    return dcc.Input(
        id=name, type="text", value=value, debounce=True, placeholder=example, size="11"
    )


def state_of_numbers(
    known: State,
    names: Sequence[str],
    moves: Sequence[Any],
    limits: Sequence[tuple[str, Any, Any]],
    settings: StudySettings,
) -> State:
    """The state with the numbers of the fields; an emptied field asks for nothing.

    Parameters
    ----------
    names, moves : of the quotes that can be moved
    limits : name of a parameter, lower and upper bound
    """
    usual = _usual_bounds(settings)
    bounds = {}
    for name, *given in limits:
        if name not in usual:
            continue
        asked = tuple(u if g in (None, "") else g for g, u in zip(given, usual[name], strict=True))
        if asked != usual[name]:
            bounds[name] = asked
    asked_moves = {
        name: size for name, size in zip(names, moves, strict=True) if size not in (None, "", 0)
    }
    return changed(known, move=asked_moves, bounds=bounds)


def _movers(day: MarketDay, state: State) -> Any:
    """A row for each quote: whether it is in the fit, its vol, a slider and a number."""
    reach = max([REACH, *(abs(state.move.get(name, 0.0)) for name in day.labels)])
    scale = [html.Span(number(end, "+g")) for end in (-reach, 0.0, reach)]
    head = [
        html.Span("in the fit", className="soft"),
        html.Span("vol, bp", className="soft number"),
        html.Span(scale, className="soft scale"),
        html.Span("%" if state.unit == "price" else "bp", className="soft number"),
    ]
    rows = zip(day.labels, 1e4 * day.normal_vols, strict=True)
    parts = [part for name, vol in rows for part in _mover(name, vol, state, reach)]
    return html.Div([*head, *parts], className="movers")


def _mover(name: str, vol: float, state: State, reach: float) -> list[Any]:
    is_used = name not in state.without
    size = state.move.get(name, 0.0)
    kinds = (
        ("slide", "range", {"min": -reach, "max": reach, "step": STEP}),
        ("number", "number", {"step": "any", "debounce": TYPED}),
    )
    return [
        _button("without", name, name, is_pressed=is_used),
        html.Span("none" if vol != vol else number(vol, ".1f"), className="soft number"),
        *(
            html.Label(
                [
                    html.Span(f"Move {name}", className="unseen"),
                    dcc.Input(
                        id={"type": kind, "label": name}, type=field, value=size,
                        disabled=not is_used, **options,
                    ),
                ],
                className=kind,
            )
            for kind, field, options in kinds
        ),
    ]  # fmt: skip


def _limits(name: str, state: State, usual: tuple[float, float]) -> list[Any]:
    limits = state.bounds.get(name, usual)
    return [
        html.Span(name),
        *(
            html.Label(
                [
                    html.Span(f"{side} bound of {name}", className="unseen"),
                    dcc.Input(
                        id={"type": side, "name": name}, type="number", value=value, step="any",
                        debounce=True,
                    ),
                ]
            )
            for side, value in zip(("lower", "upper"), limits, strict=True)
        ),
    ]  # fmt: skip


def _usual_bounds(settings: StudySettings) -> dict[str, tuple[float, float]]:
    chosen = settings.calibration
    lower, upper = box(chosen.specs, chosen.bounds, chosen.fixed)
    return {name: (float(lower[p]), float(upper[p])) for p, name in enumerate(chosen.specs.names)}


def _group(title: str, *children: Any) -> Any:
    return html.Fieldset([html.Legend(title), *children])


def _folded(title: str, now: str, content: Any) -> Any:
    summary = html.Summary([title, html.Span(f" {now}", className="soft")])
    return html.Details([summary, content], open=now not in ("as in the study",))


def _choices(field: str, words: Mapping[Any, str], value: str) -> Any:
    return html.Div(
        [_button(field, key, text, is_pressed=key == value) for key, text in words.items()],
        className=f"choices {field}",
    )


def _button(field: str, value: str, text: str, *, is_pressed: bool) -> Any:
    return html.Button(
        text,
        id={"type": "choose", "field": field, "value": value},
        **{"aria-pressed": "true" if is_pressed else "false"},
    )
