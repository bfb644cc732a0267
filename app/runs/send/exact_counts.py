"""Exact counts: asking the provider what a send would come to, where it can say so.

    counted = await count_exactly(wb, owner, conversation_id, "Why?", Look(model="anthropic:claude-sonnet-4-5"))
    counted.tokens

What is counted is the request that `preview_send` shows. The answer goes into the ledger as a call of its own, which
uses no tokens, and from there corrects later estimates of the model (`runs/request/calibration.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.context.composition import Estimate, price_tokens
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NoKeyError, ProviderError
from app.domain.preferences import OverBudget
from app.providers.counts.counting import count_tokens, encode_count
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import NOTHING_ATTACHED, Attached
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions, count_sent
from app.runs.workbench import Workbench
from app.store.ledger.ledger import Call, insert_calls

LOOK = ViewOptions()


@dataclass(frozen=True, slots=True)
class ExactCount:
    """The provider's count of a send, and its estimate in tokens. `estimate` is that estimate with the exact sum."""

    model: str
    tokens: int
    estimated_tokens: int
    estimate: Estimate


@shielded
async def count_exactly(  # noqa: PLR0913 - the same arguments as preview_send
    wb: Workbench,
    owner: str,
    conversation_id: str,
    text: str,
    look: ViewOptions = LOOK,
    *,
    parameters: Parameters | None = None,
    over_budget: OverBudget | None = None,
    attached: Attached = NOTHING_ATTACHED,
) -> ExactCount:
    """Ask the provider how many tokens `start_reply` with the same arguments would send.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used.
        InputError: the text or the model cannot be sent, or its provider has no way to count.
        ProviderError: the provider lacks its key, or whatever it says itself.
    """
    planned = await preview_send(
        wb, owner, conversation_id, text, look, parameters=parameters, over_budget=over_budget, attached=attached
    )
    provider = planned.composed.base.provider
    wire = planned.wire
    encode_count(provider, wire)  # refuses before anything is asked
    if not provider.ready:
        raise NoKeyError(provider.name)
    counted = count_sent(planned.composed, planned.sent, planned.plan)
    call_id = new_id()
    call = Call(
        id=call_id,
        owner=owner,
        conversation_id=conversation_id,
        pair_id="",
        run_id=call_id,
        attempt=1,
        model=wire.model,
        outcome=Lifecycle.SUCCEEDED,
        started_at=now(),
        ended_at=now(),
        purpose="count",
    )
    try:
        tokens = await count_tokens(wb.engine.transport, provider, wire, wb.engine.timeouts)
    except ProviderError as error:
        failed = replace(call, outcome=Lifecycle.ERROR, ended_at=now(), error_class=error.failure.error_class)
        await _enter(wb, failed)
        raise
    await _enter(wb, replace(call, ended_at=now(), counted=replace(counted, estimated_tokens=tokens)))
    cost = price_tokens(planned.composed.base.terms, tokens)
    exact = replace(planned.composed.composition.estimate, tokens=tokens, error_band=0.0, cost=cost)
    return ExactCount(wire.model, tokens, counted.estimated_tokens, exact)


async def _enter(wb: Workbench, call: Call) -> None:
    async with wb.store.write() as session:
        await insert_calls(session, [call])
