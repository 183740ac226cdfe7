"""The live page as a Dash application.

The address holds the state and the server holds none: every request says all that it needs. `show`
makes the page for an address. Whatever else is touched leads to a new address: `go` for buttons and
dates, through `show`; `ask` for numbers, which it answers itself, so that nothing is laid out anew
while somebody types.
"""

from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import dash
from dash import ALL, Dash, Input, Output, dcc, html, no_update
from dash import State as Given

from calibscope import __version__
from calibscope.report.document import Figure
from calibscope.report.render.html import style
from calibscope.report.web import answers
from calibscope.report.web.components import message, pictures, split, words
from calibscope.report.web.controls import controls, near_optimal_button, state_of_numbers, views
from calibscope.report.web.entry import guard, offer_report, refuse, told
from calibscope.report.web.heading import heading
from calibscope.report.web.headline import headline
from calibscope.report.web.shown import answered
from calibscope.report.web.source import Source
from calibscope.report.web.state import State, state_of_link
from calibscope.report.web.steps import changed, chosen, on_neighbour, undone, with_other

WAIT = "Calibrating. The first time on a machine takes about a minute: kernels are compiled then."
LAID_OUT = "laid out"  # what is known of a page that shows a message
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>{%metas%}<title>{%title%}</title>{%favicon%}<style>STYLE</style>{%css%}</head>
<body>{%app_entry%}{%config%}{%scripts%}{%renderer%}</body>
</html>"""


def make_app(store: Path, host: str = "127.0.0.1", model: str | None = None) -> Dash:
    """The application for one store of a study.

    Parameters
    ----------
    host : the address that it will be offered on
    model : of a study with several models, the one that is shown first

    Raises
    ------
    StoreError
        if there is no such store
    """
    source = Source(store, model)
    _ = source.study(State())  # what is not a store is refused here, not by the first visitor
    app = Dash(
        "calibscope",
        title="calibscope: what if?",
        update_title="",
        assets_folder=str(files("calibscope.report.web").joinpath("assets")),
        suppress_callback_exceptions=True,
        index_string=PAGE.replace("STYLE", style()),
    )
    app.layout = _layout()
    _register_show(app, source)
    _register_go(app, source)
    _register_ask(app, source)
    offer_report(app, source)
    refuse(app, host)
    guard(app)
    return app


def _layout() -> Any:
    return html.Div(
        [
            dcc.Location(id="url", refresh=False),
            dcc.Store(id="known"),
            html.A("Skip to the answer", href="#main", className="skip"),
            html.Div(html.Header(html.H1("What if?")), id="head"),
            html.Div(id="notice"),
            html.Div(
                [
                    html.Aside(id="controls", **{"aria-label": "What to change"}),
                    html.Main(
                        [
                            html.Div(html.P(WAIT, role="status"), id="summary"),
                            html.Div([html.Div(id="views"), html.Div(id="links")], className="bar"),
                            dcc.Loading(
                                html.Div(id="figures"), delay_show=600,
                                overlay_style={"visibility": "visible", "opacity": 0.4},
                            ),
                            html.Div(id="words"),
                        ],
                        id="main",
                    ),
                ],
                className="what-if",
            ),
            html.Footer(f"calibscope {__version__}"),
        ]
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page says about a state."""

    summary: list[Any]
    figures: list[Figure]
    words: list[Any]


def _answered(source: Source, state: State) -> Answer:
    with source.turn():
        shown = answered(source, state)
        line = headline(shown)
        head = words(answers.summary(shown))
        lead, figures, rest = split(answers.view(shown))
        for block in figures:
            _ = block.figure  # made while it is our turn
    further = [near_optimal_button(state)] if state.view == "consequences" else []
    return Answer([line, *head, *lead], figures, [*rest, *further])


def _links(state: State) -> list[Any]:
    """What to do with a state; `assets/copy_link.js` copies."""
    return [
        html.Span(id="copied", role="status"),
        html.Button("Copy link", id="copy-link", **{"data-link": state.link}),
        html.A("Save as report", href=f"day.html{state.link}"),
    ]


def _state(source: Source, search: str | None) -> State:
    """The state of an address, with its date."""
    state = state_of_link(search or "")
    return state.model_copy(update={"date": source.date(state)})


def _has_same_head(known: str | None, state: State) -> bool:
    """Whether the page that is there, by its link, is of the same dates and model."""
    try:
        before = state_of_link(known or "")
    except ValueError:
        return False
    own = (before.date, before.other, before.model)
    return bool(known) and own == (state.date, state.other, state.model)


def _why(source: Source, lead: str, error: Exception, *further: Any) -> Any:
    """What went wrong, as a visitor is told."""
    return message(lead, told(error, source.path), *further)


def _refused(source: Source, search: str | None, error: Exception) -> Any:
    """Why what was asked was not done, and what the page shows meanwhile."""
    shows = "The page has not changed."
    with suppress(Exception):
        shows = f"The page still shows {_state(source, search).date} as it was before."
    return _why(source, "Not done.", error, shows)


def _without_day(source: Source, search: str | None, error: Exception) -> list[Any]:
    """The page where there is nothing to show: no fact of another day stays."""
    state, lead = State(), "This link cannot be shown."
    with suppress(Exception):
        state = _state(source, search)
        lead = f"There is nothing to show for {state.date}."
    try:
        head: Any = heading(source.study(state), state.date, state.other)
    except Exception:
        head = html.Header(html.H1("What if?"))
    way_out = html.A("To the last day of the study", href="?")
    why = [_why(source, lead, error, way_out)]
    return [head, [], [], [], why, [], [], [], LAID_OUT]


def _register_show(app: Dash, source: Source) -> None:
    @app.callback(
        Output("head", "children"), Output("notice", "children"), Output("controls", "children"),
        Output("views", "children"), Output("summary", "children"), Output("links", "children"),
        Output("figures", "children"), Output("words", "children"), Output("known", "data"),
        Input("url", "search"), Given("known", "data"),
    )  # fmt: skip
    def show(search: str | None, known: str | None) -> Any:
        """The page for an address."""
        if known is not None and search == known:
            return [no_update] * 9
        try:
            state = _state(source, search)
            study, date = source.study(state), source.date(state)
            day = study.day(date)
            is_there = _has_same_head(known, state)
            head = no_update if is_there else heading(study, date, state.other)
            side = controls(state, day, study)
        except Exception as error:
            return _without_day(source, search, error)
        try:
            answer = _answered(source, state)
        except Exception as error:
            lead = "There is no answer to this."
            answer = Answer([_why(source, lead, error)], [], [])
        return (
            head, [], side, views(state), answer.summary, _links(state),
            pictures(answer.figures), answer.words, state.link,
        )  # fmt: skip


def _register_go(app: Dash, source: Source) -> None:
    @app.callback(
        Output("url", "search", allow_duplicate=True),
        Output("notice", "children", allow_duplicate=True),
        Input({"type": "go", "where": ALL}, "n_clicks"),
        Input({"type": "choose", "field": ALL, "value": ALL}, "n_clicks"),
        Input("date", "value"), Input("other", "value"), Input("history", "clickData"),
        Given("url", "search"),
        prevent_initial_call=True,
    )  # fmt: skip
    def go(_: Any, __: Any, date: Any, other: Any, click: Any, search: str | None) -> Any:
        """Another address, for buttons and dates."""
        trigger, value = dash.ctx.triggered_id, dash.ctx.triggered[0]["value"]
        if value is None:  # it was only just laid out
            return no_update, no_update
        try:
            state = _state(source, search)
            if trigger == "date":
                link = changed(state, date=date).link
            elif trigger == "other":
                link = with_other(state, other).link
            elif trigger == "history":
                link = changed(state, date=str(click["points"][0]["x"])[:10]).link
            elif trigger["type"] == "choose":
                link = chosen(source, state, trigger["field"], trigger["value"]).link
            elif trigger["where"] == "undo":
                link = undone(state).link
            else:
                link = on_neighbour(source, state, 1 if trigger["where"] == "next" else -1).link
        except Exception as error:
            return no_update, [_refused(source, search, error)]
        return (no_update if link == search else link), []


def _register_ask(app: Dash, source: Source) -> None:
    @app.callback(
        Output("notice", "children", allow_duplicate=True),
        Output("summary", "children", allow_duplicate=True),
        Output("links", "children", allow_duplicate=True),
        Output({"type": "figure", "place": ALL}, "figure"),
        Output({"type": "caption", "place": ALL}, "children"),
        Output("words", "children", allow_duplicate=True),
        Output({"type": "slide", "label": ALL}, "value"),
        Output({"type": "number", "label": ALL}, "value"),
        Output("known", "data", allow_duplicate=True),
        Output("url", "search", allow_duplicate=True),
        Input({"type": "slide", "label": ALL}, "value"),
        Input({"type": "number", "label": ALL}, "value"),
        Input({"type": "lower", "name": ALL}, "value"),
        Input({"type": "upper", "name": ALL}, "value"),
        Given({"type": "slide", "label": ALL}, "id"),
        Given({"type": "lower", "name": ALL}, "id"),
        Given({"type": "figure", "place": ALL}, "id"),
        Given("url", "search"),
        prevent_initial_call=True,
    )  # fmt: skip
    def ask(
        slides: Any, numbers: Any, lower: Any, upper: Any, movers: Any, limits: Any, places: Any,
        search: str | None,
    ) -> Any:  # fmt: skip
        """The answer to numbers, and sliders and fields that say the same."""
        trigger = dash.ctx.triggered_id
        moves = slides if trigger and trigger["type"] == "slide" else numbers
        old_figures, old_moves = [no_update] * len(places), [no_update] * len(moves)
        nothing = [
            no_update, no_update, old_figures, old_figures, no_update, old_moves, old_moves,
            no_update,
        ]  # fmt: skip
        if not movers:  # they went with a day that has no data
            return no_update, *nothing, no_update
        try:
            old = _state(source, search)
            state = state_of_numbers(
                old,
                [mover["label"] for mover in movers],
                moves,
                list(zip((limit["name"] for limit in limits), lower, upper, strict=True)),
                source.study(old).settings,
            )
            if state == old:
                return [], *nothing, no_update
            answer = _answered(source, state)
        except Exception as error:
            return [_refused(source, search, error)], *nothing, no_update
        if len(answer.figures) != len(places):  # another layout: `show` makes it
            return no_update, *nothing, state.link
        return (
            [], answer.summary, _links(state), [block.figure for block in answer.figures],
            [block.alt for block in answer.figures], answer.words, moves, moves, state.link,
            state.link,
        )  # fmt: skip
