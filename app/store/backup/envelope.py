"""Encryption of a backup by a passphrase: scrypt, then AES-256-GCM in chunks that can be neither moved nor cut off.

    writer = EncryptingWriter(file, "correct horse battery")
    writer.write(data); writer.close()
    DecryptingReader(file, "correct horse battery").read(100)

The header is `inview-backup-1`, a newline, the salt (16 bytes), a check of the passphrase (32) and the beginning of all
nonces (7). Each chunk is 1 MiB of plain bytes, the last one less or as much, followed by its tag (16). A nonce is that
beginning, the number of the chunk (4 bytes, big-endian) and 1 for the last chunk, else 0: the STREAM construction of
Hoang, Reyhanitabar, Rogaway and Vizár (2015), as age and Tink have it. The header is authenticated with each chunk.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from app.store.backup.manifest import BackupError

MAGIC: Final = b"inview-backup-1\n"
MIN_PASSPHRASE: Final = 8
"""Characters."""
CHUNK: Final = 1024 * 1024
TAG: Final = 16
_SALT: Final = 16
_CHECK: Final = 32
_PREFIX: Final = 7
_MAX_CHUNKS: Final = 2**32
# 128 MiB and a third of a second for each guess. Fixed, so that no file can ask for more.
_SCRYPT_N: Final = 2**17
_SCRYPT_R: Final = 8


class Source(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes: ...


class Sink(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes, /) -> int: ...


def require_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that is too short to protect anything.

    Raises:
        BackupError: it has fewer than `MIN_PASSPHRASE` characters.
    """
    if len(passphrase) < MIN_PASSPHRASE:
        raise BackupError(f"The passphrase has {len(passphrase)} characters. Give at least {MIN_PASSPHRASE}.")


class EncryptingWriter:
    """Encrypts what is written to it. Without `close` what it wrote cannot be read."""

    def __init__(self, sink: Sink, passphrase: str) -> None:
        require_passphrase(passphrase)
        salt, prefix = os.urandom(_SALT), os.urandom(_PREFIX)
        key, check = _derive(passphrase, salt)
        self._sink = sink
        self._cipher = AESGCM(key)
        self._header = MAGIC + salt + check + prefix
        self._prefix = prefix
        self._number = 0
        self._waiting = bytearray()
        sink.write(self._header)

    def write(self, data: bytes) -> int:
        """Take bytes; they are encrypted once a chunk is full and more follows."""
        self._waiting += data
        while len(self._waiting) > CHUNK:
            self._put(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]
        return len(data)

    def close(self) -> None:
        """Write the last chunk."""
        self._put(bytes(self._waiting), last=True)

    def flush(self) -> None:
        """Nothing: a chunk is written when it is full."""

    def _put(self, plain: bytes, *, last: bool) -> None:
        nonce = _nonce(self._prefix, self._number, last=last)
        self._sink.write(self._cipher.encrypt(nonce, plain, self._header))
        self._number += 1


class DecryptingReader:
    """Decrypts what it reads. No byte is given out that was not authenticated.

    Raises, on making and on reading:
        BackupError: the passphrase is wrong, or bytes are missing, moved or changed.
    """

    def __init__(self, source: Source, passphrase: str) -> None:
        self._source = source
        self._header = source.read(len(MAGIC) + _SALT + _CHECK + _PREFIX)
        salt_at, check_at, prefix_at = len(MAGIC), len(MAGIC) + _SALT, len(MAGIC) + _SALT + _CHECK
        if len(self._header) < prefix_at + _PREFIX or not self._header.startswith(MAGIC):
            raise BackupError("The backup is damaged: its beginning is missing. Take another copy of it.")
        key, check = _derive(passphrase, self._header[salt_at:check_at])
        if not hmac.compare_digest(check, self._header[check_at:prefix_at]):
            raise BackupError("The passphrase is not the one of this backup. Nothing was written. Try another one.")
        self._cipher = AESGCM(key)
        self._prefix = self._header[prefix_at:]
        self._number = 0
        self._ahead = source.read(CHUNK + TAG)
        self._plain = memoryview(b"")
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """Return up to this many bytes, b"" at the end."""
        while not self._plain and not self._ended:
            self._plain = memoryview(self._next_chunk())
        taken = self._plain[:] if size < 0 else self._plain[:size]
        self._plain = self._plain[len(taken) :]
        return bytes(taken)

    def _next_chunk(self) -> bytes:
        chunk, self._ahead = self._ahead, self._source.read(CHUNK + TAG)
        self._ended = not self._ahead
        try:
            plain = self._cipher.decrypt(_nonce(self._prefix, self._number, last=self._ended), chunk, self._header)
        except InvalidTag:
            raise BackupError(
                f"The backup is damaged or was cut off, in its part {self._number + 1}. Nothing was written. "
                "Take another copy of it."
            ) from None
        self._number += 1
        return plain


def _derive(passphrase: str, salt: bytes) -> tuple[bytes, bytes]:
    """Return the key, and what tells a wrong passphrase from a damaged file without telling the key."""
    derived = Scrypt(salt=salt, length=64, n=_SCRYPT_N, r=_SCRYPT_R, p=1).derive(passphrase.encode())
    return derived[:32], hashlib.sha256(derived[32:]).digest()


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    if number >= _MAX_CHUNKS:
        raise BackupError("The backup is larger than 4 PiB, more than can be encrypted.")
    return prefix + number.to_bytes(4, "big") + bytes([last])
