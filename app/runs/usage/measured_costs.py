"""What a provider call cost, counted once its price is known."""

from __future__ import annotations

import structlog

from app.domain.costs.prices import price_usage
from app.domain.errors import StoreError
from app.runs.usage.prices import learn_tariffs
from app.runs.workbench import Workbench
from app.store.ledger.ledger import Call

log = structlog.get_logger(__name__)


async def note_cost(wb: Workbench, call: Call) -> None:
    """Count what a call cost. A call without a known price is not counted, and not taken for free."""
    if call.usage is None:
        return
    try:
        tariffs = await learn_tariffs(wb, call.owner, {call.model})
    except StoreError as error:
        log.warning("a call's cost is not counted", run_id=call.run_id, fault=str(error))
        return
    dollars = price_usage(call.usage, tariffs[call.model], call.started_at)
    if dollars is not None:
        wb.measures.note_cost(call, dollars)
