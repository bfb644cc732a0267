"""A page of Inview without a browser: Reflex's socket, and the values of its vars with patches applied to them.

    page = ReflexPage(f"/c/{conversation_id}")
    async with connect(page.url("127.0.0.1:3000"), compression="deflate") as socket:
        await page.open(socket)                    # hydrated, and its conversation is known
        text = page.new_text_of(await socket.recv())

Socket.IO 5 over Engine.IO 4 (https://socket.io/docs/v4/engine-io-protocol/), as far as a page uses it.
"""

from __future__ import annotations

from typing import Any, Final, cast
from uuid import uuid4

import orjson
from websockets.asyncio.client import ClientConnection

from app.patches.apply import Reader, apply
from app.patches.patch import Append, NewItems, Op, Patch, Rebuild, Replace, Span

NAMESPACE: Final = "/_event"
PINGS: Final = {"2": "3"}
"""Ping frames of Engine.IO, each with its answer."""
TRANSCRIPT: Final = "reflex___state____state.app___state___transcript___transcript____transcript_state"
COMPOSER: Final = "reflex___state____state.app___state___composer___state____composer_state"
_EVENT: Final = f"42{NAMESPACE},"
_CONNECTED: Final = f"40{NAMESPACE},"
_ROUTE: Final = "/c/[conversation]"


class ReflexPage:
    """One tab. `values` has the values of its vars, by state and name."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.token = str(uuid4())
        self.values: dict[tuple[str, str], Any] = {}
        self.revisions: dict[tuple[str, str], tuple[str, int]] = {}
        self._counted: dict[str, int] = {}
        self._reader = Reader(orjson.loads)

    def url(self, address: str) -> str:
        return f"ws://{address}{NAMESPACE}/?token={self.token}&EIO=4&transport=websocket"

    async def open(self, socket: ClientConnection) -> None:
        """Connect, request all values, and wait until the content of the next send is known."""
        assert str(await socket.recv())[0] == "0", "no Engine.IO server"
        await socket.send(f'40{NAMESPACE},{{"reads_added":true}}')
        while not (answer := str(await socket.recv())).startswith(_CONNECTED):
            pass
        self._reader.delta_in(answer.removeprefix(_CONNECTED))
        await self.emit(socket, "reflex___state____state.hydrate_and_load")
        while self.shown(COMPOSER, "estimate") is None:
            await self.read(socket)

    async def read(self, socket: ClientConnection) -> None:
        """Read the next frame."""
        frame = str(await socket.recv())
        if frame in PINGS:
            await socket.send(PINGS[frame])
        else:
            self.take(frame)

    async def emit(self, socket: ClientConnection, name: str, **payload: object) -> None:
        """Send an event as the page does."""
        place = {"pathname": _ROUTE, "query": {"conversation": self.path.rpartition("/")[2]}, "asPath": self.path}
        event = {"name": name, "payload": payload, "router_data": place}
        await socket.send(_EVENT + orjson.dumps(["event", event]).decode())

    def shown(self, state: str, name: str) -> Any:
        """Return the value of a var, or None if it has not arrived."""
        return self.values.get((state, f"{name}_rx_state_"))

    def take(self, frame: str) -> None:
        """Apply an update."""
        if not frame.startswith(_EVENT):
            return
        for state, values in self._reader.delta_in(frame.removeprefix(_EVENT)).items():
            for name, value in values.items():
                self._put((state, name), value)

    def new_text_of(self, frame: str) -> str:
        """Apply an update and return the text that it adds to the newest reply."""
        self.take(frame)
        pairs: list[Any] = self.shown(TRANSCRIPT, "pairs") or []
        if not pairs:
            return ""
        newest = pairs[-1]
        text = "".join(part["text"] for part in newest["parts"] if part["type"] == "text")
        counted = self._counted.get(newest["id"], 0)
        self._counted[newest["id"]] = len(text)
        return text[counted:]

    def _put(self, var: tuple[str, str], value: Any) -> None:
        if not isinstance(value, dict) or "$rev" not in value:
            self.values[var] = value
            return
        sent = cast("dict[str, Any]", value)
        connection, number = sent["$rev"]
        if "patch" not in sent:
            self.values[var] = sent["whole"]
        elif self.revisions[var] == (connection, number - 1):
            self.values[var] = apply(self.values[var], read_patch(sent["patch"]))
        else:
            raise ValueError(f"Patch {number} of {var} does not follow {self.revisions[var]}.")
        self.revisions[var] = connection, number


def read_patch(ops: list[Any]) -> Patch:
    """Decode a patch from its format on the wire."""
    return Patch(tuple(_read_op(*op) for op in ops))


def _read_op(sign: str, path: list[str | int], detail: Any) -> Op:
    where = tuple(path)
    match sign:
        case "+":
            return Append(where, detail)
        case "=":
            return Replace(where, detail)
        case "#":
            return Rebuild(where, tuple(map(_read_piece, detail)))
        case _:
            raise ValueError(f"No operation has the sign {sign!r}.")


def _read_piece(piece: Any) -> Span | NewItems:
    return Span(*piece) if len(piece) == 2 else NewItems(tuple(piece["new"]))
