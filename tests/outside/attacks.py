"""Attacks of a peer on its reader, as answers of a scripted HTTP server.

Each attack is made for a reader (`readers.py`) and returns the answer and its measurements. An attack that the reader
does not end stops far above the limits, so that a test fails and does not hang.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from tests.outside.readers import Reader
from tests.providers.peer import Answer
from tests.runs.clock import LoopClock

SOCKET_BYTES: Final = 16_000_000
"""More unread bytes than the two ends of a connection hold."""
BLOCK_BYTES: Final = 1_000_000
TURNS: Final = 30
"""Turns of the event loop between two sends, for the reader to receive."""


@dataclass
class Attack:
    """An answer, with the bytes of its body sent so far, before compression, and the seconds that passed."""

    clock: LoopClock
    sent: int = 0
    answer: Answer = field(default_factory=Answer)


def bomb(reader: Reader, clock: LoopClock) -> Attack:
    """A compressed body of a thousandth of its real size."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    filler = reader.filler * (BLOCK_BYTES // len(reader.filler))
    head = packer.compress(filler) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(filler) + packer.flush(zlib.Z_FULL_FLUSH)  # depends on nothing before it

    def pieces(attack: Attack) -> Iterator[bytes]:
        yield head
        while attack.sent < 8 * reader.most_bytes + 100 * BLOCK_BYTES:
            attack.sent += BLOCK_BYTES
            yield block

    return _play(reader, clock, pieces, ("Content-Encoding", "gzip"))


def endless(reader: Reader, clock: LoopClock) -> Attack:
    """A body without end, at full speed."""
    filler = reader.filler * (65_536 // len(reader.filler))

    def pieces(attack: Attack) -> Iterator[bytes]:
        while attack.sent < 8 * reader.most_bytes + 4 * SOCKET_BYTES:
            attack.sent += len(filler)
            yield filler

    return _play(reader, clock, pieces)


def dripping(reader: Reader, clock: LoopClock) -> Attack:
    """A little at a time, each piece just before the reader's time-out."""

    def pieces(attack: Attack) -> Iterator[bytes | float | Callable[[], None]]:
        while clock.ahead < 3 * reader.seconds:
            attack.sent += len(reader.filler)
            yield reader.filler
            yield from (0.0,) * TURNS
            yield lambda: clock.put_forward(reader.step)

    return _play(reader, clock, pieces)


INFORMATIONAL: Final = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
HEADER: Final = b"A: b\r\n"


def informational(reader: Reader, clock: LoopClock) -> Attack:
    """Informational answers (1xx) without end."""
    return _play_before(reader, clock, (), INFORMATIONAL * 2_000)


def headers(reader: Reader, clock: LoopClock) -> Attack:
    """A head without end."""
    return _play_before(reader, clock, (b"HTTP/1.1 200 OK\r\n",), HEADER * 10_000)


def header(reader: Reader, clock: LoopClock) -> Attack:
    """A header without end."""
    return _play_before(reader, clock, (b"HTTP/1.1 200 OK\r\nA: ",), b"x" * 65_536)


def _play_before(reader: Reader, clock: LoopClock, first: tuple[bytes, ...], filler: bytes) -> Attack:
    attack = Attack(clock)

    def pieces() -> Iterator[bytes]:
        yield from first
        while attack.sent < 4 * SOCKET_BYTES:
            attack.sent += len(filler)
            yield filler

    attack.answer = replace(reader.answer, before=pieces())
    return attack


def dripping_informational(reader: Reader, clock: LoopClock) -> Attack:
    """One informational answer at a time, each just before the reader's time-out."""

    def pieces() -> Iterator[bytes | float | Callable[[], None]]:
        while clock.ahead < 3 * reader.seconds:
            yield INFORMATIONAL
            yield from (0.0,) * TURNS
            yield lambda: clock.put_forward(reader.step)

    return Attack(clock, answer=replace(reader.answer, before=pieces()))


def body_of(body: bytes) -> Callable[[Reader, LoopClock], Attack]:
    """Answer with this JSON where the reader expects its own."""

    def attack(reader: Reader, clock: LoopClock) -> Attack:
        return _play(reader, clock, lambda _: iter((reader.frame(body),)))

    return attack


def _play(
    reader: Reader,
    clock: LoopClock,
    pieces: Callable[[Attack], Iterator[bytes | float | Callable[[], None]]],
    *headers: tuple[str, str],
) -> Attack:
    attack = Attack(clock)
    attack.answer = replace(reader.answer, chunks=pieces(attack), headers=(*reader.answer.headers, *headers))
    return attack


WIDE: Final = 2_600_000
"""Lists that take 150 MB and more once they are built, and 8 MB as JSON."""
HALF: Final = b"[]," * (WIDE // 2)
LEVELS: Final = 100_000
DEEP: Final = {
    "levels beyond any stack": b"[" * LEVELS + b"]" * LEVELS,
    "levels with half a character": b'{"a":"\\ud800","b":' + b"[" * LEVELS + b"]" * LEVELS + b"}",
    "levels within an error": b'{"error":{"message":' + b"[" * 600 + b"]" * 600 + b"}}",
    "levels within a code": b'{"error":{"message":"no","code":' + b"[" * 990 + b"]" * 990 + b"}}",
    "levels within a field": b'{"data":[{"id":'
    + b"[" * 600
    + b"]" * 600
    + b'}],"input_tokens":'
    + b"[" * 600
    + b"]" * 600
    + b"}",
}
WRONG: Final = {
    "a number": b"5",
    "a text": b'"text"',
    "nothing": b"null",
    "a truth": b"true",
    "a list": b"[[],5,null]",
    "wrong fields": b'{"data":5,"error":5,"input_tokens":"5","choices":5,"type":[],"delta":5}',
    "wrong items": b'{"data":[5,{"id":[]}],"error":{"message":5,"code":{},"type":[]},"input_tokens":-1,"choices":[5]}',
    "no JSON": b"{",
    "an empty body": b"",
}
ATTACKS: Final[dict[str, Callable[[Reader, LoopClock], Attack]]] = {
    "bomb": bomb,
    "endless": endless,
    "dripping": dripping,
    "informational responses": informational,
    "informational responses, dripping": dripping_informational,
    "headers": headers,
    "a header": header,
    "wide": body_of(b"[" + b"[]," * WIDE + b"[]]"),
    "wide, in fields": body_of(b'{"data":[' + HALF + b'[]],"choices":[' + HALF + b"[]]}"),
    **{f"deep: {name}": body_of(body) for name, body in DEEP.items()},
    **{f"wrong: {name}": body_of(body) for name, body in WRONG.items()},
}
BEFORE_THE_BODY: Final = frozenset({"informational responses", "headers", "a header"})
"""Attacks with bytes before a body: a reader accepts few of them, whatever its limit for a body is."""
