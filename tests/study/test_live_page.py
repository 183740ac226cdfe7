"""The server of the live page: what it gives, and what it refuses."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.cli import main
from calibscope.report.web import app as live
from calibscope.report.web import entry
from calibscope.report.web import source as sources
from calibscope.report.web.app import make_app
from calibscope.report.web.serve import AddressError, make_server
from calibscope.report.web.source import Source
from calibscope.report.web.state import LinkError, State
from live_page_attack import CALLBACK, bodies

HOSTILE_NAME = '<i>name</i> <a href="https://evil.example">x</a><img src=x onerror=alert(1)>\x00'
EMBEDDED = r'(?s)<script type="application/json"[^>]*>(.*?)</script>'


@pytest.fixture(scope="module")
def client(live_store):
    return make_app(live_store).server.test_client()


def post(client, query, known=None):
    """What the page gets for an address, by the part that it changes."""
    body = bodies(client.get("/_dash-dependencies").get_json())[0]
    body["inputs"][0]["value"], body["state"][0]["value"] = query, known
    answer = client.post(CALLBACK, json=body).get_json()["response"]
    return {name: part.get("children", part.get("data")) for name, part in answer.items()}


def test_the_page_loads_nothing_from_elsewhere(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert b"http://" not in answer.data
    assert b"https://" not in answer.data
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_state_can_be_saved_as_the_report_of_a_day(client):
    answer = client.get("/day.html?date=2020-03-18&move=3Y:1")
    assert answer.status_code == 200
    assert "calibscope-2020-03-18.html" in answer.headers["Content-Disposition"]
    text = answer.get_data(as_text=True)
    assert "what if: 3Y +1 % of price" in text
    assert "SYNTHETIC" in text


@pytest.mark.parametrize("query", ["date=never", "date=1999-01-01", "move=3Y:1e99", "x=<script>"])
def test_a_wrong_link_is_no_report(client, query):
    answer = client.get(f"/day.html?{query}")
    assert answer.status_code == 400
    assert answer.mimetype == "text/plain"
    assert answer.data


@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("2020-03-21", "near it: 2020-03-20 and 2020-03-23"),
        ("2020-03-06", "no quotes that can be used"),
        ("21.03.2030", "near it: 2020-03-31"),
    ],
)
def test_a_date_without_data_leaves_no_fact_of_another(client, date, words):
    """Neither numbers nor quotes, views, links, status or line in the series."""
    former = "?date=2020-03-17"
    (rmsre,) = set(re.findall(r"RMSRE (\d.\d+ %)", json.dumps(post(client, former)["summary"])))
    after = post(client, f"?date={date}", known=former)
    for part in ("notice", "controls", "views", "links", "figures", "words"):
        assert after[part] == []
    graph = after["head"][1]["props"]["children"][0]["props"]["children"]["props"]["figure"]
    assert len(graph.pop("data")) > 1  # the series has every date
    left = json.dumps(after)
    assert words in left
    assert not any(fact in left for fact in ("2020-03-17", rmsre, "green"))


def test_what_is_refused_says_what_is_shown_meanwhile(client):
    body = bodies(client.get("/_dash-dependencies").get_json())[1]
    body["inputs"][2]["value"], body["changedPropIds"] = "soon", ["date.value"]
    answer = client.post(CALLBACK, json=body).get_json()["response"]
    assert list(answer) == ["notice"]  # nothing else changes
    said = json.dumps(answer)
    assert "'soon'; write it like 2022-07-21 or 21.07.2022" in said
    assert "The page still shows 2020-03-18 as it was before" in said


def test_the_link_to_copy_names_the_day_that_is_shown(client):
    links = json.dumps(post(client, "")["links"])
    assert '"data-link": "?date=2020-03-31"' in links


def test_names_in_data_are_never_markup(tmp_path):
    market = replace(
        cs.demo_market().between("2020-03-16", "2020-03-18"), name=HOSTILE_NAME, is_synthetic=False
    )
    cs.run_study(market, tmp_path / "s.db")
    study = cs.open_study(tmp_path / "s.db")
    live_figures = [b.figure for b in live._answered(Source(tmp_path / "s.db"), State()).figures]
    saved = make_app(tmp_path / "s.db").server.test_client().get("/day.html")
    cs.write_report(study, tmp_path / "report.html")
    pages = [saved.get_data(as_text=True), (tmp_path / "report.html").read_text(encoding="utf-8")]
    embedded = [text for page in pages for text in re.findall(EMBEDDED, page)]
    assert len(embedded) > 5
    shown = 0
    embedded += [figure.to_json() for figure in live_figures]
    for text in embedded:
        titles = str(json.loads(text)["layout"]["title"])
        assert not any(tag in titles for tag in ("<i>", "<a ", "<img"))  # Plotly's, or a browser's
        shown += "&lt;i&gt;" in titles
    assert shown > 8
    assert not any("<img" in page.split("<script")[0] for page in pages)


def test_who_waits_too_long_is_told(live_store, monkeypatch):
    monkeypatch.setattr(sources, "PATIENCE", 0.01)
    source = Source(live_store)
    with source.turn(), source.turn(), pytest.raises(LinkError, match="try again"), source.turn():
        pass
    with source.turn():
        pass


def test_a_run_meanwhile_is_seen(tmp_path):
    market = cs.demo_market().between("2020-03-16", "2020-03-20")
    cs.run_study(replace(market, days=market.days[:2]), tmp_path / "s.db")
    source = Source(tmp_path / "s.db")
    assert source.date(State()) == market.dates[1]
    cs.run_study(market, tmp_path / "s.db")
    assert source.date(State()) == market.dates[-1]


def test_an_unforeseen_error_is_logged_and_told(live_store, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(live, "_answered", broken)
    answer = post(make_app(live_store).server.test_client(), "?date=2020-03-18")
    said = json.dumps(answer["summary"])
    assert entry.UNKNOWN in said
    assert "secret" not in said
    assert "secret" in caplog.text


def test_the_command_says_why_it_cannot(tmp_path, live_store):
    run = CliRunner().invoke
    assert "no such store" in run(main, ["serve", str(tmp_path / "none.db")]).output
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        answer = run(main, ["serve", str(live_store), "--port", port])
        assert answer.exit_code == 1
        assert "is taken" in answer.output
    with pytest.raises(AddressError, match="no such address"):
        make_server(live_store, "no.such.host.invalid", 0)


def test_another_address_comes_with_a_warning(live_store, monkeypatch):
    from calibscope.report.web import serve

    class Quiet:
        def run(self):
            """Ends at once."""

    monkeypatch.setattr(serve, "make_server", lambda *_: (Quiet(), "http://0.0.0.0:8050/"))
    answer = CliRunner().invoke(main, ["serve", str(live_store), "--host", "0.0.0.0"])
    assert "no password" in answer.output
    answer = CliRunner().invoke(main, ["serve", str(live_store)])
    assert "Warning" not in answer.output
    assert "Open http://" in answer.output


def ignore_ctrl_c():
    """As a shell does for the background jobs of a script."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_answers_until_it_is_stopped(live_store, number):
    command = [sys.executable, "-m", "calibscope", "serve", str(live_store), "--port", "0"]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=ignore_ctrl_c,
    ) as process:  # fmt: skip
        try:
            said = b""
            while b"}" not in said:
                line = process.stdout.readline()
                assert line, process.stderr.read()
                said += line
            with urlopen(json.loads(said)["address"], timeout=20) as page:
                assert b"calibscope" in page.read()
            process.send_signal(number)
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()  # or leaving would wait for it
        assert process.stderr.read() == b""
