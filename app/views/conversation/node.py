"""Views of nodes. A node is a record between pairs that is never sent.

Each node has the position of the pair in front of it.

The node of a title or a summary includes the result of its provider call, a call with its own child conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.domain.child_calls.child_calls import ChildCall, MadeCall
from app.domain.conversation.accounting import Accounting, RemovalReason, describe_departure
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.costs.costs import UNKNOWN, Cost, price_call
from app.domain.costs.prices import Tariff
from app.views.conversation.pair import (
    DamageView,
    FailureView,
    UsageView,
    describe_damage,
    describe_failure,
    describe_usage,
)
from app.views.usage.cost import describe_amount


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingNodeView:
    """The usage of the conversation up to the time when `messages` messages were removed from it.

    - `reason`: the reason of the removal; null if it cannot be read.
    - `words`: a text with this reason.
    - `damage`: unreadable values of the node. Damage changes no cost, because costs are computed from the ledger.
    """

    id: str
    role: Literal["accounting"] = "accounting"
    after_position: int
    created_at: datetime
    reason: RemovalReason | None
    words: str
    messages: int
    usage: UsageView
    damage: tuple[DamageView, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeView:
    """The child call of a title or a summary: the only pair of the child conversation `conversation_id`.

    - `model`, `lifecycle`, `usage`, `cost`, `error`: the values of this pair.
    - `text`: its reply so far.
    - `run_id`: the id of its run, to follow or stop it.
    - `cost_at_least`: the real cost may be higher.
    """

    conversation_id: str
    run_id: str | None
    model: str
    lifecycle: Lifecycle
    text: str
    usage: UsageView | None
    cost: str
    cost_at_least: bool
    error: FailureView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedNodeView:
    """The node of a request for a title or a summary, shown after the pair at `after_position`.

    `made` is its child call; null: the child conversation no longer exists. `position` is set only for a summary: the
    summary can be sent instead of the pairs with positions lower than `position`.
    """

    id: str
    role: Literal["system-title", "system-summary"]
    after_position: int
    created_at: datetime
    position: int | None
    made: MadeView | None


NodeView = AccountingNodeView | DerivedNodeView


def describe_nodes(
    accounting: Iterable[Accounting], derived: Iterable[ChildCall], tariffs: Mapping[str, Tariff | None]
) -> tuple[NodeView, ...]:
    """Convert the nodes of a conversation to the form that the HTTP API returns, in their order.

    `accounting` are its accounting nodes, `derived` the nodes of its child calls. `tariffs` has the tariff of each
    model by name.
    """
    nodes: list[NodeView] = [
        *map(_describe_accounting, accounting),
        *(_describe_derived(call, tariffs) for call in derived),
    ]
    return tuple(sorted(nodes, key=lambda node: (node.after_position, node.created_at, node.id)))


def _describe_accounting(node: Accounting) -> AccountingNodeView:
    return AccountingNodeView(
        id=node.id,
        after_position=node.after_position,
        created_at=node.created_at,
        reason=node.reason,
        words=describe_departure(node),
        messages=node.messages,
        usage=describe_usage(node.usage),
        damage=describe_damage(node.damage),
    )


def _describe_derived(call: ChildCall, tariffs: Mapping[str, Tariff | None]) -> DerivedNodeView:
    return DerivedNodeView(
        id=call.id,
        role="system-title" if call.title else "system-summary",
        after_position=call.after_position,
        created_at=call.created_at,
        position=call.position,
        made=None if call.made is None else _describe_made(call.made, _price(call.created_at, call.made, tariffs)),
    )


def _price(at: datetime, made: MadeCall, tariffs: Mapping[str, Tariff | None]) -> Cost:
    if made.lifecycle in RUNNING:
        return UNKNOWN
    error_class = None if made.failure is None else made.failure.error_class
    return price_call(
        tariffs.get(made.model), at, made.usage, made.lifecycle, error_class, faulty=made.usage_is_partial
    )


def _describe_made(made: MadeCall, cost: Cost) -> MadeView:
    return MadeView(
        conversation_id=made.conversation_id,
        run_id=made.run_id,
        model=made.model,
        lifecycle=made.lifecycle,
        text=made.text,
        usage=None if made.usage is None else describe_usage(made.usage),
        cost=describe_amount(cost),
        cost_at_least=cost.at_least,
        error=None if made.failure is None else describe_failure(made.failure),
    )
