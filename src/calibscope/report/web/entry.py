"""What else the server of the live page answers, and what it refuses."""

import logging
import traceback
from pathlib import Path
from typing import Any

import flask
from dash import Dash
from dash.exceptions import DependencyException
from werkzeug.exceptions import HTTPException

from calibscope.report.render.html import page
from calibscope.report.sections.day import day_document
from calibscope.report.web.connections import LARGEST_BODY
from calibscope.report.web.hosts import is_ours, names_of
from calibscope.report.web.requests import RequestError, check_request
from calibscope.report.web.source import Source
from calibscope.report.web.state import state_of_link
from calibscope.study.errors import StoreError
from calibscope.study.statistics.misfit import noise_sentence

LOG = logging.getLogger("calibscope.web")
EXPECTED = (StoreError, ValueError)  # links, settings and market data are among the latter
REPORT, CALLBACK = "/day.html", "/_dash-update-component"
UNKNOWN = "This could not be computed; the log of the server says why."
OTHER_NAME = (
    "This page does not answer to that name. Use the address that calibscope serve has printed, or "
    "the machine's own address or name."
)
NO_FILE = "There is no such file."
LONGEST_REASON = 200  # characters of an error in the log; what caused it may be a visitor's


def told(error: Exception, store: Path) -> str:
    """What a visitor is told: never where files are, and nothing of errors that nobody foresaw."""
    if not isinstance(error, EXPECTED):
        note(error)
        return UNKNOWN
    text = str(error)
    for path in (store, store.absolute(), store.resolve()):
        text = text.replace(str(path), store.name)
    return text


def note(error: Exception) -> None:
    """Write an error into the log, without repeating what a visitor has sent."""
    where = "".join(traceback.format_tb(error.__traceback__))
    reason = repr(str(error)[:LONGEST_REASON])
    LOG.error("a request could not be answered\n%s%s: %s", where, type(error).__name__, reason)


def offer_report(app: Dash, source: Source) -> None:
    """The day of a state as a file, where its link has day.html before the question mark."""

    def report() -> Any:
        try:
            state = state_of_link(flask.request.query_string.decode("ascii", "replace"))
            date, study = source.date(state), source.study(state)
            with source.turn():
                found = source.what_if(state)
                name = str(study.runs["market"].iloc[-1])
                what = f"; what if: {', '.join(state.changes)}" if state.has_change else ""
                day = found.after, name + what, study.is_synthetic, found.thresholds
                text = page(day_document(*day, history=noise_sentence(study)))
        except EXPECTED as error:
            return _text(told(error, source.path), 400)
        answer = flask.Response(text, mimetype="text/html")
        answer.headers["Content-Disposition"] = f"attachment; filename=calibscope-{date}.html"
        return answer

    app.server.add_url_rule(REPORT, "report", report)


def refuse(app: Dash, host: str) -> None:
    """Refuse other names, requests that are too large, and such as no page of ours has made."""
    names = names_of(host)
    app.server.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY

    def check() -> Any:
        if not is_ours(flask.request.headers.get("Host"), host, names):
            return _text(OTHER_NAME, 400)
        if flask.request.path == CALLBACK and flask.request.method == "POST":
            try:
                check_request(flask.request.get_json(), app.callback_map)
            except RecursionError:
                return _text("the request is nested too deeply", 400)
            except RequestError as error:
                return _text(str(error), 400)
        return None

    def failed(error: Exception) -> Any:
        if isinstance(error, HTTPException):
            return error
        if isinstance(error, DependencyException):
            return _text(NO_FILE, 404)
        note(error)
        return _text(UNKNOWN, 500)

    app.server.before_request(check)
    app.server.register_error_handler(Exception, failed)


def _text(words: str, status: int) -> flask.Response:
    return flask.Response(words, status, mimetype="text/plain")


def guard(app: Dash) -> None:
    """Nothing from elsewhere is loaded, and no page elsewhere may frame this one."""
    scripts = " ".join(("'self'", *app.csp_hashes()))
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; font-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )

    def add_headers(response: flask.Response) -> flask.Response:
        if flask.request.path != REPORT:  # which brings a policy of its own
            response.headers["Content-Security-Policy"] = policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    app.server.after_request(add_headers)
