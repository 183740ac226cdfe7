"""Short studies that several tests look at, one of them served as a live page."""

import threading

import pytest

import calibscope as cs


@pytest.fixture(scope="package")
def market():
    """Eleven weeks of the synthetic market; five days were dropped."""
    return cs.demo_market().between("2017-09-15", "2017-11-30")


@pytest.fixture(scope="package")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("study") / "study.db")


@pytest.fixture(scope="package")
def live_store(tmp_path_factory):
    """A month of the synthetic market."""
    path = tmp_path_factory.mktemp("live") / "study.db"
    cs.run_study(cs.demo_market().between("2020-03-02", "2020-03-31"), path)
    return path


@pytest.fixture(scope="package")
def address(live_store):
    """Where it is served."""
    from calibscope.report.web.serve import make_server

    server, address = make_server(live_store, "127.0.0.1", 0)
    threading.Thread(target=server.run, daemon=True).start()
    yield address
    server.close()
