"""The view of a conversation's tools for the API and the page."""

from __future__ import annotations

from app.domain.context.composition import budget_of, price_tokens
from app.domain.tools.inclusion import SHARE_OF_BUDGET
from app.runs.cache.cache_views import describe_planned_cache
from app.runs.tools.next_tools import SeenMode, SeenTools
from app.views.tools.tools import ConversationToolsView, ToolModeView, describe_tool_choice, describe_tool_mode


def describe_seen_tools(seen: SeenTools) -> ConversationToolsView:
    """Describe every offered tool, and the tools that each mode would send."""
    base, choice = seen.now.base, seen.now.tools
    conversation = base.conversation
    there = {decided.sized.tool.name for decided in choice.decided}
    modes = tuple(_describe_mode(seen, one) for one in seen.modes)
    other = seen.other
    return ConversationToolsView(
        mode=conversation.tool_mode,
        model=base.profile.model,
        able=base.profile.tools,
        count=len(choice.tools),
        tokens=choice.tokens,
        overhead=choice.offer.overhead,
        cost=_describe_mode(seen, SeenMode(conversation.tool_mode, seen.now)).cost,
        share=budget_of(base.terms).total // SHARE_OF_BUDGET,
        tools=tuple(
            describe_tool_choice(one, lambda tokens: price_tokens(base.terms, tokens)) for one in choice.decided
        ),
        ticked=conversation.ticked_tools,
        missing=tuple(name for name in conversation.ticked_tools if name not in there),
        modes=modes,
        breaks=None if other is None else _describe_mode(seen, other).breaks,
    )


def _describe_mode(seen: SeenTools, one: SeenMode) -> ToolModeView:
    choice, terms = one.composed.tools, one.composed.base.terms
    cache = None if one.planned is None else describe_planned_cache(one.planned, seen.tariff)
    same = choice.definitions == seen.now.tools.definitions
    return describe_tool_mode(one.mode, choice, lambda tokens: price_tokens(terms, tokens), cache, same=same)
