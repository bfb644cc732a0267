"""Accounts: the usage and cost of a conversation, call by call, including its child conversations (titles, summaries).

    account = await load_account(ctx, LOCAL_OWNER, conversation_id)
    account.spent.cost

The calls of a pair that was deleted, edited or failed are included, because nothing is deleted from the ledger.

Not here: sums over many conversations (`usage.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.cache.misses import Judgement, judge
from app.domain.cache.plan import Prediction
from app.domain.conversation.accounting import Accounting
from app.domain.conversation.conversation import Checkpoint, Conversation, ConversationKind
from app.domain.costs.costs import is_cut_short
from app.domain.costs.prices import Tariff
from app.domain.costs.spending import Spent, price_calls, window_after
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.usage.prices import learn_tariffs
from app.runs.usage.usage import report_usage
from app.store.cache.prompt_caches import load_foretold
from app.store.conversation.conversations import load_conversation
from app.store.conversation.nodes import load_accounting
from app.store.conversation.pairs import load_positions
from app.store.ledger import ledger
from app.store.ledger.ledger import EndedCall
from app.store.ledger.usage import GroupBy, UsageQuery

NO_USAGE = Usage()
_COUNTED = (*ledger.REPLIES, "summary")
"""The purposes of the calls that change the tokens in the context window."""
MAX_DERIVED = 10_000
"""Maximum number of calls of a child conversation that are added up one by one. Usually there are a few."""


@dataclass(frozen=True, slots=True)
class Booked:
    """A provider call of the ledger with its cost.

    - `entry`: the number of the call in the ledger.
    - `position`: the position of its pair; None if the pair was deleted.
    - `foretold`: the predicted number of tokens that are read from the provider's cache; None if there was no
      prediction.
    - `judged`: compares the prediction with the number that the provider reported.
    """

    entry: int
    call: EndedCall
    spent: Spent
    position: int | None
    foretold: Prediction | None = None
    judged: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """The usage and cost of a conversation, including its child calls.

    - `cumulative`: the usage that the last accounting node recorded, plus all later usage.
    - `window`: the number of tokens of the context window that are in use now; None if no call has reported it yet.
    - `summarised`: no reply followed the newest summary, so `window` is the size of the summary.
    """

    conversation: Conversation
    spent: Spent
    by_purpose: Mapping[str, Spent]
    by_model: Mapping[str, Spent]
    cumulative: Usage
    window: int | None
    summarised: bool


@dataclass(frozen=True, slots=True)
class Balance:
    """The total cost of a conversation, its parts by purpose, and its `window` and `summarised` as in `Account`."""

    conversation: Conversation
    by_purpose: Mapping[str, Spent]
    window: int | None
    summarised: bool

    @property
    def spent(self) -> Spent:
        """The total usage and cost of the calls for all purposes."""
        return sum(self.by_purpose.values(), start=Spent())


async def load_balance(ctx: AppContext, owner: str, conversation_id: str) -> Balance:
    """Return the total cost of a conversation and its parts by purpose. Each open page calls this after each reply.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        conversation, latest = await ledger.load_with_latest(session, owner, conversation_id, _COUNTED)
    if conversation.kind is ConversationKind.TOOL:
        by_purpose, _ = await _sum_derived(ctx, owner, conversation_id)
    else:
        by_purpose = await _sum_by(ctx, owner, conversation_id, "purpose")
    return Balance(conversation, by_purpose, *_window(latest, conversation.checkpoint))


async def load_account(ctx: AppContext, owner: str, conversation_id: str) -> Account:
    """Return the account of a conversation: its usage and cost, with subtotals.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        conversation, latest = await ledger.load_with_latest(session, owner, conversation_id, _COUNTED)
        nodes = await load_accounting(session, owner, conversation_id)
        node = _last_written_here(nodes)
        after = 0 if node is None or node.calls is None else node.calls
        later = await ledger.sum_later_usage(session, owner, conversation_id, after=after)
    if conversation.kind is ConversationKind.TOOL:
        by_purpose, by_model = await _sum_derived(ctx, owner, conversation_id)
    else:
        by_purpose = await _sum_by(ctx, owner, conversation_id, "purpose")
        by_model = await _sum_by(ctx, owner, conversation_id, "model")
    window, summarised = _window(latest, conversation.checkpoint)
    return Account(
        conversation=conversation,
        spent=sum(by_purpose.values(), start=Spent()),
        by_purpose=by_purpose,
        by_model=by_model,
        cumulative=(NO_USAGE if node is None else node.usage) + later,
        window=window,
        summarised=summarised,
    )


async def list_booked(  # noqa: PLR0913 - owner, conversation, range and limit
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    *,
    limit: int,
    before: int | None = None,
    run_id: str | None = None,
) -> tuple[Booked, ...]:
    """List the calls of a conversation and its child conversations, newest first, each with its cost.

    `before`: only calls with lower numbers in the ledger. `run_id`: only calls of this run.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        entered = await ledger.load_entered_calls(
            session, owner, conversation_id, limit=limit, before=before, run_id=run_id
        )
        positions = await load_positions(session, owner, {call.pair_id for _, call in entered})
        foretold = await load_foretold(session, {call.run_id for _, call in entered})
    tariffs = await learn_tariffs(ctx, owner, {call.model for _, call in entered})
    return tuple(
        Booked(
            entry,
            call,
            price_one(call, tariffs.get(call.model)),
            positions.get(call.pair_id),
            predicted := foretold.get((call.run_id, call.attempt)),
            None if predicted is None else judge(predicted, call.usage),
        )
        for entry, call in entered
    )


async def _sum_by(ctx: AppContext, owner: str, conversation_id: str, group_by: GroupBy) -> dict[str, Spent]:
    """Add up the cost of a conversation, with its child conversations, by group. The most expensive group is first."""
    report = await report_usage(ctx, owner, UsageQuery(account_id=conversation_id), group_by)
    return {group.name: group.spent for group in report.groups}


async def _sum_derived(ctx: AppContext, owner: str, conversation_id: str) -> tuple[dict[str, Spent], dict[str, Spent]]:
    """Add up the cost of a child conversation by purpose and by model.

    The calls are added up one by one: sums are stored per account, and these calls are part of the parent's account.
    """
    by_purpose: dict[str, Spent] = {}
    by_model: dict[str, Spent] = {}
    for booked in await list_booked(ctx, owner, conversation_id, limit=MAX_DERIVED):
        call = booked.call
        by_purpose[call.purpose] = by_purpose.get(call.purpose, Spent()) + booked.spent
        by_model[call.model] = by_model.get(call.model, Spent()) + booked.spent
    return by_purpose, by_model


def price_one(call: EndedCall, tariff: Tariff | None) -> Spent:
    """Return the usage and cost of one call under this tariff."""
    usage = call.usage or NO_USAGE
    reported = call.usage is not None
    faulty = call.report_fault is not None
    cut = call.purpose != "count" and is_cut_short(call.outcome, call.error_class, reported=reported, faulty=faulty)
    prices = None if tariff is None else tariff.prices_at(call.started_at, usage.prompt_tokens)
    return price_calls(1, int(cut), usage, prices)


def _last_written_here(nodes: tuple[Accounting, ...]) -> Accounting | None:
    return next((node for node in reversed(nodes) if node.calls is not None), None)


def _window(latest: tuple[EndedCall, ...], checkpoint: Checkpoint | None) -> tuple[int | None, bool]:
    """Return how many tokens of the context window are in use after the newest call in `latest`; None: unknown.

    The second value is True if that call wrote the summary of the conversation.

    The call for a summary is skipped if the conversation has no checkpoint.
    """
    for call in latest:
        if call.purpose == "summary" and checkpoint is None:
            continue
        window = window_after(call.purpose, call.outcome, call.usage)
        if window is not None:
            return window, call.purpose == "summary"
    return None, False
