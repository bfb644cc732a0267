"""Encryption of stored secrets: Fernet (AES-128-CBC with HMAC-SHA256) with a key file next to the database.

The database, a backup or an export alone reveals no secret. The whole data folder does: it contains the key too.

    seal = Seal(data_dir / "inview.key")
    seal.open(seal.close("sk-secret")) == "sk-secret"

Do not use it for passwords: those are hashed and never read back.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.domain.errors import StoreError
from app.small_files import RefusedFileError, read_small

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_FILE = "inview.key"
MAX_KEY_FILE: Final = 64 * 1024
"""Maximum size of a key file in bytes. A key file that Inview created has 44 bytes."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypts and decrypts texts with the key in the file at `path`.

    The file is created when the first secret is encrypted. The key is read from the file each time, and never cached.
    """

    path: Path

    def close(self, secret: str) -> bytes:
        """Encrypt a text."""
        return self._fernet(create=True).encrypt(secret.encode())

    def open(self, sealed: bytes) -> str:
        """Decrypt a text that `close` encrypted.

        Raises:
            StoreError: the key file is missing, damaged, too large or no regular file, or has another key than the one
                that encrypted the text.
        """
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - 8 MB, needed only with stored keys

        try:
            return self._fernet(create=False).decrypt(sealed).decode()
        except InvalidToken:
            raise StoreError(
                f"A stored key was encrypted with a key file other than {self.path}. Restore the right file, "
                "or enter the key again in Settings → Providers."
            ) from None

    def _fernet(self, *, create: bool) -> Fernet:
        from cryptography.fernet import Fernet  # noqa: PLC0415 - see above

        if create and not self.path.exists():
            _write_new(self.path, Fernet.generate_key())
        try:
            return Fernet(read_small(self.path, MAX_KEY_FILE))
        except FileNotFoundError:
            raise StoreError(
                f"The key file {self.path} is missing. Stored provider keys cannot be read without it. Restore it, "
                "or enter the keys again in Settings → Providers."
            ) from None
        except RefusedFileError as error:
            raise StoreError(
                f"The key file {self.path} {error}, so this is no key of Inview. Restore it from a backup."
            ) from None
        except ValueError:
            raise StoreError(f"The key file {self.path} is damaged. Restore it from a backup.") from None


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, completely or not at all. A file made meanwhile is not replaced."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
