"""The log of a conversation: its calls for titles and summaries, and its accounting nodes.

An accounting node is written when messages are removed, and has the usage up to then.
"""

from __future__ import annotations

from app.runs.app_context import AppContext
from app.runs.usage.prices import learn_tariffs
from app.store.conversation.child_calls import load_child_calls
from app.store.conversation.conversations import load_conversation
from app.store.conversation.nodes import load_accounting
from app.views.inspector.log import LogView, show_log


async def read_log(ctx: AppContext, owner: str, conversation_id: str) -> LogView:
    """Return the newest entries of a conversation's log.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        accounting = await load_accounting(session, owner, conversation_id)
        children = await load_child_calls(session, owner, conversation_id)
    models = {call.made.model for call in children if call.made is not None}
    tariffs = await learn_tariffs(ctx, owner, models)
    return show_log(accounting, children, tariffs, ctx.catalogue.names_of(owner, models))
