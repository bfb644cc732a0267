"""Encryption of stored secrets: Fernet (AES-128-CBC with HMAC-SHA256) with a key file next to the database.

The database, a backup or an export alone reveals no key; whoever has the whole data folder has both.

    cipher = Cipher(data_dir / "inview.key")
    cipher.decrypt(cipher.encrypt("sk-secret")) == "sk-secret"

Not for passwords, which are hashed and never read back.
"""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.domain.errors import StoreError
from app.settings import Settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_FILE = "inview.key"


def key_path(settings: Settings) -> Path:
    """Where the key file of an installation is."""
    return settings.key_file or settings.data_dir / KEY_FILE


@dataclass(frozen=True, slots=True)
class Cipher:
    """The key file, made at the first encryption or signature. Its content is read when needed and kept nowhere."""

    path: Path

    def encrypt(self, secret: str) -> bytes:
        """Encrypt a text."""
        return self._fernet(create=True).encrypt(secret.encode())

    def decrypt(self, encrypted: bytes) -> str:
        """The text that was encrypted.

        Raises:
            StoreError: the key file is missing, or is not the one it was encrypted with.
        """
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - 8 MB that an installation without keys saves

        try:
            return self._fernet(create=False).decrypt(encrypted).decode()
        except InvalidToken:
            raise StoreError(
                f"A stored key was sealed with another key file than {self.path}. "
                "Put the right file there, or enter the key again in Settings → Providers."
            ) from None

    def sign(self, text: str) -> str:
        """Return the mark (HMAC-SHA256) by which a text is known again that was given away."""
        self._make_key()
        return hmac.digest(self.path.read_bytes(), b"mark " + text.encode(), "sha256").hex()

    def _make_key(self) -> None:
        if not self.path.exists():
            _write_new(self.path, urlsafe_b64encode(secrets.token_bytes(32)))

    def _fernet(self, *, create: bool) -> Fernet:
        from cryptography.fernet import Fernet  # noqa: PLC0415 - see above

        if create:
            self._make_key()
        try:
            return Fernet(self.path.read_bytes())
        except FileNotFoundError:
            raise StoreError(
                f"The key file {self.path} is missing: stored provider keys cannot be read without it. "
                "Put it back, or enter the keys again in Settings → Providers."
            ) from None
        except ValueError:
            raise StoreError(f"The key file {self.path} is damaged. Put a copy of it back.") from None


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all. One that appeared meanwhile is kept."""
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
