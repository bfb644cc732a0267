"""Views of the tools of a conversation: the size and cost of each, whether a send includes it, and the inclusion modes.

All costs are for one send at the full input price, in US dollars as decimal text. Tokens read from a cache cost less.
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
"""A function that returns the price of a number of tokens in US dollars; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class ChosenToolView:
    """A tool, and the decision whether the next send includes it.

    - `chosen`: the send includes it.
    - `why`: the reason why it is or is not included.
    - `words`: the words that it shares with the draft, if any.
    """

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
    """The effect of an inclusion mode on the next send, with the number, size and cost of its tools.

    - `same`: the mode sends the same tools as the current mode.
    - `read_tokens`: the tokens that the send would read from the provider's cache; null: nothing is cached.
    - `breaks`: the part of the cache that the send would lose; null: none.
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
    """The tools of a conversation. `able`: the model can call tools.

    The next send includes `count` tools with `tokens` tokens in all.

    - `overhead`: the part of these tokens that is added once to each send with tools, whatever their number.
    - `share`: the maximum size in tokens at which the mode `auto` sends all tools.
    - `missing`: ticked tools that are not available, because their server is off or removed.
    - `breaks`: the cached prefix that the next send could read only with the current choice of tools; null: none.
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
    """Describe a tool for the HTTP API, with the decision whether the next send includes it.

    `price` returns the price of a number of tokens.
    """
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
    """Describe an inclusion mode, a rule that selects the tools of a send, for the HTTP API.

    `choice` has the tools that a send in this mode includes. `price` returns the price of a number of tokens.

    `cache` is the effect of such a send on the provider's cache. `same`: the current mode sends the same tools.
    """
    return ToolModeView(
        mode=mode,
        count=len(choice.tools),
        tokens=choice.tokens,
        cost=describe_cost(price(choice.tokens)),
        same=same,
        read_tokens=None if cache is None else cache.predicted_read_tokens,
        breaks=None if cache is None else cache.broken,
    )
