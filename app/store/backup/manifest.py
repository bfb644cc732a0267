"""The manifest of a backup: its content, the schema revision, and the size and SHA-256 of each piece.

    manifest = read_manifest(b'{"format": "inview-backup", …}')
    manifest.pieces[0].name
    'inview.db'

Not how it is packed (`archive.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from app.domain.errors import InviewError
from app.store.database.encryption import KEY_FILE
from app.views.encode import to_json

FORMAT: Final = "inview-backup"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
DATABASE: Final = "inview.db"
PIECES: Final = (DATABASE, KEY_FILE)
"""Everything that a backup may hold beside the manifest, in this order."""

RESTORED: Final = "restored"
"""An empty file that a restore leaves in the data folder, until the first start has entered it in the audit trail."""

Secrets = Literal["none", "included", "left_out"]


class BackupError(InviewError):
    """A backup cannot be made, read or restored; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a backup holds, for people to recognise it by."""

    conversations: int
    pairs: int
    attachments: int
    attachment_bytes: int
    calls: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of a backup. `sha256` is hex."""

    name: str
    size: int
    sha256: str


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Manifest:
    """What a backup says of itself.

    `revision` is that of the database's schema, `digest` that of its content (`fingerprint.py`). `secrets` says whether
    the stored secrets and the key file are in it; `secret_count` is how many are stored where it was made.
    """

    format: str
    version: int
    made_at: datetime
    revision: str
    digest: str
    secrets: Secrets
    secret_count: int
    counts: Counts
    pieces: tuple[Piece, ...]


_manifests: Final = TypeAdapter(Manifest)


def write_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as JSON."""
    return to_json(manifest)


def read_manifest(body: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        BackupError: it is none, or names pieces that no backup has.
    """
    try:
        manifest = _manifests.validate_json(body)
    except ValidationError as error:
        raise BackupError(f"The manifest of the backup cannot be read: {error.errors()[0]['msg']}.") from error
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise BackupError(
            f"The backup has the format {manifest.format} {manifest.version}; this Inview reads {FORMAT} {VERSION}. "
            "Restore it with the version of Inview that made it, or a newer one."
        )
    names = tuple(piece.name for piece in manifest.pieces)
    if names not in {PIECES, PIECES[:1]} or any(piece.size < 0 for piece in manifest.pieces):
        raise BackupError(f"The backup holds {', '.join(names)}, which is not what a backup of Inview holds.")
    return manifest
