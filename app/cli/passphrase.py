"""The passphrase of a backup: from a file, the environment or a prompt, never from the command line."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from app.settings import Settings
from app.store.backup.envelope import require_passphrase
from app.store.backup.manifest import BackupError


def read_passphrase(settings: Settings, file: Path | None, *, is_new: bool) -> str:
    """Return the first line of the file, else INVIEW_BACKUP_PASSPHRASE, else what a person types; new ones twice.

    Raises:
        BackupError: there is none, it is too short, or the two that were typed differ.
    """
    if file is not None:
        try:
            passphrase = file.read_text(encoding="utf-8").partition("\n")[0].strip("\r")
        except (OSError, UnicodeDecodeError) as error:
            raise BackupError(f"The passphrase cannot be read from {file}: {error}.") from error
    elif settings.backup_passphrase is not None:
        passphrase = settings.backup_passphrase.reveal()
    elif sys.stdin.isatty():
        passphrase = getpass.getpass("Passphrase of the backup: ")
        if is_new and getpass.getpass("Again: ") != passphrase:
            raise BackupError("The two passphrases differ. Nothing was done. Try again.")
    else:
        raise BackupError(
            "The passphrase is missing. Give --passphrase-file FILE, set INVIEW_BACKUP_PASSPHRASE, "
            "or run the command in a terminal."
        )
    if is_new:
        require_passphrase(passphrase)
    return passphrase
