"""The live page on a port of this machine."""

import socket
from pathlib import Path
from typing import Any

from waitress.server import create_server

from calibscope.report.web.app import make_app

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
THREADS = 8  # that read requests; computing waits for its turn


class AddressError(RuntimeError):
    """The page cannot be offered there; says why."""


def make_server(store: Path, host: str, port: int) -> tuple[Any, str]:
    """A server that listens, and the address to open; its `run` answers until it is stopped.

    Parameters
    ----------
    port : 0 takes any that is free

    Raises
    ------
    StoreError, AddressError
    """
    app = make_app(store)
    if host in LOCAL_HOSTS:  # no page elsewhere may send a browser here under another name
        app.server.config["TRUSTED_HOSTS"] = ["127.0.0.1", "localhost", "[::1]"]
    try:
        server = create_server(
            app.server, host=host, port=port, threads=THREADS, ident="calibscope"
        )
    except OSError as error:
        why = "is taken; give another" if _is_taken(error) else f"cannot be used ({error.strerror})"
        raise AddressError(f"{host}, port {port}: {why} (--host, --port)") from None
    except socket.gaierror:
        raise AddressError(f"{host!r} is no address of this machine; give another") from None
    name = "[::1]" if host == "::1" else host
    return server, f"http://{name}:{server.effective_port}/"


def _is_taken(error: OSError) -> bool:
    import errno

    return error.errno == errno.EADDRINUSE
