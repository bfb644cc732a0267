"""Comparisons: two to four models answer one request side by side. One reply is kept, the others become its versions.

    compared = ComparedModels(("a:one", "b:two"))
    comparison = await start_comparison(ctx, LOCAL_OWNER, conversation_id, SendRequest("Why?"), compared)
    await keep_reply(ctx, LOCAL_OWNER, conversation_id, "b:two")

Each run is a complete run in a separate `tool` conversation: it is followed, stopped and paid for like any other. Each
model gets the request that `start_reply` would send to it. Until one reply is kept, the conversation has no pair for
the comparison, and no other request can be sent in it. If the comparison is discarded, the replies stay in their
conversations, so that this can be undone.

Not here: several models that answer an existing pair again (`pair_comparisons.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ChosenRun, ComparedRun, ComparingError, Comparison, require_models
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.compare.compared_runs import begin_comparison
from app.runs.conversation.accounting import note_departure, note_pairs
from app.runs.resend.in_place import messages_in
from app.runs.runtime.event_bus import ComparisonChanged, PairsChanged, PairsRemoved
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.planning import PlanRequest, plan_reply, require_counted
from app.runs.send.queue import go_on
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import stop_run
from app.store.compare import comparisons
from app.store.conversation import conversations, pairs, versions
from app.store.conversation.marks import write_marks
from app.store.run import runs
from app.store.run.deliveries import delete_deliveries


@dataclass(frozen=True, slots=True)
class ChosenReply:
    """The result of keeping a reply.

    - `pair_id`: the id of the pair that has the reply.
    - `replaced`: the version that has the previous content of this pair, if an existing pair was answered again.
    - `undo`: the changes of marks that restore later pairs, if they were discarded.
    """

    pair_id: str
    replaced: int | None = None
    undo: tuple[PairMarks, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedModels:
    """The models of a comparison, with what was chosen and counted for each of them.

    - `models`: the models, each once, in the order on the page.
    - `over_budget`: for each model, the choice for a view that exceeds its budget; without one, the preferences decide.
      A choice never applies to another model.
    - `selections`: for each model, the pairs that an estimate counted, as a short text.
    """

    models: Sequence[str]
    over_budget: Mapping[str, OverBudget] = field(default_factory=dict[str, OverBudget])
    selections: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def others(self) -> Collection[str]:
        """The models in `selections` that are not in `models`."""
        return self.selections.keys() - set(self.models)

    def request_to(self, model: str, request: SendRequest) -> SendRequest:
        """Return a copy of `request` with this model, and with its choice and its selection."""
        options = replace(request.options, model=model)
        choice, selection = self.over_budget.get(model), self.selections.get(model)
        return replace(request, options=options, over_budget=choice, selection=selection)


def at_one_time(request: SendRequest) -> SendRequest:
    """Return the request with its time, by default now. So all models get the same time, and filters the same ages."""
    options = request.options
    return request if options.as_of is not None else replace(request, options=replace(options, as_of=now()))


@shielded
async def start_comparison(
    ctx: AppContext, owner: str, conversation_id: str, request: SendRequest, compared: ComparedModels
) -> Comparison:
    """Send a request to all models of `compared`, each with its over-budget choice and its selection from `compared`.

    The model, the over-budget choice and the selection of the request are ignored.

    Raises:
        NotFoundError: this owner has no such conversation or topic.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: the view exceeds the budget of a model, and the caller made no choice for this model.
        SelectionChangedError: a model would get other pairs than were counted for it.
        InputError: the text, the filter, the models or the time zone cannot be used.
        BudgetSpentError: the calls together would exceed a budget of money.
        ProviderError: the provider of a model lacks its key. Then no model is called.
    """
    if not request.text.strip() and not request.attached.parts:
        raise InputError("text", "is empty. Write something to compare replies to.")
    require_models(compared.models)
    request = at_one_time(request)
    for model in compared.others:
        await require_counted(ctx, owner, conversation_id, compared.request_to(model, request))
    requests = [compared.request_to(model, request) for model in compared.models]
    planned = [await plan_reply(ctx, owner, conversation_id, PlanRequest(one, sends=True)) for one in requests]
    topic = request.options.topic
    comparison = Comparison(new_id(), conversation_id, request.text, topic, request.parameters, (), now())
    return await begin_comparison(ctx, owner, comparison, planned, request.attached, request.alongside)


async def read_comparison(ctx: AppContext, owner: str, conversation_id: str) -> tuple[Comparison, tuple[Pair, ...]]:
    """Return the open comparison and its stored pairs: one for each model, with the reply of that model.

    Raises:
        NotFoundError: this owner has no such conversation, or no comparison is open in it.
    """
    async with ctx.store.read() as session:
        await conversations.load_conversation(session, owner, conversation_id)
        comparison = await comparisons.load_open(session, owner, conversation_id)
        if comparison is None:
            raise NotFoundError("open comparison in conversation", conversation_id)
        return comparison, await _load_compared(session, owner, comparison)


@shielded
async def keep_reply(ctx: AppContext, owner: str, conversation_id: str, model: str) -> ChosenReply:
    """Keep this model's reply as a new pair of the conversation, and the others as its versions.

    If the comparison answered an existing pair again, the kept reply replaces the current reply of that pair. The
    replaced reply becomes a version as well. Other replies that are running are stopped; their text so far is stored.

    Raises:
        NotFoundError: this owner has no such conversation, or no comparison is open in it.
        InputError: the model is not part of the comparison.
        ConflictError: the reply is still running or empty, or the pair that was answered again is deleted.
    """
    comparison, stood = await read_comparison(ctx, owner, conversation_id)
    kept = comparison.run_of(model)
    async with ctx.store.read() as session:
        names = await ctx.catalogue.load_names(session, owner, [run.model for run in comparison.runs])
        _require_reply(stood[comparison.runs.index(kept)], names[kept.model])
        if comparison.pair_id is not None:
            await _load_answered(session, owner, comparison.pair_id)
    await _stop(ctx, [run for run in comparison.runs if run is not kept])
    at = now()
    async with ctx.store.write() as session:
        still = await comparisons.load_open(session, owner, conversation_id)
        if still != comparison:
            raise ConflictError("The comparison was just closed elsewhere. Check the conversation.")
        stood = await _load_compared(session, owner, comparison)  # a page may have recovered more text of a reply
        pairs_of_runs = zip(comparison.runs, stood, strict=True)
        if running := [names[run.model] for run, pair in pairs_of_runs if pair.lifecycle in RUNNING]:
            raise ConflictError(f"The reply of {running[0]} could not be stopped. Try again.")
        chosen = ChosenRun(comparison, stood, comparison.runs.index(kept))
        revision = await conversations.next_revision(session, conversation_id, at)
        if comparison.pair_id is None:
            tail = await pairs.load_tail(session, conversation_id)
            pair = _make_pair(chosen, tail.position + 1, at)
            await comparisons.move_into_pair(session, owner, chosen, pair, revision)
            done = ChosenReply(pair.id)
        else:
            pair, done = await _stand_in(session, owner, comparison.pair_id, chosen, revision, at)
        await audit(session, owner, conversation_id, AuditAction.CHANGED, subject=pair.id, what="comparison kept")
    for run in comparison.runs:
        ctx.sent_pairs.forget(run.conversation_id)
        ctx.sizes.forget(run.conversation_id)
    if pair.reply is not None:
        ctx.indexer.catch_up(runs.RunPlace(owner, conversation_id, pair.id, pair.reply.id))
    if done.undo:
        ctx.event_bus.publish(owner, conversation_id, PairsRemoved(tuple(change.pair_id for change in done.undo)))
    ctx.event_bus.publish(owner, conversation_id, PairsChanged((pair.id,)))
    ctx.event_bus.publish(owner, conversation_id, ComparisonChanged())
    if pair.lifecycle is Lifecycle.SUCCEEDED:
        await go_on(ctx, owner, conversation_id)
    return done


@shielded
async def discard_comparison(ctx: AppContext, owner: str, conversation_id: str) -> Comparison:
    """Close the comparison without keeping a reply; running replies are stopped. `reopen_comparison` undoes this.

    Raises:
        NotFoundError: this owner has no such conversation, or no comparison is open in it.
    """
    comparison, _ = await read_comparison(ctx, owner, conversation_id)
    await _stop(ctx, comparison.runs)
    async with ctx.store.write() as session:
        await comparisons.close(session, comparison, now())
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="comparison discarded")
        await delete_deliveries(session, conversation_id)
    ctx.event_bus.publish(owner, conversation_id, ComparisonChanged())
    return comparison


@shielded
async def reopen_comparison(ctx: AppContext, owner: str, conversation_id: str) -> Comparison:
    """Reopen the comparison that was discarded last.

    Raises:
        NotFoundError: this owner has no such conversation, or no comparison was discarded in it.
        ComparingError: another comparison is open in it.
    """
    try:
        async with ctx.store.write() as session:
            await conversations.load_conversation(session, owner, conversation_id)
            comparison = await comparisons.load_discarded(session, owner, conversation_id)
            if comparison is None:
                raise NotFoundError("discarded comparison in conversation", conversation_id)
            await comparisons.close(session, comparison, None)
            await audit(session, owner, conversation_id, AuditAction.CHANGED, what="comparison reopened")
    except IntegrityError as error:
        raise ComparingError from error
    ctx.event_bus.publish(owner, conversation_id, ComparisonChanged())
    return replace(comparison, closed_at=None)


async def _load_compared(session: AsyncSession, owner: str, comparison: Comparison) -> tuple[Pair, ...]:
    return tuple([await pairs.load_pair(session, owner, run.pair_id) for run in comparison.runs])


def _make_pair(chosen: ChosenRun, position: int, at: datetime) -> Pair:
    """Return the new pair of the conversation, with the kept reply."""
    one, comparison = chosen.pair, chosen.comparison
    return replace(
        one,
        id=new_id(),
        conversation_id=comparison.conversation_id,
        position=position,
        request=Message(new_id(), Role.USER, one.request.parts, comparison.created_at),
        topic=comparison.topic,
        updated_at=at,
        version=chosen.version,
        versions=len(chosen.pairs),
    )


async def _stand_in(  # noqa: PLR0913, PLR0917 - the kept reply, and the pair that it replaces
    session: AsyncSession, owner: str, pair_id: str, chosen: ChosenRun, revision: int, at: datetime
) -> tuple[Pair, ChosenReply]:
    """Put the kept reply into the pair that was answered again.

    Return the changed pair and the result for the caller.
    """
    comparison, before = chosen.comparison, await _load_answered(session, owner, pair_id)
    request = before.request
    if request.id != comparison.request_id:  # the pair was edited after the comparison was started
        several = await versions.load_versions(session, owner, before)
        request = next(each.request for each in several if each.request.id == comparison.request_id)
    one = chosen.pair
    again = replace(
        before,
        request=request,
        reply=one.reply,
        model=one.model,
        parameters=one.parameters,
        agent_id=one.agent_id,
        agent=one.agent,
        run_id=one.run_id,
        lifecycle=one.lifecycle,
        version=before.versions + chosen.version,
        versions=before.versions + len(chosen.pairs),
        updated_at=at,
    )
    reason = RemovalReason.RETRY if before.lifecycle is Lifecycle.ERROR else RemovalReason.REGENERATE
    replaced = 1 if request is before.request else messages_in(before)
    await note_departure(session, owner, before.conversation_id, before.position, reason, replaced)
    await comparisons.move_into_place(session, owner, chosen, before, again, revision)
    there: dict[str, int] = {}
    for start in range(0, len(comparison.gone), pairs.BATCH):
        there |= await pairs.load_positions(session, owner, comparison.gone[start : start + pairs.BATCH])
    gone = tuple(other for other in comparison.gone if other in there)
    if gone:
        await note_pairs(session, owner, before.conversation_id, gone, RemovalReason.DISCARD)
        await write_marks(session, gone, Marks(deleted=True), revision, at)
    undo = tuple(PairMarks(other, Marks(deleted=False)) for other in gone)
    return again, ChosenReply(before.id, before.version, undo)


async def _load_answered(session: AsyncSession, owner: str, pair_id: str) -> Pair:
    """Load the pair that the comparison answers again."""
    try:
        return await pairs.load_pair(session, owner, pair_id)
    except NotFoundError:
        raise ConflictError(
            "The pair that is answered again was deleted. Restore it from the trash, or discard the comparison."
        ) from None


def _require_reply(pair: Pair, name: str) -> None:
    """Refuse to keep a reply that is running or empty. `name`: the name of its model for people."""
    if pair.lifecycle in RUNNING:
        raise ConflictError(f"The reply of {name} is still running. Wait for it or stop it, then keep it.")
    if pair.reply is None or not pair.reply.parts:
        raise ConflictError(
            f"The reply of {name} is empty and cannot be kept. Keep another reply, or delete all replies."
        )


async def _stop(ctx: AppContext, compared: Sequence[ComparedRun]) -> None:
    for run in compared:
        await stop_run(ctx, run.run_id)
