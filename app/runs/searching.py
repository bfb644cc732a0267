"""The tool `search_conversations`: a model finds what was said in one's other conversations.

    wb.toolbox.register((search_tool(wb.store),))

{"query": "tariff"} → the conversations that have these words, the one changed last first, with where they stand. It
only reads, and only what the owner of the reply could read; what lies in the trash is not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.domain.conversation import ConversationKind, Role
from app.domain.parts import Text
from app.domain.tools import BUILT_IN, Caller, Tool, ToolOutcome
from app.store.conversations import Listed, Wanted, list_conversations
from app.store.database import Store
from app.store.searching import FoundMessage, find_words
from app.tools.terms import Progress
from app.tools.toolbox import BuiltIn

USUAL_LIMIT: Final = 5
MOST_LOOKED_AT: Final = 100
"""Messages that are looked at for excerpts."""
MOST_EXCERPTS: Final = 3
"""Of one conversation."""
AROUND: Final = 120
"""Characters told before and after the words."""

SEARCH: Final = Tool(
    name="search_conversations",
    server_id=BUILT_IN,
    server_name="Inview",
    tool_name="search_conversations",
    title="Search conversations",
    description="Finds the person's other conversations that have some words in their title or text, with excerpts.",
    input_schema_json=(
        '{"additionalProperties":false,"properties":{"limit":{"description":"Conversations at most; 5 when left out.",'
        '"maximum":20,"minimum":1,"type":"integer"},"query":{"description":"The words, as they stand in the text.",'
        '"maxLength":200,"minLength":1,"type":"string"}},"required":["query"],"type":"object"}'
    ),
    read_only=True,
)


def search_tool(store: Store) -> BuiltIn:
    """The tool, reading this store."""

    async def call(caller: Caller, arguments: Mapping[str, Any], _progress: Progress) -> ToolOutcome:
        query, limit = str(arguments["query"]).strip(), int(arguments.get("limit", USUAL_LIMIT))
        if not query:
            return ToolOutcome((Text("There are no words to look for. Say which."),), is_error=True)
        wanted = Wanted(kind=ConversationKind.AGENT, text=query)
        async with store.read() as session:
            listed = await list_conversations(session, caller.owner, limit=limit + 1, wanted=wanted)
            listed = tuple(one for one in listed if one.conversation.id != caller.conversation_id)[:limit]
            ids = [one.conversation.id for one in listed]
            found = await find_words(session, ids, query, limit=MOST_LOOKED_AT)
        if not listed:
            return ToolOutcome((Text(f"No other conversation has “{query}” in its title or text."),))
        return ToolOutcome((Text("\n\n".join(_describe(one, found, query) for one in listed)),))

    return BuiltIn(SEARCH, call)


def _describe(listed: Listed, found: tuple[FoundMessage, ...], query: str) -> str:
    conversation = listed.conversation
    title = conversation.title or listed.opening.strip()[:AROUND] or "Untitled"
    lines = [f"“{title}” (/c/{conversation.id}, last changed {conversation.updated_at:%Y-%m-%d})"]
    here = [message for message in found if message.conversation_id == conversation.id]
    for message in here[:MOST_EXCERPTS]:
        who = "request" if message.role is Role.USER else "reply"
        lines.append(f"- pair {message.position}, {who}: {_excerpt(message.text, query)}")
    return "\n".join(lines)


def _excerpt(text: str, query: str) -> str:
    """What stands around the words, on one line."""
    place = max(0, text.lower().find(query.lower()))
    first, last = max(0, place - AROUND), place + len(query) + AROUND
    cut = " ".join(text[first:last].split())
    return f"{'… ' if first else ''}{cut}{' …' if last < len(text) else ''}"
