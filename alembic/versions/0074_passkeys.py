"""Passkeys: public keys with which browsers sign people in.

Revision 0074, after 0073.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
TEXT = sa.String().with_variant(sa.Text(collation="C"), "postgresql")
WHOLE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
"""A count of signatures has 32 bits and no sign."""


def upgrade() -> None:
    op.create_table(
        "passkey",
        sa.Column("id", TEXT, nullable=False),
        sa.Column("person_id", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("credential_id", TEXT, nullable=False),
        sa.Column("public_key", TEXT, nullable=False),
        sa.Column("sign_count", WHOLE, nullable=False),
        sa.Column("transports", TEXT, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
        sa.UniqueConstraint("credential_id", name="uq_passkey_credential_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_passkey_person_id", ondelete="CASCADE"),
    )
    op.create_index("ix_passkey_person_id", "passkey", ["person_id"])


def downgrade() -> None:
    op.drop_table("passkey")
