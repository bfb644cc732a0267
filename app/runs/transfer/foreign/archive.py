"""The file that a vendor hands out: JSON alone, or a zip archive with JSON, images and files in it.

    with open_archive(path) as archive:
        for chunks in archive.texts(): ...
        archive.read_asset("file-Ab3")      # bytes, or None if it is not in it

Nothing is unpacked to the disk: an archive is read where it lies, and its names lead nowhere. Sizes are counted while
reading, whatever the archive says of them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from app.domain.conversation.attachments import MAX_BYTES
from app.domain.errors import InputError

CHUNK: Final = 4 * 1024 * 1024
MAX_JSON: Final = 4 * 1024**3
"""Bytes of JSON in an archive, unpacked."""
MAX_NAMES: Final = 200_000
MAX_RATIO: Final = 300
"""How much larger JSON may be than it is packed. Conversations are about ten times as large."""
_FREE: Final = 64 * 1024 * 1024
"""Bytes that may be packed as well as they like."""
_CONVERSATIONS: Final = re.compile(r"(?:conversations|chats?)(?:[-_ ].*)?\.json", re.IGNORECASE)
_ASSET: Final = re.compile(r"file[-_][0-9A-Za-z]+")
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What reading a damaged or encrypted archive raises."""


@dataclass(eq=False)
class Archive:
    """An open file. `size` is how many bytes of text there are, as far as one knows."""

    path: Path
    packed: zipfile.ZipFile | None = None
    members: tuple[zipfile.ZipInfo, ...] = ()
    assets: dict[str, zipfile.ZipInfo] = field(default_factory=dict[str, zipfile.ZipInfo])

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.packed is None else sum(one.file_size for one in self.members)

    def texts(self) -> Iterator[Iterable[bytes]]:
        """The files with conversations, each in pieces.

        Raises (while they are read):
            InputError: the archive is damaged, encrypted, or holds too much.
        """
        if self.packed is None:
            yield _pieces(self.path)
            return
        for member in self.members:
            yield _unpacked(self.packed, member)

    def read_asset(self, key: str) -> bytes | None:
        """The bytes of an image or a file, None if they are not in the archive or too many."""
        member = self.assets.get(key)
        if self.packed is None or member is None or member.file_size > MAX_BYTES:
            return None
        try:
            with self.packed.open(member) as file:
                data = file.read(MAX_BYTES + 1)
        except _DAMAGED:
            return None
        return data if len(data) <= MAX_BYTES else None


@contextmanager
def open_archive(path: Path) -> Generator[Archive]:
    """Open a file that was handed in.

    Raises:
        InputError: it is a damaged archive, or one without conversations.
    """
    with path.open("rb") as file:
        packed = file.read(4) == b"PK\x03\x04"
    if not packed:
        yield Archive(path)
        return
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGED as error:
        raise InputError("file", "is a damaged archive. Download the export again.") from error
    with archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        if len(members) > MAX_NAMES:
            raise InputError("file", f"is an archive of more than {MAX_NAMES:,} files.")
        yield Archive(path, archive, tuple(_choose(members)), _list_assets(members))


def _choose(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The files with conversations.

    Raises:
        InputError: there is none.
    """
    written = [one for one in members if one.filename.lower().endswith(".json")]
    named = [one for one in written if _CONVERSATIONS.fullmatch(PurePosixPath(one.filename).name)]
    chosen = sorted(named or (written if len(written) == 1 else []), key=lambda one: one.filename)
    if not chosen:
        raise InputError("file", "is an archive without conversations.json. Choose the archive as it was downloaded.")
    return chosen


def _list_assets(members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Images and files by the key that their names begin with."""
    found: dict[str, zipfile.ZipInfo] = {}
    for one in members:
        key = _ASSET.match(PurePosixPath(one.filename).name)
        if key is not None:
            found.setdefault(key.group(), one)
    return found


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    read = 0
    try:
        with archive.open(member) as file:
            while piece := file.read(CHUNK):
                read += len(piece)
                _require_sane(read, member.compress_size)
                yield piece
    except _DAMAGED as error:
        raise InputError("file", "is a damaged or encrypted archive. Download the export again.") from error


def _require_sane(read: int, packed: int) -> None:
    if read > MAX_JSON or read > max(_FREE, MAX_RATIO * packed):
        raise InputError("file", "unpacks to far more than conversations have. It was not read.")
