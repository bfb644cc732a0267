"""Encryption of backups: every size comes back, and nothing that was changed, moved or cut off is read."""

from __future__ import annotations

from io import BytesIO

import pytest

from app.store.backup import envelope
from app.store.backup.envelope import CHUNK, TAG, DecryptingReader, EncryptingWriter
from app.store.backup.manifest import BackupError

PASSPHRASE = "correct horse battery"
HEADER = 71


@pytest.fixture(autouse=True)
def guesses_are_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "_SCRYPT_N", 2**4)


def encrypt(plain: bytes) -> bytes:
    file = BytesIO()
    writer = EncryptingWriter(file, PASSPHRASE)
    for start in range(0, len(plain), 300_000):
        writer.write(plain[start : start + 300_000])
    writer.close()
    return file.getvalue()


def decrypt(encrypted: bytes, passphrase: str = PASSPHRASE) -> bytes:
    reader = DecryptingReader(BytesIO(encrypted), passphrase)
    found = b""
    while block := reader.read(200_000):
        found += block
    return found


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_every_size_comes_back(size: int) -> None:
    plain = bytes(number % 251 for number in range(size))

    encrypted = encrypt(plain)

    assert decrypt(encrypted) == plain
    assert size < 16 or plain[:16] not in encrypted


def test_another_passphrase_is_told_from_damage() -> None:
    with pytest.raises(BackupError, match="passphrase is not the one"):
        decrypt(encrypt(b"words"), "correct horse batterz")


@pytest.mark.parametrize("place", [HEADER - 1, HEADER, HEADER + 4, -1])
def test_a_changed_byte_is_found(place: int) -> None:
    encrypted = bytearray(encrypt(b"words"))
    encrypted[place] ^= 1

    with pytest.raises(BackupError, match="damaged"):
        decrypt(bytes(encrypted))


def test_chunks_can_be_neither_cut_off_nor_moved() -> None:
    encrypted = encrypt(bytes(2 * CHUNK) + b"the end")
    first = encrypted[HEADER : HEADER + CHUNK + TAG]
    second = encrypted[HEADER + CHUNK + TAG : HEADER + 2 * (CHUNK + TAG)]
    last = encrypted[HEADER + 2 * (CHUNK + TAG) :]
    head = encrypted[:HEADER]

    for forged in (head + first + second, head + second + first + last, head + first + last, head, encrypted[:-1]):
        with pytest.raises(BackupError, match="damaged"):
            decrypt(forged)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(BackupError, match="at least 8"):
        EncryptingWriter(BytesIO(), "1234567")
