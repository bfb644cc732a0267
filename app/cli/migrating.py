"""Migrates the database in a separate process: the imports take 12 MB and are needed only once (docs/decisions/0050).

The steps are in `alembic/versions`; `app/store/database/migrations.py` runs them.
"""

from __future__ import annotations

import sys
from multiprocessing import get_context

from app.domain.errors import StoreError
from app.store.database.migrations import is_current, upgrade


def migrate_apart(url: str) -> None:
    """Migrate the database in a child process. Call it before this process has a second thread.

    Raises:
        StoreError: the database cannot be opened or is newer than this code, or a signal ended the child process.
        SystemExit: the database could not be migrated. The child process has printed the reason.
    """
    if is_current(url):
        return
    # A fork takes only milliseconds, because the shared modules are already imported.
    process = get_context("fork").Process(target=_upgrade, args=(url,))
    process.start()
    process.join()
    match process.exitcode:
        case 0:
            return
        case int(code) if code < 0:
            raise StoreError(f"Signal {-code} ended the migration of the database. Nothing was changed. Start again.")
        case code:
            sys.exit(code)


def _upgrade(url: str) -> None:
    try:
        upgrade(url)
    except StoreError as fault:
        sys.exit(f"inview: {fault}")
