"""Under which names the live page answers.

A page elsewhere can make its own name point to this machine and then read what is offered here, as
far as the browser knows from the same place (DNS rebinding). What the browser says in ``Host`` is
that name, so only names of this machine are answered. An address is no name: nobody can redirect
it.
"""

import ipaddress
import re
import socket

NAME = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def names_of(host: str) -> frozenset[str]:
    """The names that a page on this address may be called by; addresses need none."""
    if is_local(host):
        return frozenset({"localhost"})
    names = (host, socket.gethostname(), socket.getfqdn(), "localhost")
    return frozenset(name.lower() for name in names if _address(name) is None)


def is_ours(asked: str | None, host: str, names: frozenset[str]) -> bool:
    """Whether a request is for this page.

    Parameters
    ----------
    asked : the header ``Host``
    host : the address that is listened on
    names : its `names_of`
    """
    found = NAME.fullmatch((asked or "").lower())
    if found is None:
        return False
    address = _address(found["name"].strip("[]"))
    if address is None:
        return found["name"] in names
    return address.is_loopback or not is_local(host)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
