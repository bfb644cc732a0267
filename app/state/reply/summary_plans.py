"""The possible summaries of a conversation: the pairs that each replaces, and the cost of reading them.

>>> plans = [SummaryPlanned(key, 2, 3, 40, "0", 0, "offline:demo") for key in (REST, ALL)]
>>> describe_ways(tuple(plans), 0)[0].name, describe_ways(tuple(plans[:1]), 0)[0].name
('All pairs in view (2)', 'The 2 pairs that do not fit')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.domain.errors import InviewError
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import Extent, plan_summary
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.state.messages.error_messages import describe_fault
from app.views.request.composition import describe_cost
from app.views.usage.figures import money, number, plural

REST: Final = "rest"
UP_TO: Final = "up_to"
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class SummaryPlanned:
    """A possible summary of `count` pairs with positions lower than `position`.

    - `tokens`: the size of these pairs.
    - `cost`: the price at which `model` reads them to write the summary.
    - `unread`: the number of other pairs with such positions, which the filter hides. The summary does not contain
      them, and they would no longer be sent.
    """

    key: str
    count: int
    position: int
    tokens: int
    cost: str
    unread: int
    model: str


@dataclass(frozen=True, slots=True)
class SummaryWay:
    """One option of the dialog that asks which pairs to summarise."""

    key: str
    name: str
    figures: str
    note: str


def extents(position: int) -> dict[str, Extent]:
    """Return, by the key of each option of the summary dialog, the pairs that the option summarises.

    `position` is the position of the pair at the cursor, 0 for none.
    """
    up_to = {UP_TO: Extent(up_to=position)} if position else {}
    return {REST: Extent(), **up_to, ALL: Extent(everything=True)}


async def plan_ways(
    ctx: AppContext, conversation_id: str, options: ViewOptions, draft: str, position: int
) -> tuple[tuple[SummaryPlanned, ...], str]:
    """Return the possible summaries and, if an option is impossible, the reason for this, else "".

    `options` are the view options of the page, `draft` is the text in the composer. Both decide which pairs do not fit.
    `position` is the position of the pair at the cursor, 0 for none.
    """
    found, refusal = list[SummaryPlanned](), ""
    for key, extent in extents(position).items():
        try:
            plan = await plan_summary(ctx, LOCAL_OWNER, conversation_id, options, draft, extent)
        except InviewError as error:
            refusal = describe_fault(error)
        else:
            cost, model = describe_cost(plan.cost), plan.base.profile.name
            found.append(SummaryPlanned(key, plan.count, plan.position, plan.tokens, cost, plan.unread, model))
    return tuple(found), refusal


def describe_ways(planned: tuple[SummaryPlanned, ...], position: int) -> tuple[SummaryWay, ...]:
    """Return the options of the summary dialog for the summaries in `planned`.

    `position` is the position of the pair at the cursor, 0 for none.

    If several summaries cover the same pairs, only the last one is offered.
    """
    named = {
        UP_TO: f"The pairs in view up to pair {position}",
        ALL: "All pairs in view",
    }
    ways = list[SummaryWay]()
    for at, plan in enumerate(planned):
        if any((plan.count, plan.position) == (other.count, other.position) for other in planned[at + 1 :]):
            continue
        rest = f"The {plural(plan.count, 'pair')} that {'does' if plan.count == 1 else 'do'} not fit"
        name = rest if plan.key == REST else f"{named[plan.key]} ({number(plan.count)})"
        ways.append(SummaryWay(plan.key, name, f"~{number(plan.tokens)} tokens · {money(plan.cost)}", _note(plan)))
    return tuple(ways)


def _note(plan: SummaryPlanned) -> str:
    if not plan.unread:
        return f"Read by {plan.model}."
    return (
        f"Read by {plan.model}. {plural(plan.unread, 'pair')} before it that the filter hides would not be sent any "
        f"more, and {'is' if plan.unread == 1 else 'are'} not in the summary."
    )
