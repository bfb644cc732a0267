"""A connection that a test delays, drops or cuts.

state = LateState()
page.route_web_socket(LINK, state.relay)     # before the page is opened
state.held = []                              # the page receives nothing from now on
state.release()                              # now it receives everything, in order
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from playwright.sync_api import WebSocketRoute

LINK: Final = re.compile("/_event")


@dataclass
class LateState:
    """The socket of the page's state. A test can delay incoming messages, drop outgoing messages, and cut it."""

    held: list[tuple[WebSocketRoute, str | bytes]] | None = None
    deaf: bool = False
    only_first: str = ""
    """The server receives only the first of the messages that contain this text."""
    had_first: bool = False
    last: str = ""
    """The page receives no message after the one that contains this text."""
    is_cut: bool = False
    sockets: list[WebSocketRoute] = field(default_factory=list[WebSocketRoute])

    def relay(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close(code=1011)
            return
        self.sockets.append(socket)
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if self._loses(message) else server.send(message))
        server.on_message(lambda message: self._pass(socket, message))

    def release(self) -> None:
        held, self.held = self.held or [], None
        for socket, message in held:
            socket.send(message)

    def cut(self) -> None:
        self.is_cut = True
        for socket in self.sockets:
            socket.close(code=1011)

    def mend(self) -> None:
        """Let the page connect again. Delayed messages are lost."""
        self.is_cut, self.held = False, None

    def _loses(self, message: str | bytes) -> bool:
        if self.only_first and self.only_first in str(message):
            had, self.had_first = self.had_first, True
            return had or self.deaf
        return self.deaf

    def _pass(self, socket: WebSocketRoute, message: str | bytes) -> None:
        if self.held is None:
            socket.send(message)
        else:
            self.held.append((socket, message))
        if self.last and self.last in str(message):
            self.held, self.last = [], ""
