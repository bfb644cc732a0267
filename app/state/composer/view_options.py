"""The view options of the conversation on screen: the filter, the model and the time that ages refer to."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import reflex as rx

from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.send.context_selection import ViewOptions
from app.state.conversation.model import ModelState
from app.state.filters.applied import FilterState
from app.state.tab.tab_watchers import watcher_of


async def options_of(state: rx.State, conversation_id: str) -> ViewOptions:
    """Return the view options of the conversation on screen. A send with these options includes the pairs in view."""
    filters, models = await state.get_state(FilterState), await state.get_state(ModelState)
    watcher = watcher_of(state)
    context = watcher.screen.context if watcher is not None and watcher.conversation_id == conversation_id else None
    model = models.chosen if models.chosen_in == conversation_id else ""
    if not conversation_id:
        model = model or models.remembered or DEFAULT_MODEL
    options = replace(filters.view_options, model=model or None, as_of=None)
    if context is None:
        return options
    return replace(
        options, filter=context.filter, as_of=datetime.fromisoformat(context.as_of) if context.as_of else None
    )
