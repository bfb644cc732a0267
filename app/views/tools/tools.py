"""Views of tools: the size and cost of each, the decision about it with the reason, and the effect of other modes.

All costs are for one send at the full input price, in US dollars as decimal text; tokens read from a cache cost less.
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
"""Returns the price of a number of tokens; None if unknown."""


@dataclass(frozen=True, slots=True)
class ChosenToolView:
    """A tool. `why` is the reason for the decision; `words` are those that it shares with the draft, if any."""

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
    """The effect of a mode. `same`: it sends the same tools as now. `breaks`: the part of the vendor's cache it would
    lose.

    `read_tokens`: the tokens that the send would read from the cache; null if nothing is cached.
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
    """The tools of a conversation. `able`: the model can call tools. `tokens` is the total size of the chosen tools.

    `overhead` is the part of that for having any tools. `share` is the maximum size at which `auto` sends all tools, in
    tokens. `missing` are ticked tools that are not available: their server is off or removed. `breaks`: the part of the
    cache that would be lost if the list of tools changed.
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
    """Return the view of the decision about a tool."""
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
    """Return the view of a mode. `cache` is the effect of its send on the vendor's cache."""
    return ToolModeView(
        mode=mode,
        count=len(choice.tools),
        tokens=choice.tokens,
        cost=describe_cost(price(choice.tokens)),
        same=same,
        read_tokens=None if cache is None else cache.predicted_read_tokens,
        breaks=None if cache is None else cache.broken,
    )
