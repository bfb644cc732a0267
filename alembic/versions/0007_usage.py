"""Usage by account: sums of the ledger, maintained by the database; the user's own prices; budgets.

From this revision the database refuses to change or delete a row of the ledger.

Revision 0007, after 0006.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
SUMS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
)
STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
OF_DAY = ("day", "model", "purpose", "agent_id", "size")
KEYS: dict[str, tuple[str, ...]] = {"usage_day": OF_DAY, "usage_account": ("account_id", *OF_DAY)}


def upgrade() -> None:
    op.add_column("ledger", sa.Column("account_id", sa.String(), nullable=False, server_default=""))
    op.add_column("ledger", sa.Column("agent_id", sa.String()))
    op.execute(
        "UPDATE ledger SET account_id = coalesce((SELECT parent_id FROM conversation "
        "WHERE conversation.id = ledger.conversation_id AND kind = 'tool'), conversation_id)"
    )
    op.create_index("ix_ledger_account_id", "ledger", ["account_id"])
    for table, keys in KEYS.items():
        op.create_table(
            table,
            sa.Column("calls", sa.Integer(), nullable=False),
            sa.Column("cut", sa.Integer(), nullable=False),
            *(sa.Column(name, sa.Integer(), nullable=False) for name in SUMS),
            *(_key(name) for name in ("owner", *keys)),
            sa.PrimaryKeyConstraint("owner", *keys, name=f"pk_{table}"),
            sqlite_with_rowid=False,
        )
        entered = _of_row("ledger")
        columns = ", ".join(("owner", *keys, "calls", "cut", *SUMS))
        selected = ", ".join((*(entered[key] for key in ("owner", *keys)), "count(*)", f"sum({entered['cut']})"))
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in SUMS)
        groups = ", ".join(str(place) for place in range(1, len(keys) + 2))
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {selected}, {sums} FROM ledger GROUP BY {groups}")  # noqa: S608 - names of this file
    op.execute(f"CREATE TRIGGER ledger_is_summed AFTER INSERT ON ledger BEGIN {' '.join(map(_add, KEYS))} END")
    for what, words in (("UPDATE", "changed"), ("DELETE", "deleted")):
        op.execute(
            f"CREATE TRIGGER ledger_is_not_{words} BEFORE {what} ON ledger "
            f"BEGIN SELECT RAISE(ABORT, 'a row of the ledger is never {words}'); END"
        )
    op.create_table(
        "price",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("owner", "model", "since")),
        *(sa.Column(name, sa.String()) for name in ("input", "output", "cache_read", "cache_write", "cache_write_1h")),
        sa.PrimaryKeyConstraint("owner", "model", "since", name="pk_price"),
    )
    op.create_table(
        "budget",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("owner", "scope", "subject", "period")),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("amount", "warn_at")),
        sa.Column("stops", sa.Boolean(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "scope", "subject", "period", name="pk_budget"),
    )


def downgrade() -> None:
    for name in ("ledger_is_summed", "ledger_is_not_changed", "ledger_is_not_deleted"):
        op.execute(f"DROP TRIGGER {name}")
    for table in ("budget", "price", "usage_account", "usage_day"):
        op.drop_table(table)
    op.drop_index("ix_ledger_account_id", "ledger")
    op.drop_column("ledger", "agent_id")
    op.drop_column("ledger", "account_id")


def _key(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.Integer() if name == "size" else sa.String(), nullable=False)


def _of_row(row: str) -> dict[str, str]:
    """Return the keys of a ledger row's sums, and if it was cut short: as `domain.costs.costs.is_cut_short`."""
    prompt = " + ".join(f"coalesce({row}.{name}, 0)" for name in SUMS if name not in {SUMS[1], SUMS[5]})
    told = f"{row}.input_tokens IS NOT NULL"
    late = "'stream', 'canceled', 'interrupted', 'unknown'"
    return {
        "owner": f"{row}.owner",
        "account_id": f"{row}.account_id",
        "day": f"substr({row}.started_at, 1, 10)",
        "model": f"{row}.model",
        "purpose": f"{row}.purpose",
        "agent_id": f"coalesce({row}.agent_id, '')",
        "size": " + ".join(f"({prompt} > {step})" for step in STEPS),
        "cut": f"CASE WHEN {row}.purpose = 'count' THEN 0 WHEN {row}.outcome = 'succeeded' THEN NOT ({told}) "
        f"ELSE {told} OR {row}.outcome = 'canceled' OR coalesce({row}.error_class, '') IN ({late}) END",
    }


def _add(table: str) -> str:
    """Return the statement that adds a new row of the ledger to a table of sums."""
    keys, entered = KEYS[table], _of_row("NEW")
    columns = ", ".join(("owner", *keys, "calls", "cut", *SUMS))
    values = ", ".join((*(entered[key] for key in ("owner", *keys)), "1", entered["cut"]))
    told = ", ".join(f"coalesce(NEW.{name}, 0)" for name in SUMS)
    added = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("calls", "cut", *SUMS))
    place = ", ".join(("owner", *keys))
    return (
        f"INSERT INTO {table} ({columns}) VALUES ({values}, {told}) "  # noqa: S608 - names of this file
        f"ON CONFLICT ({place}) DO UPDATE SET {added};"
    )
