"""Alembic's way in: on the connection it is given (`app/store/migrations.py`), or, from its command line, on the
database of the settings."""

from __future__ import annotations

import asyncio

from sqlalchemy import Connection

from alembic import context
from app.settings import load_settings
from app.store.database import make_engine
from app.store.rows import Row


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Row.metadata,
        render_as_batch=True,  # SQLite changes a table by making it anew
        transactional_ddl=True,
        user_module_prefix="sqlmodel.sql.sqltypes.",
    )
    with context.begin_transaction():
        context.run_migrations()


async def run_on_database_of_settings() -> None:
    engine = make_engine(load_settings().database_url)
    async with engine.execution_options(begin="IMMEDIATE").begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


given: Connection | None = context.config.attributes.get("connection")
if given is None:
    asyncio.run(run_on_database_of_settings())
else:
    run(given)
