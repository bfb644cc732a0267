"""Exact counts: ask the provider for the number of tokens of a send, if it has a counting endpoint.

    send = SendRequest("Why?", ViewOptions(model="anthropic:claude-sonnet-4-5"))
    counted = await count_exactly(ctx, owner, conversation_id, send)
    counted.tokens

The counted request is the request that `preview_send` shows. The ledger stores the count as a separate call that uses
no tokens. Later estimates for the model are corrected with this count (`runs/request/calibration.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.audit import AuditAction
from app.domain.context.composition import Estimate, price_tokens
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NoKeyError, ProviderError
from app.providers.counts.counting import count_tokens, encode_count
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.request.preview import Preview
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.commands import preview_send
from app.runs.send.composition import count_sent
from app.runs.send.send_request import SendRequest
from app.store.ledger.ledger import EndedCall, insert_calls
from app.store.ledger.sent_calls import CallToRecord, insert_sent_calls


@dataclass(frozen=True, slots=True)
class ExactCount:
    """The number of tokens of a send, counted by the provider (`tokens`) and estimated by Inview (`estimated_tokens`).

    `estimate` is Inview's estimate with the provider's count as its total.
    """

    model: str
    tokens: int
    estimated_tokens: int
    estimate: Estimate


@shielded
async def count_exactly(ctx: AppContext, owner: str, conversation_id: str, send: SendRequest) -> ExactCount:
    """Ask the provider how many tokens `start_reply` with the same arguments would send.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used.
        InputError: the text or the model cannot be sent, or the provider has no counting endpoint.
        ProviderError: the provider lacks its key, or it returned an error.
    """
    ctx.counting[conversation_id] += 1  # so that a temporary conversation is not moved before its call is recorded
    try:
        return await _count(ctx, owner, conversation_id, send)
    finally:
        ctx.counting[conversation_id] -= 1
        if not ctx.counting[conversation_id]:
            del ctx.counting[conversation_id]


async def _count(ctx: AppContext, owner: str, conversation_id: str, send: SendRequest) -> ExactCount:
    planned = await preview_send(ctx, owner, conversation_id, send)
    provider = planned.composed.base.provider
    wire = planned.wire
    encode_count(provider, wire)  # raises before any call if the provider cannot count
    if not provider.ready:
        raise NoKeyError(provider.name)
    counted = count_sent(planned.composed, planned.sent, planned.plan)
    call_id = new_id()
    call = EndedCall(
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
        tokens = await count_tokens(ctx.engine.transport, provider, wire, ctx.engine.timeouts)
    except ProviderError as error:
        failed = replace(call, outcome=Lifecycle.ERROR, ended_at=now(), error_class=error.failure.error_class)
        await _enter(ctx, failed, planned)
        raise
    await _enter(ctx, replace(call, ended_at=now(), counted=replace(counted, estimated_tokens=tokens)), planned)
    cost = price_tokens(planned.composed.base.terms, tokens)
    exact = replace(planned.composed.composition.estimate, tokens=tokens, error_band=0.0, cost=cost)
    return ExactCount(wire.model, tokens, counted.estimated_tokens, exact)


async def _enter(ctx: AppContext, call: EndedCall, planned: Preview) -> None:
    """Store the call in the ledger and the audit trail.

    Also record its content, but only the hash and the length of the draft.
    """
    plan = planned.plan
    content = CallToRecord(
        call.owner, call.conversation_id, "", call.run_id, call.attempt, plan.content_hash, plan.hashed
    )
    async with ctx.store.write() as session:
        await insert_calls(session, [call])
        await insert_sent_calls(session, [content])
        await audit(session, call.owner, call.conversation_id, AuditAction.SENT, what=call.purpose)
