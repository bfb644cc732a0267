"""The estimate and the price of the first message, before its conversation exists."""

from __future__ import annotations

from app.domain.errors import InviewError
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import NewConversation, compose_first
from app.runs.uploads import load_attached
from app.runs.watch.context import show_context
from app.runs.workbench import current
from app.views.screen.context import ContextView


async def estimate_first(
    new: NewConversation, draft: str, look: ViewOptions, schema: str, files: tuple[str, ...]
) -> ContextView | None:
    """Estimate the first message. None: it cannot be sent like this, and Send will say why."""
    try:
        attached = await load_attached(current(), LOCAL_OWNER, files)
        composed = await compose_first(
            current(), LOCAL_OWNER, new, draft, look, schema=schema or None, attached=attached.parts
        )
    except InviewError:
        return None
    return show_context(composed, look.topic)
