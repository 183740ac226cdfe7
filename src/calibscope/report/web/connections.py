"""Connections of the live page: how many there may be, and how long a request may take to arrive.

Waitress gives a connection up when it is silent, and accepts no other once it has its limit. So a
hundred that send a byte now and then would shut everybody else out. Here a connection must bring a
whole request within a fixed time, dripping or not, and when too many are open, the one that has
brought nothing for longest makes room, first from the address that holds most of them.
"""

import math
import time
from collections import Counter
from socket import socket
from typing import Any

from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

THREADS = 8  # that read requests; computing waits for its turn
LARGEST_BODY = 256 * 1024  # bytes; the page itself sends less than 16 kB
LARGEST_HEADER = 16 * 1024  # bytes, of the address and all headers
MOST_OPEN = 300  # connections; each takes a file or two, and 1,024 are usual
REQUEST_WITHIN = 30.0  # seconds from opening, or the last answer, to a whole request
READ_WITHIN = 120.0  # seconds in which an answer must be read
LOOK_EVERY = 2  # seconds


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it has been waited for."""

    since = math.inf  # seconds on the monotonic clock; infinite while an answer is made

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.since = time.monotonic()

    def service(self) -> None:
        """Answer a request."""
        self.since = math.inf
        try:
            super().service()
        finally:
            self.since = time.monotonic()

    @property
    def is_waited_for(self) -> bool:
        """Whether neither a request is being answered nor an answer being read."""
        return not (self.requests or self.total_outbufs_len or self.will_close)

    def is_overdue(self, now: float) -> bool:
        """Whether a request, or the reading of an answer, takes too long."""
        limit = READ_WITHIN if self.total_outbufs_len else REQUEST_WITHIN
        return not self.requests and now - self.since > limit


class Server(TcpWSGIServer):  # type: ignore[misc]
    """A server that nobody can keep busy by sending little."""

    channel_class = Channel

    def maintenance(self, now: float) -> None:
        """Close what is overdue; waitress calls it every few seconds."""
        moment = time.monotonic()
        for channel in self.active_channels.values():
            if channel.is_overdue(moment):
                channel.will_close = True

    def handle_accept(self) -> None:
        """Take a new connection, in place of one that brings nothing if there are too many."""
        if len(self.active_channels) >= MOST_OPEN:
            self._make_room()
        super().handle_accept()

    def _make_room(self) -> None:
        waiting = [each for each in self.active_channels.values() if each.is_waited_for]
        held = Counter(channel.addr[0] for channel in waiting)
        if waiting:
            longest = max(waiting, key=lambda channel: (held[channel.addr[0]], -channel.since))
            longest.will_close = True  # in the next round, so that its number is not reused in this


def server_on(listening: socket, application: Any) -> Server:
    """A server on a socket that listens already, within the limits above."""
    return Server(
        application,
        _sock=listening,
        sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
        bind_socket=False,
        threads=THREADS,
        max_request_body_size=LARGEST_BODY,
        inbuf_overflow=2 * LARGEST_BODY,  # no request needs a file
        max_request_header_size=LARGEST_HEADER,
        connection_limit=MOST_OPEN + 50,  # beyond, with all of them at work, the next ones queue
        cleanup_interval=LOOK_EVERY,
        asyncore_use_poll=True,
        log_socket_errors=False,  # that somebody went away is no news
    )
