"""The next round of a reply: the call of the model with the results of the tool calls.

    planned = await plan_round(ctx, run)

Not here: calling the tools (`tool_calls.py`), and the decision whether a reply may continue (`domain/run/rounds.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from app.domain.cache.plan import CallToCache
from app.domain.context.context import continue_request
from app.domain.conversation.conversation import Replaced, ToolMode
from app.domain.conversation.parts import ToolCall
from app.domain.errors import ErrorClass, ProviderError, StoreError, failure
from app.domain.request.hashing import Hashed, content_hashes
from app.domain.request.request import Request
from app.domain.run.rounds import measure_result
from app.providers.base import WireRequest, encode
from app.runs.app_context import AppContext
from app.runs.engine.engine import NextRound
from app.runs.engine.live import LiveRun, Loop, loop_of
from app.runs.request.attachments import load_named
from app.runs.request.caches import load_caching, plan_use
from app.runs.runtime.ids import now
from app.runs.usage.budgets import require_budgets_for
from app.store.cache.prompt_caches import CacheUse, RunCall, insert_cache_use
from app.store.conversation.conversations import load_conversation
from app.store.ledger.ledger import CountedRequest
from app.store.run.runs import note_replaced

log = structlog.get_logger()

CHARACTERS_PER_TOKEN = 4
LONG_REQUEST = 1_000
"""Number of messages from which a request is encoded in a thread."""


async def plan_round(ctx: AppContext, run: LiveRun) -> NextRound:
    """Plan the provider call that continues a reply after its tool calls.

    Raises:
        ProviderError: the request is longer than the model's window.
        InviewError: a budget of money is spent, or the conversation was deleted.
    """
    place, loop = run.place, loop_of(run)
    built = continue_request(loop.first.request, run.state.parts, loop.model, redact=loop.replaced is not None)
    tokens = _estimate(run)
    if tokens > loop.model.context_window:
        message = (
            f"With the tool results, the request has about {tokens:,} tokens. The limit of {loop.model.name} is "
            f"{loop.model.context_window:,}."
        )
        raise ProviderError(failure(ErrorClass.CONTEXT_LENGTH, message))
    async with ctx.store.read() as session:
        conversation = await load_conversation(session, place.owner, place.conversation_id)
    await require_budgets_for(ctx, conversation, loop.model.model, tokens)
    apart = conversation.tool_mode is ToolMode.CACHED
    wire, use, hashed = await _write(ctx, run, built.request, tokens, tools_apart=apart)
    if use is not None:
        await _keep_plan(ctx, run, loop, use)
    if built.replaced:
        await _note_replaced(ctx, run, (*(loop.replaced or ()), *built.replaced))
    return NextRound(wire, hashed, CountedRequest(None, None, tokens))


async def _write(
    ctx: AppContext, run: LiveRun, request: Request, tokens: int, *, tools_apart: bool
) -> tuple[WireRequest, CacheUse | None, Hashed]:
    place, loop = run.place, loop_of(run)
    await _save(ctx, run)  # the cache plan reads from the store which part of the last round is in the cache
    call = CallToCache(place.conversation_id, tokens, tools_apart=tools_apart)
    caching = await load_caching(ctx.store, place.owner, loop.model, call)
    attachments = await load_named(ctx.store, place.owner, request)

    def write() -> tuple[WireRequest, CacheUse | None, Hashed]:
        hashes = content_hashes(request, loop.first)
        use = None if caching is None else plan_use(request, hashes, caching)
        marks = () if use is None else use.plan.marks
        return encode(run.provider, request, loop.model, attachments, marks), use, Hashed(request, hashes)

    return write() if len(request.messages) < LONG_REQUEST else await asyncio.to_thread(write)


async def _save(ctx: AppContext, run: LiveRun) -> None:
    try:
        await ctx.engine.writer.save()
    except StoreError as error:
        log.warning("a round could not be recorded; the reply continues", run_id=run.run_id, fault=str(error))


async def _note_replaced(ctx: AppContext, run: LiveRun, replaced: Sequence[Replaced]) -> None:
    """Store which secrets were redacted. Each round's list includes those of the earlier rounds."""
    try:
        async with ctx.store.write() as session:
            await note_replaced(session, run.run_id, replaced)
    except StoreError as error:
        log.warning("the replacements of a round could not be recorded", run_id=run.run_id, fault=str(error))


async def _keep_plan(ctx: AppContext, run: LiveRun, loop: Loop, use: CacheUse) -> None:
    place, number = run.place, len(run.state.rounds) + 1
    try:
        async with ctx.store.write() as session:
            call = RunCall(place.owner, place.conversation_id, run.run_id, loop.model.model, number)
            await insert_cache_use(session, call, now(), use)
    except StoreError as error:
        log.warning("the cache use of a round could not be recorded", run_id=run.run_id, fault=str(error))


def _estimate(run: LiveRun) -> int:
    """Estimate the tokens of the next request: the reported usage of the last round plus the results received since.

    If the provider reported no usage: the estimate of the first request plus all results.
    """
    last = run.state.rounds[-1].usage if run.state.rounds else None
    parts = run.state.parts
    if last is not None and last.prompt_tokens:
        newest = next((place for place in range(len(parts), 0, -1) if isinstance(parts[place - 1], ToolCall)), 0)
        return last.all_tokens + sum(map(measure_result, parts[newest:])) // CHARACTERS_PER_TOKEN
    before = 0 if run.counted is None else run.counted.estimated_tokens
    return before + sum(map(measure_result, parts)) // CHARACTERS_PER_TOKEN
