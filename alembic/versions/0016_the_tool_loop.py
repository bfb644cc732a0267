"""Tool calls, the rounds of a reply, and the plan of each round for a prompt cache.

Revision 0016, after 0015.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

PLANS = (
    "run_id, owner, conversation_id, model, at, cache_control_index, marks, predicted_place, predicted_read_tokens, "
    "predicted_exactly, frozen, tools_key, system_key, chain"
)


def upgrade() -> None:
    op.create_table(
        "tool_call",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("tool_call_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("server_id", sa.String()),
        sa.Column("server_name", sa.String()),
        sa.Column("tool_name", sa.String()),
        sa.Column("title", sa.String()),
        sa.Column("asked_json", sa.Text(), nullable=False),
        sa.Column("run_json", sa.Text()),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("fault", sa.String()),
        sa.Column("structured_json", sa.Text()),
        sa.Column("content", sa.JSON()),
        sa.PrimaryKeyConstraint("run_id", "tool_call_id", name="pk_tool_call"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_tool_call_run_id", ondelete="CASCADE"),
    )
    op.add_column("run", sa.Column("rounds", sa.JSON(), nullable=False, server_default="[]"))
    _make_plans("round", ("run_id", "round"), "round", "1")


def downgrade() -> None:
    op.execute("DELETE FROM prompt_cache WHERE round > 1")
    _make_plans(None, ("run_id",), "", "")
    op.drop_column("run", "rounds")
    op.drop_table("tool_call")


def _make_plans(more: str | None, key: tuple[str, ...], columns: str, values: str) -> None:
    """Create the table again: SQLite cannot change the primary key of a table."""
    op.create_table(
        "prompt_cache_new",
        sa.Column("run_id", sa.String(), nullable=False),
        *((sa.Column(more, sa.Integer(), nullable=False, server_default="1"),) if more else ()),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cache_control_index", sa.Integer()),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("predicted_place", sa.Integer()),
        sa.Column("predicted_read_tokens", sa.Integer(), nullable=False),
        sa.Column("predicted_exactly", sa.Boolean(), nullable=False),
        sa.Column("frozen", sa.Boolean(), nullable=False),
        sa.Column("tools_key", sa.LargeBinary(), nullable=False),
        sa.Column("system_key", sa.LargeBinary(), nullable=False),
        sa.Column("chain", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint(*key, name="pk_prompt_cache"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_prompt_cache_run_id", ondelete="CASCADE"),
    )
    into, what = (f"{PLANS}, {columns}", f"{PLANS}, {values}") if more else (PLANS, PLANS)
    op.execute(f"INSERT INTO prompt_cache_new ({into}) SELECT {what} FROM prompt_cache")  # noqa: S608 - our own words
    op.drop_table("prompt_cache")
    op.rename_table("prompt_cache_new", "prompt_cache")
    op.create_index("ix_prompt_cache_owner_model_at", "prompt_cache", ["owner", "model", "at"])
