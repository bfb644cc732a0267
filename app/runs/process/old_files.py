"""Deletes files that were not changed for long: unfinished imports, downloaded exports. And all of a deleted person.

await asyncio.to_thread(delete_old_files, data_dir / EXPORTS, now() - KEPT)
await asyncio.to_thread(delete_files_of, data_dir, person_id)
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Final

EXPORTS: Final = "exports"
IMPORTS: Final = "imports"
"""Folders of the data folder. Each has one for every person, named by their id."""


def delete_old_files(folder: Path, before: datetime) -> int:
    """Delete every file below a folder that was last changed before this moment; how many. Folders stay."""
    files = (path for path in folder.rglob("*") if path.is_file())
    old = [path for path in files if path.stat().st_mtime < before.timestamp()]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def delete_files_of(data_dir: Path, person_id: str) -> None:
    """Delete what a person exported or handed in."""
    for name in (EXPORTS, IMPORTS):
        folder = data_dir / name / person_id
        if folder.exists():
            shutil.rmtree(folder)
