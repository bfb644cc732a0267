"""The socket of the page's states, which a test can cut and mend.

page.route_web_socket(re.compile("/_event"), cable.relay)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocketRoute

NEWS = "42/_event"
"""What a Socket.IO packet with an update begins with."""


@dataclass
class Cable:
    """What the socket of the page's states runs through. While it `holds`, what the server tells is `held`."""

    page: Page
    is_cut: bool = False
    holds: bool = False
    sockets: list[WebSocketRoute] = field(default_factory=list[WebSocketRoute])
    held: list[str | bytes] = field(default_factory=list[str | bytes])

    def relay(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close(code=1011)
            return
        server = socket.connect_to_server()
        server.on_message(lambda frame: self._bring(socket, frame))
        self.sockets.append(socket)

    def cut(self) -> None:
        self.is_cut = True
        for socket in self.sockets:
            socket.close(code=1011)

    def mend(self) -> None:
        """And tell the browser, which need not wait for its next attempt then."""
        self.is_cut = False
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def release(self) -> None:
        """Bring what is held, and hold nothing any more."""
        self.holds = False
        while self.held:
            self.sockets[-1].send(self.held.pop(0))

    def _bring(self, socket: WebSocketRoute, frame: str | bytes) -> None:
        if self.holds and str(frame).startswith(NEWS):
            self.held.append(frame)
        else:
            socket.send(frame)
