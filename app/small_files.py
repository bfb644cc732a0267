"""Small files that Inview reads whole: only regular files are read, up to a maximum size.

    content = read_small(data_dir / "inview.key", 64 * 1024)

`settings.py`, `store/database/encryption.py` and `providers/models/model_lists.py` read such files. Reading a named
pipe would wait for a program that writes to it, and a device may have no end.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
}


class RefusedFileError(ValueError):
    """Error: a file is not read. The message is the reason, which continues "The file …", such as "is a folder"."""


def read_small(path: Path, most: int) -> bytes:
    """Return the content of a file.

    Raises:
        RefusedFileError: it is not a regular file, or has more than `most` bytes.
        OSError: it does not exist or cannot be read.
    """
    _require_regular(path.stat())
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        _require_regular(status)  # checked again, because another file may have replaced it
        content = file.read(most + 1)
    if len(content) > most:
        raise RefusedFileError(f"has {max(len(content), status.st_size):,} bytes. The maximum is {most:,}")
    return content


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedFileError(f"is {_KINDS.get(stat.S_IFMT(status.st_mode), 'something else')}, not a regular file")


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a program at the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)
