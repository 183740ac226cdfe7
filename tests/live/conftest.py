"""A month of the synthetic market, served."""

import threading

import pytest

import calibscope as cs
from calibscope.report.web.serve import make_server


@pytest.fixture(scope="package")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "study.db"
    cs.run_study(cs.demo_market().between("2020-03-02", "2020-03-31"), path)
    return path


@pytest.fixture(scope="package")
def address(store):
    server, address = make_server(store, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield address
    server.close()
