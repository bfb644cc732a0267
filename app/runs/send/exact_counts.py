"""Exact counts: asking the provider what a send would come to, where it can say so.

    counted = await count_exactly(wb, owner, NewSend(conversation_id, "Why?"))
    counted.tokens

What is counted is the request that `preview_send` shows. The answer goes into the ledger as a call of its own, which
uses no tokens, and from there corrects later estimates of the model (`runs/request/calibration.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.preferences import OverBudget
from app.providers.tokens.counting import count_tokens, encode_count
from app.runs.engine.recording import record_first
from app.runs.engine.sent_log import log_sent
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.send.context_selection import count_sent
from app.runs.send.intents import DEFAULT_OPTIONS, NewSend, SendOptions
from app.runs.send.plan import preview_send
from app.runs.usage.allowances import require_model
from app.runs.workbench import Workbench
from app.store.ledger.ledger import Call, insert_calls
from app.store.run.runs import RunPlace


@dataclass(frozen=True, slots=True)
class ExactCount:
    """What a provider says a send would come to, and what was estimated."""

    model: str
    tokens: int
    estimated_tokens: int


@shielded
async def count_exactly(wb: Workbench, owner: str, send: NewSend, options: SendOptions = DEFAULT_OPTIONS) -> ExactCount:
    """Ask the provider how many tokens `start_reply` with the same arguments would send.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used.
        InputError: the text or the model cannot be sent, or its provider has no way to count.
        ModelNotAllowedError: the role of the owner may not use the model.
        ProviderError: the provider lacks its key, or whatever it says itself.
    """
    planned = await preview_send(wb, owner, send, replace(options, over_budget=options.over_budget or OverBudget.FIT))
    provider = planned.composed.base.provider
    wire = planned.wire
    encode_count(provider, wire)  # refuses before anything is asked
    if not provider.ready:
        raise ProviderError(failure(ErrorClass.AUTH, f'No key for provider "{provider.name}".'))
    counted = count_sent(planned.composed, planned.sent, planned.plan)
    await require_model(wb, owner, wire.model)
    call_id = new_id()
    call = Call(
        id=call_id,
        owner=owner,
        conversation_id=send.conversation_id,
        pair_id="",
        run_id=call_id,
        attempt=1,
        model=wire.model,
        outcome=Lifecycle.SUCCEEDED,
        started_at=now(),
        ended_at=now(),
        purpose="count",
    )
    asked = encode_count(provider, wire)
    place = RunPlace(owner, send.conversation_id, "", "")
    async with wb.store.write() as session:
        await record_first(session, place, call_id, asked, "count")
    log_sent(call_id, 1, asked)
    try:
        tokens = await count_tokens(wb.engine.transport, provider, wire, wb.engine.timeouts)
    except ProviderError as error:
        failed = replace(call, outcome=Lifecycle.ERROR, ended_at=now(), error_class=error.failure.error_class)
        await _enter(wb, failed)
        raise
    await _enter(wb, replace(call, ended_at=now(), counted=replace(counted, estimated_tokens=tokens)))
    return ExactCount(wire.model, tokens, counted.estimated_tokens)


async def _enter(wb: Workbench, call: Call) -> None:
    async with wb.store.write() as session:
        await insert_calls(session, [call])
