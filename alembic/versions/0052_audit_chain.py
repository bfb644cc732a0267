"""The audit trail as a chain: each entry has a hash that covers the one before it, and what may be deleted is apart.

Revision 0052, after 0049. The entries so far are put into the chain as they stand.
"""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

from alembic import op

revision = "0052"
down_revision = "0050"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
DETAILS = {
    "by", "why", "scope", "server_id", "run_id", "tool_call_id", "rule_id", "request_id", "agent_id", "kind", "days",
    "count",
}  # fmt: skip
KINDS = {
    "permission.rule_made": "permission rule",
    "permission.rule_revoked": "permission rule",
    "permission.preapproved": "agent",
    "permission.preapproval_revoked": "agent",
    "retention_swept": "setting",
}
UNLESS_DELETED = "WHEN OLD.owner NOT IN (SELECT id FROM deleted_person) "


def upgrade() -> None:
    old = op.get_bind().execute(sa.text("SELECT * FROM audit ORDER BY id")).mappings().all()
    for words in ("changed", "deleted"):
        op.execute(f"DROP TRIGGER audit_is_not_{words}")
    op.drop_index("ix_audit_owner_id", "audit")
    op.drop_table("audit")
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("credential", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String()),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("note_hash", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit_note",
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name="pk_audit_note"),
    )
    _chain(old)
    for column in ("person", "action", "subject"):
        op.create_index(f"ix_audit_{column}_id", "audit", [column, "id"])
    op.create_index("ix_audit_note_owner", "audit_note", ["owner"])
    _refuse("audit")
    _refuse("audit_note", UNLESS_DELETED)


def _refuse(table: str, unless: str = "") -> None:
    for what, words, when in (("UPDATE", "changed", ""), ("DELETE", "deleted", unless)):
        op.execute(
            f"CREATE TRIGGER {table}_is_not_{words} BEFORE {what} ON {table} {when}"
            f"BEGIN SELECT RAISE(ABORT, 'a row of the audit trail is never {words}'); END"
        )


def _chain(old: Any) -> None:
    before = "0" * 64
    for row in old:
        data = json.loads(row["data"])
        kept = {name: value for name, value in data.items() if name in DETAILS}
        note = {name: value for name, value in data.items() if name not in DETAILS}
        salt, note_hash = secrets.token_bytes(16), ""
        if note:
            note_hash = sha256(salt + _write(note).encode()).hexdigest()
            op.get_bind().execute(
                sa.text("INSERT INTO audit_note VALUES (:id, :owner, :salt, :data)"),
                {"id": row["id"], "owner": row["owner"], "salt": salt, "data": _write(note)},
            )
        kind = KINDS.get(row["action"], "permission")
        at = datetime.fromisoformat(row["at"]).replace(tzinfo=UTC).isoformat(timespec="microseconds")
        hashed = [
            row["id"], at, row["owner"], "", row["action"], kind, row["subject"], row["conversation_id"], kept,
            note_hash,
        ]  # fmt: skip
        before = sha256(f"{before}\n{_write(hashed)}".encode()).hexdigest()
        op.get_bind().execute(
            sa.text(
                "INSERT INTO audit VALUES (:id, :at, :owner, '', :action, :kind, :subject, :conversation_id, :kept, "
                ":note_hash, :hash)"
            ),
            {**row, "kind": kind, "kept": _write(kept), "note_hash": note_hash, "hash": before},
        )


def _write(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def downgrade() -> None:
    old = op.get_bind().execute(
        sa.text("SELECT audit.*, audit_note.data AS note FROM audit LEFT JOIN audit_note ON entry_id = id ORDER BY id")
    ).mappings().all()  # fmt: skip
    for table in ("audit", "audit_note"):
        for words in ("changed", "deleted"):
            op.execute(f"DROP TRIGGER {table}_is_not_{words}")
        op.drop_table(table)
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
    for row in old:
        data = json.loads(row["data"]) | json.loads(row["note"] or "{}")
        op.get_bind().execute(
            sa.text("INSERT INTO audit VALUES (:id, :person, :at, :action, :subject, :conversation_id, :all)"),
            {**row, "all": _write(data)},
        )
    _refuse("audit")
    op.execute("DROP TRIGGER audit_is_not_deleted")
    op.execute(
        f"CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit\n{UNLESS_DELETED.strip()}\n"
        "BEGIN SELECT RAISE(ABORT, 'a row of the audit trail is never deleted'); END"
    )
