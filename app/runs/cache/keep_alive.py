"""Cache keep-alive: reads a provider's prompt cache again before it expires, for the time that a person chose.

    await start_keeping(ctx, LOCAL_OWNER, conversation_id, ViewOptions(), minutes=30)
    await stop_keeping(ctx, LOCAL_OWNER, conversation_id)

Each refresh (a call that reads the cache) is a run in a `tool` conversation, so it adds nothing to the context. The
ledger records it with the purpose `keep_warm`. Before each refresh the next send is planned again: if a person sent
something in the meantime, that send has extended the cache, and no refresh is due.

The choice of the person is stored as an order (`Keeping`). After a restart the keep-alive continues, or the page
reports its end. Every process that uses the database checks each order; the first process to store a refresh makes the
call.

Not here: the request of a refresh and its cost (`domain/cache/keep_alive.py`).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

import structlog

from app.domain.audit import AuditAction
from app.domain.cache.keep_alive import MARGIN, KeepAliveCost, explain_cold_shoulder, price_keeping
from app.domain.cache.rules import find_rules
from app.domain.conversation.conversation import ToolMode
from app.domain.costs.prices import Tariff
from app.domain.costs.spending import Spent
from app.domain.errors import ConflictError, ErrorClass, InviewError, NotFoundError, StoreError
from app.domain.run.run import Canceled, Failed, RunState
from app.runs.app_context import AppContext, CacheRefresher
from app.runs.audit.audit import audit
from app.runs.cache.refresh import Earlier, load_earlier, start_refresh
from app.runs.request.preview import Preview
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.usage.accounts import load_balance
from app.runs.usage.budgets import require_budgets
from app.runs.usage.prices import learn_tariffs
from app.runs.watch.broadcast import follow, load_state
from app.store.cache.keep_warm import Keeping, end_keeping, forget_keeping, list_open, load_keeping, put_keeping
from app.store.conversation.conversations import load_conversation

RUNNING_SECONDS = 5.0
"""Seconds between two checks while a reply runs, until its end shows the effect on the cache."""
AGAIN_SECONDS = 10.0
"""Seconds until the next attempt after the database could not be read."""
MAX_SECONDS = 60.0
"""Maximum seconds between two checks of an order, even if its refresh is due later.

Only a check notices that the machine's clock was set, or that another process changed the order.
"""
GONE = "The provider evicted the cache early. Inview wrote it again once, and does not refresh it any more."
RESTARTED = "Inview was not running when a refresh was due."
STOPPED = "The last refresh was stopped."
UNTOLD = "The provider did not report what it read from the cache."
FAULT = "Keeping warm stopped because of a defect in Inview. The log has the details."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """The keep-alive of a conversation, with its cost so far in `spent`.

    It is active until `keeping.ended_at` is set.
    """

    keeping: Keeping
    spent: Spent


def offer_keeping(planned: Preview, tariff: Tariff | None, at: datetime) -> KeepAliveCost | str:
    """Return the cost of keeping alive the cache that this send would read, or the reason why that is impossible."""
    use, base = planned.plan.cache, planned.composed.base
    if use is None:
        return "This model has no known prompt cache."
    if base.conversation.temporary:
        return "A temporary conversation cannot be kept warm, because it must stop when no page shows it."
    prediction = use.plan.prediction
    parameters = planned.built.request.parameters
    if words := explain_cold_shoulder(find_rules(base.profile.model), base.profile, parameters, prediction):
        return words
    return price_keeping(planned.built.request, prediction, tariff, at)


@shielded
async def start_keeping(
    ctx: AppContext, owner: str, conversation_id: str, options: ViewOptions, minutes: int
) -> Keeping:
    """Keep alive, for some minutes, the prompt cache that a send with these options would read.

    Return the stored order.

    The order replaces an earlier order of the conversation.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: nothing is cached, or it cannot be kept alive; the message has the reason.
        FilterError: the filter cannot be used.
        InputError: the model or the time zone cannot be used.
        BudgetSpentError: a refresh would exceed a budget of money.
    """
    planned = await preview_send(ctx, owner, conversation_id, SendRequest("", options))
    model, at = planned.composed.base.profile.model, now()
    offer = offer_keeping(planned, (await learn_tariffs(ctx, owner, {model}))[model], at)
    if isinstance(offer, str):
        raise ConflictError(offer)
    await require_budgets(ctx, owner, planned.composed.base.conversation, offer.each)
    # Store the current options, so that later changes of the view do not change which cache is kept alive.
    seen = replace(
        options, filter=planned.composed.base.conversation.filter if options.filter is None else options.filter
    )
    keeping = Keeping(conversation_id, owner, _encode_options(seen, model), at + timedelta(minutes=minutes), at)
    async with ctx.store.write() as session:
        await put_keeping(session, keeping)
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="keep warm")
    _attend(ctx, keeping)
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    return keeping


@shielded
async def stop_keeping(ctx: AppContext, owner: str, conversation_id: str) -> None:
    """End a keep-alive and delete the order for it (`Keeping`); its cost stays in the ledger.

    Raises:
        NotFoundError: this owner has no such conversation, or it has no keep-alive.
    """
    async with ctx.store.write() as session:
        await load_conversation(session, owner, conversation_id)
        keeping = await load_keeping(session, owner, conversation_id)
        if keeping is None:
            raise NotFoundError("keeping warm of conversation", conversation_id)
        await forget_keeping(session, conversation_id)
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="keep warm removed")
    if (keeper := ctx.keeping.get(conversation_id)) is not None:
        keeper.wake.set()
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())


async def read_keeping(ctx: AppContext, owner: str, conversation_id: str) -> KeepAlive | None:
    """Return the current or last keep-alive of a conversation, or None if it never had one."""
    async with ctx.store.read() as session:
        keeping = await load_keeping(session, owner, conversation_id)
    if keeping is None:
        return None
    spent = Spent()
    if keeping.made_id is not None:
        with suppress(NotFoundError):  # a NotFoundError means that the conversation of the refreshes was deleted
            spent = (await load_balance(ctx, owner, keeping.made_id)).spent
    return KeepAlive(keeping, spent)


async def resume_keeping(ctx: AppContext, *, alone: bool) -> None:
    """Resume the keep-alives of processes that ended.

    `alone`: no other process of Inview runs. Then a keep-alive whose time is over ends with the message `RESTARTED`.
    """
    async with ctx.store.read() as session:
        found = await list_open(session)
    for keeping in found:
        if alone and keeping.until <= now():
            await _end(ctx, keeping, RESTARTED)
        elif keeping.conversation_id not in ctx.keeping:
            _attend(ctx, keeping, resumed=alone)


async def keep_resuming(ctx: AppContext) -> None:
    """Check regularly whether another process has ended, and resume its keep-alives in this process."""
    while True:
        await asyncio.sleep(MAX_SECONDS)
        try:
            await resume_keeping(ctx, alone=False)
        except StoreError as error:
            log.warning("the conversations to keep warm could not be read", fault=str(error))


async def tend(ctx: AppContext, owner: str, conversation_id: str, *, resumed: bool = False) -> float | None:
    """Refresh the cache if a refresh is due.

    Return the seconds until the next check, or None if the keep-alive is over.
    """
    async with ctx.store.read() as session:
        keeping = await load_keeping(session, owner, conversation_id)
        if keeping is None or keeping.ended_at is not None:
            return None
        earlier = await load_earlier(session, owner, keeping.made_id)
    if now() >= keeping.until:
        return await _end(ctx, keeping, None)
    try:
        return await _tend(ctx, keeping, earlier, resumed=resumed)
    except StoreError:
        raise
    except InviewError as error:  # the conversation or the model was deleted, or a budget is spent
        return await _end(ctx, keeping, str(error))
    except Exception:  # after a defect of Inview, nothing is refreshed, and the page shows the failure
        log.exception(
            "keeping a conversation warm failed because of a defect in Inview", conversation_id=conversation_id
        )
        return await _end(ctx, keeping, FAULT)


async def _tend(ctx: AppContext, keeping: Keeping, earlier: Earlier, *, resumed: bool) -> float | None:
    owner, conversation_id = keeping.owner, keeping.conversation_id
    planned = await preview_send(ctx, owner, conversation_id, SendRequest("", _decode_options(keeping)))
    base = planned.composed.base
    if base.running is not None or earlier.running:
        return RUNNING_SECONDS
    at = now()
    offer = offer_keeping(planned, (await learn_tariffs(ctx, owner, {base.profile.model}))[base.profile.model], at)
    use = planned.plan.cache
    expires_at = None if use is None else use.plan.prediction.expires_at
    if isinstance(offer, str) or use is None or expires_at is None:
        return await _end(ctx, keeping, RESTARTED if resumed else str(offer))
    if expires_at >= keeping.until:
        return (keeping.until - at).total_seconds()
    if expires_at - MARGIN > at:
        return (expires_at - MARGIN - at).total_seconds()
    await require_budgets(ctx, owner, base.conversation, offer.each)
    started = await start_refresh(ctx, planned, keeping, earlier)
    if started is None:
        return RUNNING_SECONDS
    async for _ in follow(ctx, owner, started.run_id):
        pass
    state = await load_state(ctx, owner, started.run_id)
    ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    if isinstance(state.outcome, Failed) and state.outcome.reason.error_class is ErrorClass.INTERRUPTED:
        return RUNNING_SECONDS  # the process is ending: the next process resumes the keep-alive
    if words := _explain_end(state):
        return await _end(ctx, keeping, words)
    return 0.0


def _explain_end(refreshed: RunState) -> str | None:
    """Return the reason to end the keep-alive after this refresh; None: continue.

    The keep-alive continues only if the provider reported that it read tokens from the cache.
    """
    match refreshed.outcome:
        case Failed(reason):
            return str(reason)
        case Canceled():
            return STOPPED
        case _ if refreshed.usage is None:
            return UNTOLD
        case _:
            return None if refreshed.usage.cache_read_tokens else GONE


async def _end(ctx: AppContext, keeping: Keeping, words: str | None) -> None:
    """End a keep-alive; `words` is the reason if it ends early."""
    async with ctx.store.write() as session:
        await end_keeping(session, keeping, now(), words)
    ctx.event_bus.publish(keeping.owner, keeping.conversation_id, ConversationChanged())


def _attend(ctx: AppContext, keeping: Keeping, *, resumed: bool = False) -> None:
    """Start the keep-alive task of a conversation, or wake the running task. Each check reads the stored order."""
    keeper = ctx.keeping.get(keeping.conversation_id)
    if keeper is not None:
        keeper.wake.set()
        return
    wake = asyncio.Event()
    task = asyncio.create_task(
        _keep(ctx, keeping, wake, resumed=resumed), name=f"keeping {keeping.conversation_id} warm"
    )
    ctx.keeping[keeping.conversation_id] = CacheRefresher(task, wake)


async def _keep(ctx: AppContext, keeping: Keeping, wake: asyncio.Event, *, resumed: bool) -> None:
    owner, conversation_id = keeping.owner, keeping.conversation_id
    seconds: float | None = 0.0
    try:
        while seconds is not None or wake.is_set():
            wake.clear()
            try:
                seconds = await tend(ctx, owner, conversation_id, resumed=resumed)
            except StoreError as error:
                log.warning(
                    "the conversations to keep warm could not be checked",
                    conversation_id=conversation_id,
                    fault=str(error),
                )
                seconds = AGAIN_SECONDS
            resumed = False
            if seconds:
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(seconds, MAX_SECONDS)):
                        await wake.wait()
    finally:
        del ctx.keeping[conversation_id]


def _encode_options(options: ViewOptions, model: str) -> dict[str, str | None]:
    fields = asdict(options) | {"model": model}
    return {name: fields[name] for name in ("filter", "model", "topic", "zone", "tool_mode", "agent")}


def _decode_options(keeping: Keeping) -> ViewOptions:
    fields = keeping.look
    mode = fields["tool_mode"]
    return ViewOptions(
        filter=fields["filter"],
        model=fields["model"],
        topic=fields["topic"],
        zone=fields["zone"],
        tool_mode=None if mode is None else ToolMode(mode),
        agent=fields["agent"],
    )
