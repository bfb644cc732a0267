"""A second step of signing in, its recovery codes, and sign-ins that are under way.

Revision 0055, after 0050.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0055"
down_revision = "0052"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "second_step",
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("sealed_secret", sa.LargeBinary(), nullable=True),
        sa.Column("last_step", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_second_step"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_second_step_person_id", ondelete="CASCADE"),
    )
    op.create_table(
        "recovery_code",
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("code_hash", name="pk_recovery_code"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_recovery_code_person_id", ondelete="CASCADE"),
    )
    op.create_index("ix_recovery_code_person_id", "recovery_code", ["person_id"])
    op.create_table(
        "sign_in_step",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=True),
        sa.Column("sealed_data", sa.LargeBinary(), nullable=True),
        sa.Column("expires_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sign_in_step"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_sign_in_step_person_id", ondelete="CASCADE"),
    )
    op.create_index("ix_sign_in_step_person_id", "sign_in_step", ["person_id"])
    op.create_index("ix_sign_in_step_expires_at", "sign_in_step", ["expires_at"])
    op.add_column("session", sa.Column("proved_at", TIME, nullable=True))


def downgrade() -> None:
    op.drop_column("session", "proved_at")
    op.drop_table("sign_in_step")
    op.drop_table("recovery_code")
    op.drop_table("second_step")
