"""The tool `search_conversations`: a model searches the person's other conversations.

    ctx.toolbox.register((search_tool(ctx.store),))

The input {"query": "night tariff"} returns the conversations that contain these words, best match first, with excerpts.
The tool only reads, and only the conversations of the owner of the reply. It does not search the trash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.parts import Text
from app.domain.text.search import Search, parse_search
from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolOutcome
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import ListCriteria
from app.store.database.database import Store
from app.store.index.search import Found, load_found, load_places, search
from app.store.settings.preferences import load_preferences
from app.tools.mcp.connection_terms import Progress
from app.tools.toolbox import BuiltIn

USUAL_LIMIT: Final = 5
MAX_OF_TITLE: Final = 120
"""Maximum length, in characters, of the beginning of a conversation that is shown instead of a missing title."""

SEARCH: Final = Tool(
    name="search_conversations",
    server_id=BUILT_IN,
    server_name="Inview",
    tool_name="search_conversations",
    title="Search conversations",
    description="Finds the person's other conversations that have some words in their title or in one pair, with "
    "excerpts.",
    input_schema_json=(
        '{"additionalProperties":false,"properties":{"limit":{"description":"Conversations at most; 5 when left out.",'
        '"maximum":20,"minimum":1,"type":"integer"},"query":{"description":"Words that all occur in one title or in '
        'one pair; night* for the beginning of a word, \\"the night\\" for a phrase.",'
        '"maxLength":200,"minLength":1,"type":"string"}},"required":["query"],"type":"object"}'
    ),
    read_only=True,
)


def search_tool(store: Store) -> BuiltIn:
    """Return the tool `search_conversations`, bound to this store."""

    async def call(caller: Caller, arguments: Mapping[str, Any], _progress: Progress) -> ToolOutcome:
        query, limit = str(arguments["query"]).strip(), int(arguments.get("limit", USUAL_LIMIT))
        if not query:
            return ToolOutcome((Text("The query is empty. Give the words to search for."),), is_error=True)
        criteria, looked_for = ListCriteria(kind=ConversationKind.AGENT), parse_search(query)
        async with store.read() as session:
            places = (await search(session, caller.owner, criteria, looked_for)).places
            others = [place for place in places if place.conversation_id != caller.conversation_id][:limit]
            found = await load_found(session, caller.owner, looked_for, others)
            redact = await _redacts(session, caller)
            descriptions = [await _describe(session, caller.owner, one, looked_for, redact=redact) for one in found]
        if not descriptions:
            return ToolOutcome((Text(f"No other conversation has “{query}” in its title or text."),))
        return ToolOutcome((Text("\n\n".join(descriptions)),))

    return BuiltIn(SEARCH, call)


async def _redacts(session: AsyncSession, caller: Caller) -> bool:
    """Return True if secrets are replaced in the requests of the conversation that the caller answers."""
    usual = (await load_preferences(session, caller.owner)).redact
    if not caller.conversation_id:
        return usual
    chosen = (await load_conversation(session, caller.owner, caller.conversation_id)).middleware.redaction
    return usual if chosen is None else chosen


async def _describe(session: AsyncSession, owner: str, found: Found, looked_for: Search, *, redact: bool) -> str:
    """Describe a conversation with excerpts.

    `redact`: without the beginning of the conversation, which the list cut without regard to secrets.
    """
    conversation = found.listed.conversation
    opening = "" if redact else found.listed.opening.strip()[:MAX_OF_TITLE]
    title = conversation.title or opening or "Untitled"
    lines = [f"“{title}” (/c/{conversation.id}, last changed {conversation.updated_at:%Y-%m-%d})"]
    places = await load_places(session, owner, conversation.id, looked_for, redact=redact)
    return "\n".join([*lines, *(f"- pair {place.position}: {place.text}" for place in places)])
