"""The live page on a port of this machine."""

import errno
import logging
import socket
from pathlib import Path
from typing import Any

from calibscope.report.web.app import make_app
from calibscope.report.web.connections import server_on

WHY = {
    errno.EADDRINUSE: "is taken; give another --port",
    errno.EACCES: "is not for everybody; give a --port above 1023",
    errno.EADDRNOTAVAIL: "is not an address of this machine; give another --host",
}


class AddressError(RuntimeError):
    """The page cannot be offered there; says why."""


def make_server(store: Path, host: str, port: int, model: str | None = None) -> tuple[Any, str]:
    """A server that listens, and the address to open; its `run` answers until it is stopped.

    Parameters
    ----------
    port : 0 takes any that is free
    model : of a study with several models, the one that is shown first

    Raises
    ------
    StoreError, AddressError
    """
    app = make_app(store, host, model)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that somebody waits is no news
    listening = _listening(host, port)
    server = server_on(listening, app.server)
    name = f"[{host}]" if ":" in host else host
    return server, f"http://{name}:{listening.getsockname()[1]}/"


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)
    except (socket.gaierror, UnicodeError):
        raise AddressError(f"{host}: there is no such address; give another --host") from None
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = WHY.get(error.errno or 0, f"cannot be used: {error.strerror}")
        raise AddressError(f"{host}, port {port}: {why}") from None
