"""Tools as shown: each with what telling of it costs, what became of it and why, and what other modes would do.

All costs are of one send at the full price of input, US dollars as decimal text; what is read of a cache costs less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from app.domain.conversation.conversation import ToolMode
from app.domain.tools.inclusion import Choice, Decided, Why
from app.views.request.cache import CacheBreakView, CacheView
from app.views.request.composition import describe_cost

Price = Callable[[int], Decimal | None]
"""What so many tokens cost; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class ChosenToolView:
    """A tool. `why` it goes along or does not; `words` are those it shares with the draft, where that is why."""

    name: str
    server_id: str
    server: str
    tool: str
    title: str
    description: str
    input_schema_json: str
    read_only: bool
    chosen: bool
    why: Why
    words: tuple[str, ...]
    tokens: int
    cost: str


@dataclass(frozen=True, slots=True)
class ToolModeView:
    """What a mode would tell of. `same`: just what is told of now. `breaks`: what of the vendor's cache would be lost.

    `read_tokens`: what the send would read of the cache; null where nothing is kept.
    """

    mode: ToolMode
    count: int
    tokens: int
    cost: str
    same: bool
    read_tokens: int | None
    breaks: CacheBreakView | None


@dataclass(frozen=True, slots=True)
class ConversationToolsView:
    """The tools of a conversation. `able`: the model can call tools. `tokens` is what all that are chosen take.

    `overhead` of that is for having any. `share` is how many tokens `auto` tells of all tools up to. `missing` are
    ticked and not there: their server is off or gone. `breaks`: what another list of tools than now would lose.
    """

    mode: ToolMode
    model: str
    able: bool
    count: int
    tokens: int
    overhead: int
    cost: str
    share: int
    tools: tuple[ChosenToolView, ...]
    ticked: tuple[str, ...]
    missing: tuple[str, ...]
    modes: tuple[ToolModeView, ...]
    breaks: CacheBreakView | None


def describe_tool_choice(decided: Decided, price: Price) -> ChosenToolView:
    """One tool as shown."""
    tool, tokens = decided.sized.tool, decided.sized.tokens
    return ChosenToolView(
        name=tool.name,
        server_id=tool.server_id,
        server=tool.server_name,
        tool=tool.tool_name,
        title=tool.title,
        description=tool.description,
        input_schema_json=tool.input_schema_json,
        read_only=tool.read_only,
        chosen=decided.why.chosen,
        why=decided.why,
        words=decided.words,
        tokens=tokens,
        cost=describe_cost(price(tokens)),
    )


def describe_tool_mode(
    mode: ToolMode, choice: Choice, price: Price, cache: CacheView | None, *, same: bool
) -> ToolModeView:
    """What a mode would do. `cache`: what its send does with the vendor's."""
    return ToolModeView(
        mode=mode,
        count=len(choice.tools),
        tokens=choice.tokens,
        cost=describe_cost(price(choice.tokens)),
        same=same,
        read_tokens=None if cache is None else cache.predicted_read_tokens,
        breaks=None if cache is None else cache.broken,
    )
