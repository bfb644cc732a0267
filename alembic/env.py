"""Alembic's way in: on the connection it is given (`app/store/database/migrations.py`), or, from its command line, on
the database of the settings.
"""

from __future__ import annotations

from sqlalchemy import Connection

from alembic import context
from app.settings import load_settings
from app.store.database.database import kind_of, make_blocking_engine
from app.store.tables import Row


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Row.metadata,
        render_as_batch=True,  # SQLite changes a table by making it anew
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    url = load_settings().database_url
    engine = make_blocking_engine(url)
    with engine.execution_options(**kind_of(url).to_write).begin() as connection:
        run(connection)
    engine.dispose()
