"""Reconciliation of the ledger with a provider's own usage export. The file is not stored."""

from __future__ import annotations

import asyncio
from datetime import date

from app.domain.costs.reconciliation import NOTHING, Place, ReconciledDay, Statement, compare, read_statement
from app.domain.models.model_profile import vendor_and_name
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.store.ledger.usage import UsageQuery, sum_calls


async def reconcile(ctx: AppContext, owner: str, text: str) -> tuple[Statement, tuple[ReconciledDay, ...]]:
    """Read a provider's usage export, and compare it line by line with the ledger for the same days and provider.

    Raises:
        InputError: the file cannot be read. The message names the line.
    """
    statement = await asyncio.to_thread(read_statement, text)
    async with ctx.store.read() as session:
        sums = await sum_calls(session, owner, UsageQuery(statement.first, statement.last), "day")
    here: dict[Place, Usage] = {}
    for one in sums:
        vendor, name = vendor_and_name(one.model)
        if vendor == statement.vendor:
            place = (date.fromisoformat(one.group), name)
            here[place] = here.get(place, NOTHING) + one.usage
    return statement, await asyncio.to_thread(compare, statement, here)
