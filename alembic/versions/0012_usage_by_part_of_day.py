"""Separate sums of the ledger for the parts of a day with different prices of a vendor.

Both tables of sums are computed again from the ledger.

Revision 0012, after 0011.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

SUMS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
)
PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")
STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
PARTS = {"deepseek": ("00:30", "01:00", "04:00", "06:00", "10:00", "16:30")}
OLD = ("owner", "day", "model", "purpose", "agent_id", "size")
TABLES = ("usage_day", "usage_account")


def upgrade() -> None:
    _make_again((*OLD, "part"))


def downgrade() -> None:
    _make_again(OLD)


def _make_again(of_day: tuple[str, ...]) -> None:
    op.execute("DROP TRIGGER ledger_is_summed")
    statements: list[str] = []
    for table in TABLES:
        keys = of_day if table == "usage_day" else ("owner", "account_id", *of_day[1:])
        op.drop_table(table)
        op.create_table(
            table,
            *(sa.Column(name, sa.Integer(), nullable=False) for name in ("calls", "cut", *SUMS)),
            *(_key(name) for name in keys),
            sa.PrimaryKeyConstraint(*keys, name=f"pk_{table}"),
            sqlite_with_rowid=False,
        )
        columns = ", ".join((*keys, "calls", "cut", *SUMS))
        entered = _of_row("ledger")
        selected = ", ".join((*(entered[key] for key in keys), "count(*)", f"sum({entered['cut']})"))
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in SUMS)
        groups = ", ".join(str(place) for place in range(1, len(keys) + 1))
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {selected}, {sums} FROM ledger GROUP BY {groups}")  # noqa: S608 - names of this file
        statements.append(_add(table, keys))
    op.execute(f"CREATE TRIGGER ledger_is_summed AFTER INSERT ON ledger BEGIN {' '.join(statements)} END")


def _key(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.Integer() if name in {"size", "part"} else sa.String(), nullable=False)


def _of_row(row: str) -> dict[str, str]:
    """Return the keys of a ledger row's sums, and if it was cut short: as `domain.costs.costs.is_cut_short`."""
    prompt = " + ".join(f"coalesce({row}.{name}, 0)" for name in PROMPT)
    told = f"{row}.input_tokens IS NOT NULL"
    late = "'stream', 'canceled', 'interrupted', 'unknown'"
    time = f"substr({row}.started_at, 12, 5)"
    reached = {vendor: " + ".join(f"({time} >= '{mark}')" for mark in marks) for vendor, marks in PARTS.items()}
    parts = (f"WHEN {row}.model LIKE '{vendor}:%' THEN {sum_}" for vendor, sum_ in reached.items())
    return {
        "owner": f"{row}.owner",
        "account_id": f"{row}.account_id",
        "day": f"substr({row}.started_at, 1, 10)",
        "model": f"{row}.model",
        "purpose": f"{row}.purpose",
        "agent_id": f"coalesce({row}.agent_id, '')",
        "size": " + ".join(f"({prompt} > {step})" for step in STEPS),
        "part": f"CASE {' '.join(parts)} ELSE 0 END",
        "cut": f"CASE WHEN {row}.purpose = 'count' THEN 0 WHEN {row}.outcome = 'succeeded' THEN NOT ({told}) "
        f"ELSE {told} OR {row}.outcome = 'canceled' OR coalesce({row}.error_class, '') IN ({late}) END",
    }


def _add(table: str, keys: tuple[str, ...]) -> str:
    """Return the statement that adds a new row of the ledger to a table of sums."""
    entered = _of_row("NEW")
    columns = ", ".join((*keys, "calls", "cut", *SUMS))
    values = ", ".join((*(entered[key] for key in keys), "1", entered["cut"]))
    told = ", ".join(f"coalesce(NEW.{name}, 0)" for name in SUMS)
    added = ", ".join(f"{name} = {name} + excluded.{name}" for name in ("calls", "cut", *SUMS))
    return (
        f"INSERT INTO {table} ({columns}) VALUES ({values}, {told}) "  # noqa: S608 - names of this file
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {added};"
    )
