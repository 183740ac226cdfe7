"""What the live page refuses, and that nobody else notices."""

import json
import random
import shutil
import socket
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from calibscope.report.web import connections
from calibscope.report.web.app import make_app
from calibscope.report.web.hosts import is_local
from calibscope.report.web.serve import make_server
from live_page_attack import (
    CALLBACK,
    SEED,
    SENT,
    Drip,
    bodies,
    get,
    good_bodies,
    malformed,
    post,
    send_too_much,
)


@pytest.fixture(scope="module")
def client(live_store):
    return make_app(live_store).server.test_client()


@pytest.fixture(scope="module")
def good(client):
    return bodies(client.get("/_dash-dependencies").get_json())


@contextmanager
def served(store, host):
    server, address = make_server(store, host, 0)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        yield address
    finally:
        server.close()


def test_what_the_page_sends_is_answered(client, good):
    for body in good:
        answer = client.post(CALLBACK, json=body)
        assert answer.status_code == 200, answer.data
        assert "alert" not in answer.get_data(as_text=True)


def test_a_malformed_request_is_refused_and_not_repeated(client, good, caplog):
    rng = random.Random(SEED)
    statuses = []
    for _ in range(250):
        answer = client.post(CALLBACK, data=malformed(rng, good), content_type="application/json")
        statuses.append(answer.status_code)
    assert set(statuses) <= {200, 400}
    assert statuses.count(400) > 200
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"output": SENT}, "no such callback"),
        ({"inputs": []}, "inputs: there should be 1"),
        ({"inputs": [{"id": "other", "property": "search"}]}, "another component"),
        ({"inputs": [{"id": "url", "property": "href"}]}, "another property"),
        ({"inputs": [{"id": "url", "property": "search", "value": 1}]}, "cannot have that value"),
        ({"state": [{"id": "known", "property": "data", "value": {}}]}, "cannot have that value"),
        ({"changedPropIds": ["known.data"]}, "not one of the inputs"),
    ],
)
def test_a_refusal_says_what_is_wrong(client, good, change, words):
    answer = client.post(CALLBACK, json=good[0] | change)
    assert answer.status_code == 400
    assert words in answer.get_data(as_text=True)
    assert SENT not in answer.get_data(as_text=True)


def test_fields_that_belong_together_come_together(client, good):
    fewer = json.loads(json.dumps(good[2]))
    fewer["inputs"][1].pop()
    assert client.post(CALLBACK, json=fewer).status_code == 400


def test_a_file_that_is_none_is_not_found(client, caplog):
    for path in ("os/x.js", "dash/nope.js", "dash/../../x"):
        assert client.get(f"/_dash-component-suites/{path}").status_code == 404
    assert caplog.text == ""


def test_a_large_request_is_refused_unread(address):
    assert send_too_much(address, 3).startswith(("HTTP/1.1 413", "connection closed"))
    assert post(address, b"[" * connections.LARGEST_BODY)[0] == 413
    assert post(address, b"[" * 100_000)[0] == 400
    assert get(address, "/?" + 20_000 * "a")[0] == 431


def test_dripping_connections_make_room(live_store, monkeypatch):
    monkeypatch.setattr(connections, "MOST_OPEN", 10)
    monkeypatch.setattr(connections, "LOOK_EVERY", 0)
    with served(live_store, "127.0.0.1") as address:
        drip = Drip(address, connections.MOST_OPEN + 60, pause=0.1)  # waitress stops at 50 more
        try:
            began = time.monotonic()
            assert get(address)[0] == 200
            assert time.monotonic() - began < 5
            monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.3)
            deadline = time.monotonic() + 10
            while drip.closed < connections.MOST_OPEN + 60 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert drip.closed == connections.MOST_OPEN + 60
        finally:
            drip.stop()


def test_an_answer_that_takes_long_is_not_cut_off(live_store, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.2)
    monkeypatch.setattr(connections, "LOOK_EVERY", 0)
    with served(live_store, "127.0.0.1") as address:
        began = time.monotonic()
        status, page = get(address, "/day.html?date=2020-03-18")
        assert status == 200
        assert time.monotonic() - began > 0.2
        assert b"</html>" in page[-20:]


@pytest.mark.parametrize(
    ("host", "asked", "status"),
    [
        ("127.0.0.1", "127.0.0.1:8050", 200),
        ("127.0.0.1", "localhost", 200),
        ("127.0.0.1", "[::1]:8050", 200),
        ("127.0.0.1", "evil.example", 400),
        ("127.0.0.1", "127.0.0.1.evil.example", 400),
        ("127.0.0.1", "192.0.2.7", 400),
        ("127.0.0.1", "localhost, evil.example", 400),
        ("127.0.0.1", "", 400),
        ("::1", "[::1]:8050", 200),
        ("::1", "evil.example", 400),
        ("0.0.0.0", "192.0.2.7:8050", 200),
        ("0.0.0.0", socket.gethostname(), 200),
        ("0.0.0.0", "evil.example", 400),
        ("localhost", "localhost:8050", 200),
    ],
)
def test_the_page_answers_to_its_own_names_alone(live_store, host, asked, status):
    client = make_app(live_store, host).server.test_client()
    for path in ("/", "/day.html?date=never", "/_dash-layout"):
        answer = client.get(path, headers={"Host": asked})
        assert (b"does not answer to that name" in answer.data) == (status == 400)
        assert status == 200 or answer.status_code == 400


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6 here")
def test_the_page_answers_on_every_local_address(live_store):
    for host in ("127.0.0.1", "::1", "localhost"):
        assert is_local(host)
        with served(live_store, host) as address:
            assert get(address)[0] == 200
            assert get(address, host="evil.example")[0] == 400
            port = urlsplit(address).port
            assert get(address, host=f"localhost:{port}")[0] == 200
    assert not is_local("0.0.0.0")


def test_no_message_says_where_files_are(live_store, tmp_path, good):
    store = tmp_path / "gone.db"
    shutil.copy(live_store, store)
    client = make_app(store).server.test_client()
    store.unlink()
    for answer in (client.get("/day.html"), client.post(CALLBACK, json=good[0])):
        text = answer.get_data(as_text=True)
        assert "gone.db: " in text
        assert str(tmp_path) not in text


def test_visitors_at_once_are_all_answered(address):
    body = json.dumps(good_bodies(address)[2]).encode()
    statuses = []
    visitors = [
        threading.Thread(target=lambda: statuses.append(post(address, body)[0])) for _ in range(12)
    ]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert statuses == [200] * 12
