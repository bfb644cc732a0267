"""A conversation's tools over HTTP: which go along, why, for how much, and what a change would break."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from app.api.access import Bench, Owner
from app.api.answers import answer, says
from app.api.caching import describe_planned_cache
from app.api.conversations import ConversationId
from app.api.looking import AskedLook
from app.api.negotiation import JSON, offers
from app.domain.composition import budget_of, price_tokens
from app.domain.inclusion import SHARE_OF_BUDGET
from app.runs.tool_looks import SeenMode, SeenTools, look_at_tools
from app.views.tools import ConversationToolsView, ToolModeView, describe_tool_choice, describe_tool_mode

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[Depends(offers(JSON))])

LONGEST_DRAFT = 4_000

Draft = Annotated[
    str,
    Query(
        max_length=LONGEST_DRAFT, description="What is being written, or its beginning: `auto` chooses by its words."
    ),
]


@router.get(
    "/{conversation_id}/tools",
    summary="See which tools a send tells the model of",
    description="Every tool that is offered, with its size in tokens, whether it goes along and why; then what each "
    "mode would tell of, and what of the provider's prompt cache that would break. `PATCH` the conversation's "
    "`tool_mode` and `ticked_tools` to change it.",
    responses=says(ConversationToolsView, "not-found", "conflict"),
)
async def read(
    bench: Bench, owner: Owner, conversation_id: ConversationId, look: AskedLook, text: Draft = ""
) -> Response:
    return answer(_describe(await look_at_tools(bench, owner, conversation_id, look, text)))


def _describe(seen: SeenTools) -> ConversationToolsView:
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
