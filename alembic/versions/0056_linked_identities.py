"""Accounts at a sign-in provider, and whom they sign in.

Revision 0056, after 0055.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "linked_identity",
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("linked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_linked_identity"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_linked_identity_person_id", ondelete="CASCADE"),
    )
    op.create_index("ix_linked_identity_person_id", "linked_identity", ["person_id"])


def downgrade() -> None:
    op.drop_table("linked_identity")
