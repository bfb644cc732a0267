"""What roles may use, and what roles and persons may spend.

Revision 0060, after 0049.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0060"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "role_models",
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("models", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("role", name="pk_role_models"),
    )
    for table, key in (("role_budget", "role"), ("person_budget", "owner")):
        op.create_table(
            table,
            sa.Column(key, sa.String(), nullable=False),
            sa.Column("period", sa.String(), nullable=False),
            sa.Column("amount", sa.String(), nullable=False),
            sa.Column("warn_at", sa.String(), nullable=False),
            sa.Column("stops", sa.Boolean(), nullable=False),
            sa.Column("updated_at", sa.DateTime(), nullable=False),
            sa.PrimaryKeyConstraint(key, "period", name=f"pk_{table}"),
        )


def downgrade() -> None:
    for table in ("person_budget", "role_budget", "role_models"):
        op.drop_table(table)
