"""All that earlier steps made, at once, on PostgreSQL. Nothing changes on SQLite.

Revision 0072, after 0069. An empty database of PostgreSQL begins here: it counts as having the revision before
(`begins_after` in `app/store/database/postgresql.py`).
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0072"
down_revision = "0069"
branch_labels = None
depends_on = None

FOLDER = Path(__file__).parents[1] / "postgresql"


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for name in ("functions", "tables", "triggers"):
        connection.exec_driver_sql((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        raise NotImplementedError("There is no earlier revision on PostgreSQL.")
