"""`inview doctor` where the database is on a server of PostgreSQL: whether it answers and is as Inview needs it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.cli.checks import Check, Status, fault, ok, warning
from app.domain.errors import StoreError
from app.settings import Settings
from app.store.database.database import kind_of, make_blocking_engine
from app.store.database.migrations import HEAD, is_current

OLDEST: Final = 14
"""The oldest major version of PostgreSQL that is used."""
MB: Final = 1_000_000
_FACTS: Final = text(
    "SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_version') AS version, "
    "current_setting('server_encoding') AS encoding, pg_database_size(current_database()) AS size, "
    "has_schema_privilege('public', 'CREATE') AS can_create, current_setting('fsync') AS fsync, "
    "has_database_privilege(current_database(), 'TEMPORARY') AS can_be_temporary"
)


def check_server(settings: Settings) -> list[Check]:
    """Ask the server. Nothing is changed."""
    engine = make_blocking_engine(settings.database_url)
    try:
        with engine.connect() as connection:
            found = connection.execute(_FACTS).one()
        current = is_current(settings.database_url)
    except StoreError as error:
        return [fault("database", str(error))]
    except DBAPIError as error:
        said = str(error.orig).strip()
        return [fault("database", f"The server cannot be used: {said}.", kind_of(settings.database_url).advise(said))]
    finally:
        engine.dispose()
    said = f"PostgreSQL {found.version}, {found.size / MB:,.1f} MB"
    checks = [
        fault("database", said, advice)
        for wrong, advice in (
            (found.major < OLDEST, f"Update the server to PostgreSQL {OLDEST} or newer."),
            (found.encoding != "UTF8", "Make a database with ENCODING 'UTF8', and move to it."),
            (not found.can_create, "Let the person in INVIEW_DATABASE_URL own the database."),
            (not found.can_be_temporary, "GRANT TEMPORARY ON DATABASE: temporary conversations need it."),
        )
        if wrong
    ]
    if found.fsync != "on":
        checks.append(warning("database", "The server has fsync off: a loss of power may damage all.", "Switch it on."))
    if not current:
        advice = "The next start, or `inview migrate`, brings it up to date. Make a backup first."
        return [*checks, warning("database", f"It is not at revision {HEAD}; {said}.", advice)]
    if any(check.status is Status.FAULT for check in checks):
        return checks
    return [ok("database", f"It has revision {HEAD}; {said}."), *checks]
