"""What else the server of the live page answers, and what it refuses."""

from typing import Any

import flask
from dash import Dash

from calibscope.market.errors import MarketDataError
from calibscope.report.html.write_day import day_page
from calibscope.report.web.source import Source
from calibscope.report.web.state import LinkError, state_of_link
from calibscope.study.errors import StoreError

EXPECTED = (LinkError, MarketDataError, StoreError, ValueError)
REPORT = "/day.html"


def offer_report(app: Dash, source: Source) -> None:
    """The day of a state as a file, where its link has day.html before the question mark."""

    def report() -> Any:
        try:
            state = state_of_link(flask.request.query_string.decode("ascii", "replace"))
            date, study = source.date(state), source.study
            with source.turn():
                found = source.what_if(date, state.change)
                name = str(study.runs["market"].iloc[-1])
                what = f"; what if: {', '.join(state.changes)}" if state.has_change else ""
                text = day_page(found.after, name + what, study.is_synthetic, found.thresholds)
        except EXPECTED as error:
            return flask.Response(str(error), 400, mimetype="text/plain")
        answer = flask.Response(text, mimetype="text/html")
        answer.headers["Content-Disposition"] = f"attachment; filename=calibscope-{date}.html"
        return answer

    app.server.add_url_rule(REPORT, "report", report)


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
