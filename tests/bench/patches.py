"""Cost of one flush of a growing reply: time from the new value to the socket's queue, and bytes on the wire.

    python -m tests.bench.patches

Alternates with unchanged Reflex, which sends the whole list. A hundred rows of 1 KB; the last one grows.
"""

# Reflex has few types, and the code that is replaced here is private.
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
import os
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import psutil
from reflex.app import EventNamespace
from reflex.state import StateUpdate
from reflex.utils.token_manager import SocketRecord
from reflex_base.utils.format import json_dumps
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Frame, Opcode

from app.patches.backlog import Backlog
from app.patches.connection import Connection
from app.patches.namespace import PatchedNamespace, _Client

ROWS: Final = 100
WORDS: Final = tuple({word for line in Path(__file__).with_name("report.py").open() for word in line.split()})
STATE: Final = "reflex___state____state.app___state___transcript___transcript____transcript_state"


@dataclass(frozen=True)
class Row:
    id: str
    request_text: str
    reply_text: str
    lifecycle: str = "sending"
    stars: int = 0
    tokens: int = 0
    tags: tuple[str, ...] = ()


class Wire:
    """A socket that collects the frames."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    async def send(self, _sid: str, frame: str) -> None:
        self.frames.append(frame.encode())


class Plain(EventNamespace):
    """Unchanged Reflex, down to the packet."""

    server: Any

    async def emit(self, _event: str, data: Any = None, **_to: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - what Reflex calls
        await self.server.eio.send("", f'2/_event,["event",{json_dumps(data, separators=(",", ":"))}]')


def a_namespace(kind: type[EventNamespace], wire: Wire) -> EventNamespace:
    app: Any = SimpleNamespace(_state=None)
    made: Any = kind("/_event", app)
    made.server = SimpleNamespace(eio=wire)
    made._token_manager.token_to_socket["tab"] = SocketRecord(instance_id=made._token_manager.instance_id, sid="sid")
    if isinstance(made, PatchedNamespace):
        socket = SimpleNamespace(closed=False, sid="", queue=asyncio.Queue())
        connection = Connection("abcdef", made._kinds, reads_added=True)
        made._clients["sid"] = _Client(connection, socket, Backlog(socket.queue))
    return made


async def measure(kind: type[EventNamespace], flushes: int) -> tuple[float, float, float]:
    """Return the microseconds per flush, and the bytes per byte of the reply: uncompressed and compressed."""
    wire = Wire()
    namespace = a_namespace(kind, wire)
    rows = tuple(Row(f"pair-{at}", f"Question {at}?", "x" * 1_000) for at in range(ROWS))
    await namespace.emit_update(StateUpdate(delta={STATE: {"pairs_rx_state_": rows}}), "tab")
    took, text, chosen = 0.0, "", random.Random(1)
    for _ in range(flushes):
        text += " ".join(chosen.choices(WORDS, k=2)) + " "
        rows = (*rows[:-1], replace(rows[-1], reply_text=text))
        started = time.process_time()
        await flush(namespace, rows)
        took += time.process_time() - started
    sizes = [sum(map(len, each[1:])) / len(text) for each in (wire.frames, compressed(wire.frames))]
    return took / flushes * 1e6, sizes[0], sizes[1]


async def flush(namespace: EventNamespace, rows: tuple[Row, ...]) -> None:
    """Send the rows as a flush of a reply does: only the added text, if this is possible."""
    if isinstance(namespace, PatchedNamespace):
        state = SimpleNamespace(get_full_name=lambda: STATE)
        if await namespace.append(namespace._clients["sid"], state, "pairs", rows):
            return
    await namespace.emit_update(StateUpdate(delta={STATE: {"pairs_rx_state_": rows}}), "tab")


def a_compression() -> PerMessageDeflate:
    """Compress as uvicorn does: with a window of 4 KB."""
    return PerMessageDeflate(
        remote_no_context_takeover=False,
        local_no_context_takeover=False,
        remote_max_window_bits=12,
        local_max_window_bits=12,
        compress_settings={"memLevel": 5},
    )


def compressed(frames: list[bytes]) -> list[bytes]:
    deflate = a_compression()
    return [bytes(deflate.encode(Frame(Opcode.TEXT, frame)).data) for frame in frames]


def compression_memory(connections: int = 500) -> float:
    """Return the KB of one connection's compression, in both directions, after use."""
    sent, received = Frame(Opcode.TEXT, os.urandom(60_000)), os.urandom(6_000)
    before, kept = resident(), list[PerMessageDeflate]()
    for _ in range(connections):
        kept.append(each := a_compression())
        each.encode(sent)
        each.decode(a_compression().encode(Frame(Opcode.TEXT, received)))
    return (resident() - before) / len(kept)


def resident() -> float:
    return psutil.Process().memory_info().rss / 1024


async def main() -> None:
    print(f"{compression_memory():.0f} KB of compression for each connection")
    for _ in range(3):
        for kind, flushes in ((PatchedNamespace, 2_000), (Plain, 100)):
            microseconds, raw, packed = await measure(kind, flushes)
            print(
                f"{kind.__name__:18} {microseconds:7.0f} µs a flush, {raw:9.1f} bytes a byte, {packed:8.2f} compressed"
            )


if __name__ == "__main__":
    asyncio.run(main())
