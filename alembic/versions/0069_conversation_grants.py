"""Who may read a conversation of another person, or continue it in a copy.

Revision 0069, after 0062.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0069"
down_revision = "0062"
branch_labels = None
depends_on = None

TABLE = "conversation_grant"
OF_CONVERSATION = "fk_conversation_grant_conversation_id_conversation"
OF_PERSON = "fk_conversation_grant_person_id_person"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(), nullable=False),
        sa.Column("access", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversation.id"], ondelete="CASCADE", name=OF_CONVERSATION),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], ondelete="CASCADE", name=OF_PERSON),
        sa.PrimaryKeyConstraint("id", name=f"pk_{TABLE}"),
        sa.UniqueConstraint("conversation_id", "person_id", name=f"uq_{TABLE}_conversation_id_person_id"),
    )
    op.create_index(f"ix_{TABLE}_owner", TABLE, ["owner"])
    op.create_index(f"ix_{TABLE}_person_id", TABLE, ["person_id"])


def downgrade() -> None:
    op.drop_table(TABLE)
