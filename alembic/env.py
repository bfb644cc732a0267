"""Entry point of Alembic: uses the connection that it receives (`app/store/database/migrations.py`), or, from its
command line, the database of the settings.
"""

from __future__ import annotations

from sqlalchemy import Connection

from alembic import context
from app.config.settings import load_settings
from app.store.database.database import make_blocking_engine
from app.store.tables import Row


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Row.metadata,
        render_as_batch=True,  # SQLite changes a table by creating a new one
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    engine = make_blocking_engine(load_settings().database_url)
    with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        run(connection)
    engine.dispose()
