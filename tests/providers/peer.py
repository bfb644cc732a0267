"""A scripted HTTP peer: the network edge that tests fake, on real sockets, with faults that no framework can produce.

async with a_peer(Answer(chunks=(b"data: {}\n\n", 0.1, b"data: [DONE]\n\n"))) as peer:
    ...  # send something to peer.url
assert peer.heard[0].path == "/v1/chat/completions"
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.sockets import serve_connections


@dataclass(frozen=True)
class Heard:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """An answer: its chunks, then its end.

    Bytes are sent as one HTTP chunk, numbers are pauses in seconds, functions are called. `before`: the same, sent
    unchanged before the status line.

    `end`: a normal end. `cut`: close the connection within the body. `stall`: send nothing more and wait until the
    client disconnects. `unframed`: a body without length or chunks, ended by closing, as HTTP/1.0 does. `silent`: not
    even a status line.
    """

    chunks: Iterable[bytes | float | Callable[[], None]] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/event-stream"),)
    before: Iterable[bytes | float | Callable[[], None]] = ()
    then: Literal["end", "cut", "stall", "unframed", "silent"] = "end"


@dataclass
class Peer:
    """A running peer. The last of its `answers` repeats.

    `asked` is set with the first request, `left` when a client disconnects in the middle of an answer.
    """

    answers: list[Answer]
    url: str = ""
    heard: list[Heard] = field(default_factory=list[Heard])
    connections: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])
    _heard_more: asyncio.Event = field(default_factory=asyncio.Event)

    async def until_heard(self, count: int) -> None:
        """Return once `count` requests have arrived."""
        async with asyncio.timeout(30):
            while len(self.heard) < count:
                self._heard_more.clear()
                await self._heard_more.wait()

    async def until_left(self) -> None:
        """Return once a client has disconnected in the middle of an answer."""
        async with asyncio.timeout(30):
            await self.left.wait()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._note_task()
        try:
            while heard := await _read_request(reader):
                self.heard.append(heard)
                self.asked.set()
                self._heard_more.set()
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                gone = asyncio.ensure_future(reader.read(1))
                playing = asyncio.ensure_future(_play(answer, writer))
                await asyncio.wait({gone, playing}, return_when=asyncio.FIRST_COMPLETED)
                is_left = not playing.done()
                for task in (gone, playing):
                    task.cancel()
                _, played = await asyncio.gather(gone, playing, return_exceptions=True)  # so both errors are retrieved
                if is_left:
                    self.left.set()
                    return
                if isinstance(played, BaseException):
                    raise played
                if not played:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()

    def _note_task(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


async def _read_request(reader: asyncio.StreamReader) -> Heard | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Heard(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


async def _play_piece(piece: bytes | float | Callable[[], None], writer: asyncio.StreamWriter) -> None:
    if isinstance(piece, bytes):
        writer.write(piece)
        await writer.drain()
    elif callable(piece):
        piece()
    else:
        await asyncio.sleep(piece)


async def _play(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    """Play an answer. Return whether the connection can serve another request."""
    if answer.then == "silent":
        await asyncio.Event().wait()
    for piece in answer.before:
        await _play_piece(piece, writer)
    framed = answer.then != "unframed"
    framing = "Transfer-Encoding: chunked" if framed else "Connection: close"
    lines = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    writer.write(f"HTTP/1.1 {answer.status} Scripted\r\n{lines}{framing}\r\n\r\n".encode())
    for chunk in answer.chunks:
        if chunk == b"":
            continue  # an empty HTTP chunk is the end
        framed_chunk = b"%x\r\n%b\r\n" % (len(chunk), chunk) if framed and isinstance(chunk, bytes) else chunk
        await _play_piece(framed_chunk, writer)
    match answer.then:
        case "cut":
            await asyncio.sleep(0.02)  # so that the client reads the written bytes before the end of the connection
            return False
        case "stall":
            await asyncio.Event().wait()
        case "end":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        case _:
            pass
    return answer.then == "end"


@asynccontextmanager
async def a_peer(*answers: Answer) -> AsyncGenerator[Peer, None]:
    peer = Peer(list(answers))
    async with serve_connections(peer.answer) as port:
        peer.url = f"http://127.0.0.1:{port}"
        yield peer
