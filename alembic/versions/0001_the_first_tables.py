"""The first tables.

Revision 0001, after nothing.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String()),
        sa.Column("model", sa.String()),
        sa.Column("system_prompt", sa.String(), nullable=False),
        sa.Column("filter", sa.String(), nullable=False),
        sa.Column("tool_mode", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String()),
        sa.Column("trigger_message_id", sa.String()),
        sa.Column("temporary", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversation"),
    )
    op.create_index("ix_conversation_owner_updated_at_id", "conversation", ["owner", "updated_at", "id"])

    op.create_table(
        "pair",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("reply_id", sa.String()),
        sa.Column("run_id", sa.String()),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("lifecycle", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String()),
        sa.Column("topic", sa.String()),
        sa.Column("stars", sa.Integer(), nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("mark", sa.String()),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_pair_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_pair"),
        sa.UniqueConstraint("conversation_id", "position", name="uq_pair_conversation_id_position"),
    )
    op.create_index("ix_pair_conversation_id_revision", "pair", ["conversation_id", "revision"])
    running_pair = sa.text("lifecycle IN ('sending', 'awaiting')")
    op.create_index(
        "uq_pair_running",
        "pair",
        ["conversation_id"],
        unique=True,
        sqlite_where=running_pair,
        postgresql_where=running_pair,
    )

    op.create_table(
        "message",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String()),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_message_conversation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_message_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_message"),
    )
    op.create_index("ix_message_conversation_id", "message", ["conversation_id"])
    op.create_index("ix_message_pair_id", "message", ["pair_id"])

    op.create_table(
        "run",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("reply_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("process_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("attempt_started_at", TIME, nullable=False),
        sa.Column("retries", sa.JSON(), nullable=False),
        sa.Column("usage", sa.JSON()),
        sa.Column("stop_reason", sa.String()),
        sa.Column("failure", sa.JSON()),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("heartbeat_at", TIME, nullable=False),
        sa.Column("ended_at", TIME),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_run_conversation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_run_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
    )
    op.create_index("ix_run_conversation_id", "run", ["conversation_id"])
    op.create_index("ix_run_pair_id", "run", ["pair_id"])
    running_run = sa.text("status = 'running'")
    op.create_index(
        "uq_run_running", "run", ["pair_id"], unique=True, sqlite_where=running_run, postgresql_where=running_run
    )

    op.create_table(
        "snapshot",
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_snapshot_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair_id", name="pk_snapshot"),
    )

    op.create_table(
        "ledger",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("error_class", sa.String()),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=False),
        sa.Column("input_tokens", sa.Integer()),
        sa.Column("output_tokens", sa.Integer()),
        sa.Column("cache_read_tokens", sa.Integer()),
        sa.Column("cache_write_tokens", sa.Integer()),
        sa.Column("cache_write_1h_tokens", sa.Integer()),
        sa.Column("reasoning_tokens", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
        sa.UniqueConstraint("run_id", "attempt", name="uq_ledger_run_id_attempt"),
    )
    op.create_index("ix_ledger_conversation_id", "ledger", ["conversation_id"])
    op.create_index("ix_ledger_owner_started_at", "ledger", ["owner", "started_at"])

    op.create_table(
        "provider_setting",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("base_url", sa.Text()),
        sa.Column("sealed_key", sa.LargeBinary()),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "provider", name="pk_provider_setting"),
    )


def downgrade() -> None:
    for table in ("provider_setting", "ledger", "snapshot", "run", "message", "pair", "conversation"):
        op.drop_table(table)
