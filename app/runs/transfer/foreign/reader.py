"""The conversations of a file of another application, one after the other, and those of Inview's own file.

    with reading(path) as found:
        for one in found: ...           # a Found, or an UnreadableError with the reason

Everything here works in a thread: files are large.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

import orjson

from app.domain.errors import InputError
from app.domain.transfer.foreign import ForeignConversation, UnreadableError, list_of, object_of, title_of
from app.domain.transfer.formats import ForeignFormat, detect
from app.runs.transfer.exports.own_json import FORMAT
from app.runs.transfer.foreign.archive import Archive, open_archive
from app.runs.transfer.foreign.items import NotJsonError, read_items

MAX_ID: Final = 200
_LISTS: Final = ("conversations", "chats", "data")
"""Names under which a file that is one object may have its conversations."""


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation of a file. `digest` changes with what is said in it."""

    format: ForeignFormat
    conversation: ForeignConversation
    digest: str

    @property
    def foreign_id(self) -> str:
        """Its id in the export, or a hash of one that is too long."""
        given = self.conversation.id
        return given if len(given) <= MAX_ID else sha256(given.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation that cannot be taken: what it is called, and why."""

    name: str
    reason: str


@dataclass(eq=False)
class Reading:
    """A file that is being read. `done` counts its bytes of text."""

    archive: Archive
    rest: Callable[[], None]
    done: int = 0

    def __iter__(self) -> Iterator[Found | Unread]:
        """Each conversation.

        Raises:
            InputError: the file cannot be read further.
        """
        number = 0
        for text in self.archive.texts():
            try:
                for item in read_items(self._count(text)):
                    for one in _split(item):
                        number += 1
                        yield _read(one, number)
            except NotJsonError as error:
                if number:
                    yield Unread("The rest of the file", "It is damaged or cut off: what follows could not be read.")
                    return
                raise InputError("file", "is no export: it is not JSON.") from error

    def _count(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.done += len(chunk)
            self.rest()
            yield chunk


@contextmanager
def reading(path: Path, rest: Callable[[], None]) -> Generator[Reading]:
    """Open a file and read it.

    Raises:
        InputError: it is a damaged archive, or one without conversations.
    """
    with open_archive(path) as archive:
        yield Reading(archive, rest)


def is_own(path: Path) -> bool:
    """Whether this is a file in Inview's own format, or one conversation of it written by hand."""
    with path.open("rb") as file:
        head = file.read(64 * 1024)
    compact = b"".join(head.removeprefix(b"\xef\xbb\xbf").split())
    if not compact.startswith(b"{"):
        return False
    return f'"format":"{FORMAT}"'.encode() in compact or b'"user_text":' in compact


def _split(item: bytes | UnreadableError) -> Iterator[dict[str, Any] | UnreadableError]:
    """The conversations of an item: itself, or those that it lists."""
    if isinstance(item, UnreadableError):
        yield item
        return
    try:
        read: Any = orjson.loads(item)
    except orjson.JSONDecodeError:
        yield UnreadableError("It is not JSON.")
        return
    if not isinstance(read, dict):
        yield UnreadableError("It is no object.")
        return
    fields = cast("dict[str, Any]", read)
    listed = next((list_of(fields.get(name)) for name in _LISTS if list_of(fields.get(name))), None)
    if listed is None:
        yield fields
    else:
        yield from map(object_of, listed)


def _read(item: dict[str, Any] | UnreadableError, number: int) -> Found | Unread:
    if isinstance(item, UnreadableError):
        return Unread(f"Conversation {number}", str(item))
    name = title_of(item.get("title")) or title_of(item.get("name")) or f"Conversation {number}"
    try:
        format_ = detect(item)
        conversation = format_.read(item)
    except UnreadableError as error:
        return Unread(name, str(error))
    said = (conversation.title, conversation.current, conversation.system_prompt, conversation.messages)
    return Found(format_, conversation, sha256(repr(said).encode("utf-8", "replace")).hexdigest())
