"""`inview backup` and `inview restore`: their steps in order, and their messages.

How a backup is made of pieces: `app/store/backup`.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.runs.people.audit import enter
from app.settings import SQLITE, Settings
from app.store.backup.archive import check_archive, hash_file, unpack_archive, write_archive
from app.store.backup.fingerprint import take_fingerprint
from app.store.backup.manifest import DATABASE, FORMAT, RESTORED, VERSION, BackupError, Manifest, Secrets
from app.store.backup.snapshot import Snapshot, read_revision, take_snapshot
from app.store.backup.sqlite_rows import SqliteRows
from app.store.backup.working_folder import publish, remove_abandoned, sync_folder, working_folder
from app.store.database.database import open_store
from app.store.database.encryption import KEY_FILE, key_path
from app.store.database.migrations import HEAD, REVISIONS, check, exists, is_current, upgrade

Say = Callable[[str], None]
PROGRESS_SECONDS: Final = 2.0
_OF_THE_FILE_SYSTEM: Final = frozenset({"lost+found"})
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def make_backup(settings: Settings, target: Path, passphrase: str | None, say: Say) -> Manifest:
    """Write a backup; `passphrase` None: not encrypted, and then without the stored secrets.

    Raises:
        BackupError: it cannot be made. There is no file of this name then.
    """
    target = target.expanduser().absolute()
    folder = _folder_of_database(settings)
    require_makeable(settings, target)
    key = key_path(settings)
    keeps_secrets = passphrase is not None and key.is_file()
    with _describe_faults(target), working_folder(folder) as beside, working_folder(target.parent) as work:
        snapshot = take_snapshot(
            settings.database_url,
            beside / DATABASE,
            keep_secrets=keeps_secrets,
            moved=Progress("Copying the database", say) if is_file(settings) else count_rows(say),
        )
        names = [DATABASE]
        if keeps_secrets:
            shutil.copyfile(key, beside / KEY_FILE)
            names.append(KEY_FILE)
        pieces = tuple(hash_file(beside / name) for name in names)
        manifest = Manifest(
            format=FORMAT,
            version=VERSION,
            made_at=datetime.now(UTC),
            revision=snapshot.revision,
            digest=snapshot.digest,
            secrets=_describe_secrets(snapshot, keeps_secrets=keeps_secrets),
            secret_count=snapshot.secret_count,
            counts=snapshot.counts,
            pieces=pieces,
        )
        draft = work / target.name
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            write_archive(file, manifest, beside, passphrase, Progress("Packing", say))
        publish(draft, target)
    return manifest


async def enter_backup(settings: Settings, *, encrypted: bool) -> None:
    """Enter in the audit trail that a backup is made: before it is, so that the backup has the entry too.

    A database that this code has yet to migrate is left as it is.
    """
    if await asyncio.to_thread(is_current, settings.database_url):
        async with open_store(settings.database_url) as store, store.write() as session:
            why = "encrypted" if encrypted else "not encrypted"
            await enter(session, AuditAction.BACKUP_MADE, ObjectKind.INSTALLATION, "", why=why)


def restore_backup(archive: Path, folder: Path, passphrase: str, say: Say) -> Manifest:
    """Put a backup into an empty or missing folder, and bring its database up to this code.

    Raises:
        BackupError: the folder has something in it, or the backup is damaged, newer than this code, or needs another
            passphrase. Nothing is in the folder then that was not there before.
    """
    folder = folder.expanduser().absolute()
    require_empty(folder)
    is_new = not folder.exists()

    def accept(manifest: Manifest) -> None:
        _require_restorable(manifest, folder)

    with _describe_faults(folder):
        say("Checking the backup …")
        check_archive(archive, passphrase, accept)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with working_folder(folder) as work:
                say("Restoring …")
                manifest = unpack_archive(archive, passphrase, accept, work)
                _check_database(work / DATABASE, manifest)
                upgrade(f"{SQLITE}{work / DATABASE}")
                (work / RESTORED).touch(mode=0o600)
                publish(work / RESTORED, folder / RESTORED)
                # The database comes last: where it is, all of it is there.
                for piece in reversed(manifest.pieces):
                    publish(work / piece.name, folder / piece.name)
        except BaseException:
            if is_new and not any(folder.iterdir()):
                folder.rmdir()
            raise
        sync_folder(folder.parent)
    return manifest


def is_file(settings: Settings) -> bool:
    """Whether the database is a file, and not on a server."""
    return settings.database_url.startswith(SQLITE)


def database_path(settings: Settings) -> Path:
    """The file of the database.

    Raises:
        BackupError: it has none.
    """
    path = make_url(settings.database_url).database
    if not path or path == ":memory:":
        raise BackupError("The database of INVIEW_DATABASE_URL is no file, so there is nothing to back up.")
    return Path(path).absolute()


def _folder_of_database(settings: Settings) -> Path:
    return database_path(settings).parent if is_file(settings) else settings.data_dir


def choose_folder(settings: Settings, into: Path | None) -> Path:
    """Where a backup is restored to.

    Raises:
        BackupError: the database of this installation lies outside of its data folder.
    """
    if into is not None:
        return into
    if not is_file(settings):
        raise BackupError(
            "INVIEW_DATABASE_URL names PostgreSQL, and a backup is restored as a file. Restore with --into an empty "
            f"folder, run `inview copy-database` from its {DATABASE} to an empty database, then move {KEY_FILE}, if "
            "there is one, into the data folder."
        )
    if database_path(settings) != settings.data_dir / DATABASE:
        raise BackupError(
            "INVIEW_DATABASE_URL names a database outside of the data folder. Restore with --into an empty folder, "
            f"then move {DATABASE} to where it belongs and {KEY_FILE}, if there is one, into the data folder."
        )
    return settings.data_dir


def require_empty(folder: Path) -> None:
    """See that nothing would be overwritten.

    Raises:
        BackupError: there is something in the folder, or it is none.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BackupError(f"{folder} is a file. Choose a folder that is empty or does not exist.")
    remove_abandoned(folder)
    found = sorted(path.name for path in folder.iterdir() if path.name not in _OF_THE_FILE_SYSTEM)
    if found:
        raise BackupError(
            f"{folder} has something in it ({', '.join(found[:3])}), and nothing is overwritten. "
            "Stop Inview and move the folder away, or restore --into another one."
        )


def describe_made(manifest: Manifest, target: Path, *, encrypted: bool) -> list[str]:
    """What a person is told of a backup that was made."""
    lines = [f"Wrote {target}: {_describe_counts(manifest)}, {'encrypted' if encrypted else 'not encrypted'}."]
    if manifest.secrets == "left_out":
        lines.append(
            f"{_describe_left_out(manifest)} left out. "
            + ("The key file is missing, so nobody can read them." if encrypted else "--encrypt takes them along.")
        )
    return [*lines, f"Digest: {manifest.digest}"]


def describe_restored(manifest: Manifest, folder: Path) -> list[str]:
    """What a person is told of a backup that was restored."""
    lines = [f"Restored {_describe_counts(manifest)} of {manifest.made_at:%Y-%m-%d %H:%M} UTC into {folder}."]
    if manifest.revision != HEAD:
        lines.append(f"Its database was migrated from revision {manifest.revision} to {HEAD}.")
    if manifest.secrets == "left_out":
        lines.append(f"{_describe_left_out(manifest)} not in this backup. Enter them again in Settings.")
    return [*lines, "Where accounts are on, everybody has to sign in again. `inview verify` checks all of it."]


def _describe_left_out(manifest: Manifest) -> str:
    count = manifest.secret_count
    return f"{count} stored secret{' (a key or sign-in) is' if count == 1 else 's (keys and sign-ins) are'}"


def _describe_counts(manifest: Manifest) -> str:
    counts = manifest.counts
    return (
        f"{counts.conversations:,} conversations, {counts.pairs:,} pairs, {counts.attachments:,} attachments, "
        f"{counts.calls:,} calls in the ledger"
    )


@dataclass(eq=False)
class Progress:
    """Says now and then how much is done; nothing where all is done before that."""

    what: str
    say: Say
    unit: str = "MB"
    size: int = 1_000_000
    said_at: float = field(default_factory=time.monotonic)

    def __call__(self, done: int, total: int) -> None:
        if total and time.monotonic() - self.said_at > PROGRESS_SECONDS:
            self.said_at = time.monotonic()
            self.say(f"{self.what}: {done * 100 // total} % of {total / self.size:,.0f} {self.unit}")


def count_rows(say: Say) -> Progress:
    """Progress of a copy of rows."""
    return Progress("Copying", say, "rows", 1)


def _describe_secrets(snapshot: Snapshot, *, keeps_secrets: bool) -> Secrets:
    if not snapshot.secret_count:
        return "none"
    return "included" if keeps_secrets else "left_out"


def require_makeable(settings: Settings, target: Path) -> None:
    """See that a backup can be written to this file.

    Raises:
        BackupError: there is something in its place, no database, or no room for a copy.
    """
    folder = _folder_of_database(settings)
    if target.exists():
        raise BackupError(f"{target} exists, and is left as it is. Choose another name.")
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent}. Make it, or choose another one.")
    if not is_file(settings):
        check(settings.database_url)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return
    database = database_path(settings)
    if not exists(settings.database_url):
        raise BackupError(f"There is no database {database}, so there is nothing to back up.")
    size = sum(path.stat().st_size for end in ("", "-wal") if (path := Path(f"{database}{end}")).exists())
    _require_room(folder, size)


def _require_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise BackupError(
            f"The disk of {folder} has {free / 1e6:,.0f} MB free, and {size / 1e6:,.0f} MB are needed. "
            "Nothing was written. Make room, then try again."
        )


def _require_restorable(manifest: Manifest, folder: Path) -> None:
    if manifest.revision not in REVISIONS:
        raise BackupError(
            f"The backup was made by a newer Inview (revision {manifest.revision}; this one knows {HEAD}). "
            "Nothing was written. Update Inview, then restore it."
        )
    there = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    _require_room(there, sum(piece.size for piece in manifest.pieces))


def _check_database(path: Path, manifest: Manifest) -> None:
    try:
        with closing(sqlite3.connect(path)) as database:
            revision = read_revision(database)
            if revision == manifest.revision and take_fingerprint(SqliteRows(database)) == manifest.digest:
                return
    except sqlite3.Error as error:
        raise BackupError(f"The database in the backup is damaged: {error}. Nothing was written.") from error
    raise BackupError("The database in the backup is not the one that its manifest describes. Nothing was written.")


@contextmanager
def _describe_faults(place: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        advice = "Make room" if error.errno in _FULL else "Check that it may be written"
        raise BackupError(
            f"{error.filename or place} could not be written: {reason}. There is no new file. {advice}, then try again."
        ) from error
