"""Permissions: requests, permanent rules of a person, and the audit trail, which is never changed or deleted.

Revision 0015, after 0014.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
WORDS = ("description", "input_schema_json", "input_json", "run_json")
REQUEST = (
    "id", "owner", "conversation_id", "shown_in", "run_id", "pair_id", "tool_call_id", "server_id", "server_name",
    "tool_name", "name", "title", "description", "input_schema_json", "fingerprint", "input_json", "asked_at",
    "expires_at", "standing", "run_json", "scope", "rule_id", "ending", "settled_at",
)  # fmt: skip
MAY_BE_NOTHING = ("run_json", "scope", "rule_id", "ending", "settled_at")
RULE = ("id", "owner", "server_id", "server_name", "tool_name", "title", "fingerprint", "arguments", "created_at")


def upgrade() -> None:
    op.create_table(
        "permission_request",
        *map(_column, REQUEST),
        sa.PrimaryKeyConstraint("id", name="pk_permission_request"),
        _of_conversation("permission_request"),
    )
    pending = sa.text("standing = 'pending'")
    op.create_index("ix_permission_request_pending", "permission_request", ["owner", "shown_in"], sqlite_where=pending)
    for column in ("conversation_id", "run_id"):
        op.create_index(f"ix_permission_request_{column}", "permission_request", [column])
    op.create_table("permission_rule", *map(_column, RULE), sa.PrimaryKeyConstraint("id", name="pk_permission_rule"))
    op.create_index("ix_permission_rule_owner", "permission_rule", ["owner"])
    op.create_table(
        "conversation_rule",
        *map(_column, (*RULE, "conversation_id")),
        sa.PrimaryKeyConstraint("id", name="pk_conversation_rule"),
        _of_conversation("conversation_rule"),
    )
    op.create_index("ix_conversation_rule_conversation_id", "conversation_rule", ["conversation_id"])
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String()),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_owner_id", "audit", ["owner", "id"])
    for what, words in (("UPDATE", "changed"), ("DELETE", "deleted")):
        op.execute(
            f"CREATE TRIGGER audit_is_not_{words} BEFORE {what} ON audit "
            f"BEGIN SELECT RAISE(ABORT, 'a row of the audit trail is never {words}'); END"
        )


def downgrade() -> None:
    for words in ("changed", "deleted"):
        op.execute(f"DROP TRIGGER audit_is_not_{words}")
    for table in ("audit", "conversation_rule", "permission_rule", "permission_request"):
        op.drop_table(table)


def _column(name: str) -> sa.Column[Any]:
    kinds: dict[str, Any] = {"arguments": sa.JSON(), **dict.fromkeys(WORDS, sa.Text())}
    kind = TIME if name.endswith("_at") else kinds.get(name, sa.String())
    return sa.Column(name, kind, nullable=name in MAY_BE_NOTHING)


def _of_conversation(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_conversation_id"
    return sa.ForeignKeyConstraint(["conversation_id"], ["conversation.id"], name=name, ondelete="CASCADE")
