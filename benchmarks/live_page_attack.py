"""What does the live page do with requests that mean it ill? All on this machine, with a seed.

``python benchmarks/live_page_attack.py`` takes ten minutes or more. It starts `calibscope serve` as
users do and sends it malformed callbacks, a request of 400 MB, connections that drip a byte now and
then, wrong names of the host, 5,000 requests in a row and 50 visitors at once, and looks at its
memory and at its log. Chromium, where installed, opens pages of a market whose name is markup.
"""

import argparse
import copy
import http.client
import json
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import calibscope as cs

SEED = 20270201
CALLBACK = "/_dash-update-component"
DAY = "2020-03-18"
MATURITIES = [f"{year}Y" for year in (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)]
PARAMETERS = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")
SENT = "SENT-BY-A-VISITOR"  # must not be found in the log
MARKUP = (
    '<b>bold</b> <a href="https://evil.example/">link</a> <img src=x onerror="window.hit=1">'
    "<script>window.hit=1</script> &lt;i&gt; </script>"
)


def bodies(dependencies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A well-formed request for each callback, as the page sends it."""
    show, go, ask = (entry["output"] for entry in dependencies)
    search = f"?date={DAY}"
    buttons = [("view", "influence"), ("solver", "lm"), ("without", "7Y")]
    plain = ("head", "notice", "controls", "views", "summary", "links", "figures", "words")
    return [
        {
            "output": show,
            "outputs": [*(_entry(name, "children") for name in plain), _entry("known", "data")],
            "inputs": [_entry("url", "search", search)],
            "state": [_entry("known", "data")],
            "changedPropIds": ["url.search"],
        },
        {
            "output": go,
            "outputs": [_entry("url", "search"), _entry("notice", "children")],
            "inputs": [
                [_entry({"type": "go", "where": w}, "n_clicks") for w in ("previous", "next")],
                [
                    _entry({"type": "choose", "field": field, "value": value}, "n_clicks", 1)
                    for field, value in buttons
                ],
                _entry("date", "value", DAY),
                _entry("other", "value", ""),
                _entry("history", "clickData", {"points": [{"x": DAY, "y": 0.01}]}),
            ],
            "state": [_entry("url", "search", search)],
            "changedPropIds": ['{"field":"view","type":"choose","value":"influence"}.n_clicks'],
        },
        asked(ask, "3Y", 1.0),
    ]


def asked(output: str, moved: str, size: float) -> dict[str, Any]:
    """The request that follows the move of a slider."""

    def fields(kind: str, key: str, names: Any, property_: str, values: Any) -> list[Any]:
        ids = [{"type": kind, key: name} for name in names]
        return [_entry(id_, property_, v) for id_, v in zip(ids, values or ids, strict=True)]

    moves = [size if name == moved else 0 for name in MATURITIES]
    none, places = [None] * 13, (0, 1)
    limits = [None] * len(PARAMETERS)
    return {
        "output": output,
        "outputs": [
            *(_entry(name, "children") for name in ("notice", "summary", "links")),
            fields("figure", "place", places, "figure", [None] * 2),
            fields("caption", "place", places, "children", [None] * 2),
            _entry("words", "children"),
            fields("slide", "label", MATURITIES, "value", none),
            fields("number", "label", MATURITIES, "value", none),
            _entry("known", "data"),
            _entry("url", "search"),
        ],
        "inputs": [
            fields("slide", "label", MATURITIES, "value", moves),
            fields("number", "label", MATURITIES, "value", [0] * 13),
            fields("lower", "name", PARAMETERS, "value", limits),
            fields("upper", "name", PARAMETERS, "value", limits),
        ],
        "state": [
            fields("slide", "label", MATURITIES, "id", None),
            fields("lower", "name", PARAMETERS, "id", None),
            fields("figure", "place", places, "id", None),
            _entry("url", "search", f"?date={DAY}"),
        ],
        "changedPropIds": [f'{{"label":"{moved}","type":"slide"}}.value'],
    }


def _entry(id_: Any, property_: str, value: Any = None) -> dict[str, Any]:
    return {"id": id_, "property": property_, **({} if value is None else {"value": value})}


def malformed(rng: random.Random, good: list[dict[str, Any]]) -> bytes:
    """A request with one thing wrong, or a few."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice([
            b"", b"null", b"[]", b"{}", b"{", b'"x"', b"[" * 5000, b'{"a":' * 5000, b"\xff\xfe",
            b"1e999", b"9" * 5000, b'{"output": "%s"}' % SENT.encode(), rng.randbytes(50),
        ])  # fmt: skip
    body = copy.deepcopy(rng.choice(good))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        _spoil(rng, body)
    text = json.dumps(body).encode()
    if kind < 0.15:
        place = rng.randrange(len(text))
        return text[:place] + rng.randbytes(3) + text[place + 3 :]
    return text


def _spoil(rng: random.Random, body: dict[str, Any]) -> None:
    """Replace, remove or double something, anywhere."""
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        entries = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in entries:
            places.append((node, key))
            if isinstance(value, (dict, list)):
                collect(value)

    collect(body)
    if not places:
        return
    node, key = rng.choice(places)
    what = rng.random()
    if what < 0.2:
        del node[key]
    elif what < 0.3 and isinstance(node, list):
        node.append(copy.deepcopy(node[key]))
    else:
        node[key] = rng.choice([
            None, True, -1, 1e308, float("nan"), float("inf"), 10**400, 2**63, "", SENT, SENT * 500,
            [], {}, [[]], ["ALL"], {"type": "slide"}, {"x": {"y": SENT}}, {"points": []},
            {"points": [{}]}, {"type": "choose", "field": "state", "value": SENT}, "\ud800", "\x00",
            "../../etc/passwd", "__proto__", "url.search", "?date=never", "?move=3Y:1e308",
            f"?solver={SENT}",
        ])  # fmt: skip


def post(address: str, body: bytes, kind: str = "application/json") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        connection.request("POST", CALLBACK, body, {"Content-Type": kind})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def get(address: str, path: str = "/", host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        connection.request("GET", path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def good_bodies(address: str) -> list[dict[str, Any]]:
    return bodies(json.loads(get(address, "/_dash-dependencies")[1]))


def send_too_much(address: str, megabytes: int) -> str:
    """A large request, sent until the server has enough; what it answered."""
    where = urlsplit(address)
    with socket.create_connection((where.hostname, where.port), timeout=30) as client:
        head = f"POST {CALLBACK} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json"
        client.sendall(f"{head}\r\nContent-Length: {megabytes * 10**6}\r\n\r\n".encode())
        try:
            for _ in range(megabytes):
                client.sendall(b"[" * 10**6)
        except OSError:  # it has hung up
            pass
        try:
            said = client.recv(100).split(b"\r\n")[0].decode()
        except OSError:
            said = ""
    return said or "connection closed"


class Drip:
    """Connections that send a letter of a request now and then, and never all of it."""

    def __init__(self, address: str, count: int, pause: float = 1.0) -> None:
        where = urlsplit(address)
        self._ended, self._pause, self.closed = threading.Event(), pause, 0
        self._clients = []
        for _ in range(count):
            client = socket.create_connection((where.hostname, where.port), timeout=5)
            client.sendall(b"POST /_dash-update-component HTTP/1.1\r\nX-Slow: ")
            self._clients.append(client)
        self._thread = threading.Thread(target=self._drip)
        self._thread.start()

    def _drip(self) -> None:
        while not self._ended.wait(self._pause):
            for client in list(self._clients):
                try:
                    client.sendall(b"a")
                except OSError:
                    self._clients.remove(client)
                    client.close()
                    self.closed += 1

    def stop(self) -> None:
        """Hang up."""
        self._ended.set()
        self._thread.join()
        for client in self._clients:
            client.close()


@contextmanager
def served(store: Path, log: Path, *options: str) -> Iterator[tuple[str, int]]:
    """The page as a process of its own: its address and number."""
    command = [sys.executable, "-m", "calibscope", "serve", str(store), "--port", "0", "--json"]
    with (
        log.open("w") as errors,
        subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        try:
            said = b""
            while b"}" not in said:
                line = process.stdout.readline()
                if not line:
                    raise RuntimeError(log.read_text())
                said += line
            yield json.loads(said)["address"], process.pid
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def memory(pid: int, what: str = "VmRSS") -> float:
    """Megabytes of a process; VmHWM is the most it has had."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/{pid}/status has no {what}")


def many_visitors(address: str, users: int, moves: int, seed: int) -> tuple[Counter, list[float]]:
    """Visitors who all move sliders at once: statuses and seconds of their answers."""
    output = good_bodies(address)[2]["output"]
    statuses: Counter = Counter()
    seconds: list[float] = []

    def visit(user: int) -> None:
        rng = random.Random(seed + user)
        for _ in range(moves):
            body = asked(output, rng.choice(MATURITIES), rng.randint(1, 20) / 4)
            began = time.perf_counter()
            try:
                status, text = post(address, json.dumps(body).encode())
                said = "message" if b'"role":"alert"' in text else ""
            except OSError as error:
                status, said = type(error).__name__, ""
            statuses[f"{status} {said}".strip()] += 1
            seconds.append(time.perf_counter() - began)

    threads = [threading.Thread(target=visit, args=(user,)) for user in range(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses, seconds


def hostile_pages(folder: Path) -> list[str]:
    """Pages of a market whose name is markup, in Chromium; what was taken for markup."""
    from playwright.sync_api import sync_playwright

    from calibscope.report.html.write_day import write_day

    market = replace(
        cs.demo_market().between("2020-03-16", "2020-03-18"), name=MARKUP, is_synthetic=False
    )
    store, found = folder / "hostile.db", []
    cs.run_study(market, store)
    cs.write_report(cs.open_study(store), folder / "report.html")
    write_day(cs.calibrate(market.day(DAY)), folder / "day.html", MARKUP)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with (
        served(store, folder / "hostile.log") as (address, _),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        (folder / "saved.html").write_bytes(get(address, f"/day.html?date={DAY}")[1])
        views = ("overview", "influence", "uncertainty", "consequences", "dates")
        for url in (
            *((folder / f"{name}.html").as_uri() for name in ("report", "day", "saved")),
            *(f"{address}?view={view}&other=2020-03-17" for view in views),
            *(f"{address}{what}={MARKUP}" for what in ("?date", "?solver", "day.html?date")),
        ):
            page = browser.new_page()
            page.goto(url)
            page.wait_for_timeout(2500)
            for selector in (
                "a[href*='evil']", "[*|href*='evil']", "img[src='x']", "svg a",
                ".gtitle-subtitle [style*='bold']",
            ):  # fmt: skip
                if page.locator(selector).count():
                    found.append(f"{url[:60]}: {selector}")
            if page.evaluate("window.hit"):
                found.append(f"{url[:60]}: a script ran")
            page.close()
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=2000, help="malformed requests")
    parser.add_argument("--requests", type=int, default=5000, help="in a row")
    parser.add_argument("--users", type=int, default=50)
    options = parser.parse_args()
    failed = []

    def judge(is_right: bool, words: str) -> None:
        print(words if is_right else f"WRONG: {words}", flush=True)
        if not is_right:
            failed.append(words)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, log = folder / "study.db", folder / "log"
        cs.run_study(cs.demo_market().between("2020-03-02", "2020-03-31"), store)
        with served(store, log) as (address, pid):
            attack(address, pid, folder, log, options, judge)
        with served(store, log, "--host", "::1") as (address, _):
            status, _ = get(address)
            judge(status == 200, f"--host ::1 answers {status} to its own address.")
        with served(store, log, "--host", "0.0.0.0") as (address, _):
            local = f"http://127.0.0.1:{urlsplit(address).port}/"
            names = ("127.0.0.1", "192.0.2.7", socket.gethostname(), "evil.example")
            got = [get(local, host=host)[0] for host in names]
            judge(got == [200, 200, 200, 400], f"--host 0.0.0.0, Host {', '.join(names)}: {got}.")
        if shutil.which("chromium") or shutil.which("chromium-browser"):
            found = hostile_pages(folder)
            judge(
                not found, f"11 pages of a market called {MARKUP[:12]}...: {found or 'harmless'}."
            )
        else:
            print("There is no Chromium on this machine; apt install chromium")
    sys.exit(bool(failed))


def attack(address: str, pid: int, folder: Path, log: Path, options: Any, judge: Any) -> None:
    """Everything that one server must bear, in turn."""
    rng, good = random.Random(options.seed), good_bodies(address)
    answers: Counter = Counter()
    leaks = 0
    statuses = Counter(post(address, json.dumps(body).encode())[0] for body in good)
    judge(statuses == {200: len(good)}, f"Well-formed requests: {dict(statuses)}.")

    before = memory(pid)
    for _ in range(options.count):
        status, text = post(address, malformed(rng, good))
        answers[status] += 1
        leaks += str(folder).encode() in text
    said = log.read_text()
    judge(
        max(answers) < 500 and not leaks and SENT not in said,
        f"{options.count:,} malformed requests: {dict(sorted(answers.items()))}; {leaks} show a "
        f"path; {len(said):,} letters in the log, of visitors: {said.count(SENT)}.",
    )

    answer = send_too_much(address, 400)
    peak = memory(pid, "VmHWM")
    judge(
        peak < before + 200,
        f"400 MB sent: {answer}; {before:.0f} MB before, {peak:.0f} MB at most since.",
    )

    for count in (130, 600):
        drip = Drip(address, count)
        waits = []
        for _ in range(20):
            began = time.perf_counter()
            status, _ = get(address)
            waits.append(time.perf_counter() - began)
            time.sleep(2)
        drip.stop()
        judge(
            max(waits) < 2 and status == 200,
            f"{count} dripping connections: 20 requests in {40 + sum(waits):.0f} s, the longest "
            f"took {max(waits):.2f} s; {drip.closed} of them were closed meanwhile.",
        )

    statuses, seconds = many_visitors(address, options.users, 10, options.seed)
    judge(
        set(statuses) == {"200"},
        f"{options.users} visitors at once, 10 moves each: {dict(statuses)}, median "
        f"{statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s.",
    )

    history = [memory(pid)]
    ask = good[2]["output"]
    for k in range(options.requests):
        body = asked(ask, MATURITIES[k % 13], ((k % 39) + 1) / 8)
        if post(address, json.dumps(body).encode())[0] != 200:
            judge(False, f"request {k} failed")
        if k % 500 == 499:
            history.append(memory(pid))
    judge(
        history[-1] - history[len(history) // 4] < 30,
        f"{options.requests:,} requests that compute: "
        f"{', '.join(f'{size:.0f}' for size in history)} MB.",
    )


if __name__ == "__main__":
    main()
