"""Working folders: unfinished files lie in one, and get their final name once they are whole.

    with working_folder(Path("/backups")) as folder:
        (folder / "new").write_bytes(b"…")
        publish(folder / "new", Path("/backups/monday.inview"))

A process that is killed leaves its working folder behind; the next one that works there removes it. A lock tells
whether one is in use.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.store.backup.manifest import BackupError

PREFIX: Final = ".inview-work-"
_FRESH: Final = ".inview-fresh-"
"""A folder that is not locked yet has another name."""
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What file systems without hard links answer, those of USB sticks for example."""


@contextmanager
def working_folder(parent: Path) -> Generator[Path]:
    """Make a folder in `parent` for its owner alone, and remove it at the end, as well as those of killed processes."""
    remove_abandoned(parent)
    name = secrets.token_hex(8)
    folder, fresh = parent / f"{PREFIX}{name}", parent / f"{_FRESH}{name}"
    fresh.mkdir(mode=0o700)
    lock = os.open(fresh, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh.rename(folder)  # only now others look at it
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder)


def remove_abandoned(parent: Path) -> None:
    """Remove the working folders of this user's processes that ended without doing so."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # its process has just removed it, or it is somebody else's
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_uid == os.geteuid():
                shutil.rmtree(folder)
        except BlockingIOError:
            continue  # in use
        finally:
            os.close(lock)


def publish(draft: Path, target: Path) -> None:
    """Give a file that is whole its name, on the disk too. It never takes the place of another.

    Raises:
        BackupError: there is a file of this name.
    """
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise BackupError(f"{target} exists, and is left as it is. Choose another name.") from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if target.exists():
            raise BackupError(f"{target} exists, and is left as it is. Choose another name.") from None
        draft.rename(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
