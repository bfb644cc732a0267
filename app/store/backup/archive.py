"""The file of a backup: a gzipped tar, the manifest first, then its pieces in order, encrypted on request.

    write_archive(file, manifest, folder, passphrase=None, moved=report)
    manifest = check_archive(path, "", accept)               # reads all of it, compares all hashes, writes nothing
    unpack_archive(path, "", accept, folder)                 # the same, and writes the pieces

`tar tzf` lists one that is not encrypted. Reading takes nothing of a tar but plain files with the names that a backup
has: no links, no paths, no extended headers. What the manifest says must fit is all that is unpacked.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from app.store.backup.envelope import MAGIC, DecryptingReader, EncryptingWriter, Sink, Source
from app.store.backup.manifest import MANIFEST, BackupError, Manifest, Piece, read_manifest, write_manifest
from app.store.backup.snapshot import Moved

GZIP: Final = b"\x1f\x8b"
LEVEL: Final = 5
READ: Final = 1024 * 1024
MAX_MANIFEST: Final = 1024 * 1024
_PLAIN_FILES: Final = frozenset({tarfile.REGTYPE, tarfile.AREGTYPE})

Accept = Callable[[Manifest], None]
"""Looks at the manifest before anything else is read, and raises BackupError if it will not do."""


def is_encrypted(path: Path) -> bool:
    """Whether a backup needs a passphrase.

    Raises:
        BackupError: there is no such file, or it is no backup.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(len(MAGIC))
    except OSError as error:
        raise BackupError(f"The backup {path} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if beginning == MAGIC:
        return True
    if beginning.startswith(GZIP):
        return False
    raise BackupError(f"{path} is no backup of Inview. Give the file that `inview backup` made.")


def hash_file(path: Path) -> Piece:
    """Describe a file as a piece of a backup."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(READ):
            digest.update(block)
            size += len(block)
    return Piece(path.name, size, digest.hexdigest())


def write_archive(file: Sink, manifest: Manifest, folder: Path, passphrase: str | None, moved: Moved) -> None:
    """Write a backup of the pieces in a folder. The manifest has their hashes."""
    sealed = None if passphrase is None else EncryptingWriter(file, passphrase)
    total, done = sum(piece.size for piece in manifest.pieces), 0
    with gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=sealed or file, mtime=0) as packed:  # type: ignore[arg-type]
        body = write_manifest(manifest)
        packed.write(_header(MANIFEST, len(body)) + body + _padding(len(body)))
        for piece in manifest.pieces:
            packed.write(_header(piece.name, piece.size))
            with (folder / piece.name).open("rb") as source:
                while block := source.read(READ):
                    packed.write(block)
                    done += len(block)
                    moved(done, total)
            packed.write(_padding(piece.size))
        packed.write(bytes(2 * tarfile.BLOCKSIZE))
    if sealed is not None:
        sealed.close()


def check_archive(path: Path, passphrase: str, accept: Accept) -> Manifest:
    """Read a backup to its end and compare all hashes; nothing is written.

    Raises:
        BackupError: it is damaged, the passphrase is wrong, or `accept` refused it.
    """
    return _read(path, passphrase, accept, None)


def unpack_archive(path: Path, passphrase: str, accept: Accept, folder: Path) -> Manifest:
    """Write the pieces of a backup into an empty folder, as they are checked.

    Raises:
        BackupError: as `check_archive`; what was written is not to be used then.
    """
    return _read(path, passphrase, accept, folder)


def _read(path: Path, passphrase: str, accept: Accept, folder: Path | None) -> Manifest:
    with path.open("rb") as file, _describe_damage(path):
        source: Source = DecryptingReader(file, passphrase) if is_encrypted(path) else file
        with gzip.GzipFile(mode="rb", fileobj=source) as packed:  # type: ignore[arg-type]
            name, size = _read_header(packed)
            if name != MANIFEST or size > MAX_MANIFEST:
                raise BackupError(f"{path} is no backup of Inview: it does not begin with a manifest.")
            manifest = read_manifest(_exactly(packed, size))
            _exactly(packed, len(_padding(size)))
            accept(manifest)
            for piece in manifest.pieces:
                _read_piece(packed, piece, folder)
            if _exactly(packed, 2 * tarfile.BLOCKSIZE).strip(b"\0") or packed.read(1):
                raise BackupError(f"{path} holds more than its manifest says. It is not used.")
    return manifest


def _read_piece(packed: gzip.GzipFile, piece: Piece, folder: Path | None) -> None:
    if _read_header(packed) != (piece.name, piece.size):
        raise BackupError(f"The backup is damaged: {piece.name} is not where its manifest says. Take another copy.")
    digest, missing = hashlib.sha256(), piece.size
    with ExitStack() as stack:
        file = None
        if folder is not None:
            descriptor = os.open(folder / piece.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            file = stack.enter_context(os.fdopen(descriptor, "wb"))
        while missing:
            block = _exactly(packed, min(missing, READ))
            digest.update(block)
            missing -= len(block)
            if file is not None:
                file.write(block)
        if file is not None:
            file.flush()
            os.fsync(file.fileno())
    _exactly(packed, len(_padding(piece.size)))
    if digest.hexdigest() != piece.sha256:
        raise BackupError(
            f"The backup is damaged: {piece.name} is not what its SHA-256 says. Nothing was written. Take another copy."
        )


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry.tobuf(tarfile.GNU_FORMAT)


def _read_header(packed: gzip.GzipFile) -> tuple[str, int]:
    entry = tarfile.TarInfo.frombuf(_exactly(packed, tarfile.BLOCKSIZE), "ascii", "strict")
    if entry.type not in _PLAIN_FILES:
        raise BackupError(f"The backup holds {entry.name!r}, which is no plain file. It is not used.")
    return entry.name, entry.size


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _exactly(packed: gzip.GzipFile, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        block = packed.read(size - len(found))
        if not block:
            raise EOFError
        found += block
    return bytes(found)


@contextmanager
def _describe_damage(path: Path) -> Generator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.HeaderError, UnicodeDecodeError) as error:
        raise BackupError(
            f"The backup {path} is damaged or was cut off ({error or 'its end is missing'}). Nothing was written. "
            "Take another copy of it."
        ) from error
