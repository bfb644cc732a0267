"""Warming up: what the next send in a conversation needs is made ready while a person reads or types.

    warm(wb, owner, conversation_id)        # returns at once

Without it the first send after a start would read and hash the whole history between Enter and the provider. It gives
way to everything else, stores nothing, and a send that comes earlier simply does the work itself.
"""

from __future__ import annotations

import asyncio

import structlog

from app.domain.conversation import Parameters
from app.domain.errors import InviewError
from app.runs.catalogue import DEFAULT_MODEL
from app.runs.sending import build_view, plan_send
from app.runs.workbench import Workbench
from app.store.conversations import load_with_revision

log = structlog.get_logger()

DELAY_SECONDS = 0.3
"""What was opened is shown first."""
PAUSE_SECONDS = 0.02
"""Between two batches of pairs: the loop is left to others more than half of the time."""


def warm(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Begin to make ready what a send in this conversation needs, unless that is under way."""
    if conversation_id in wb.warming:
        return
    task = asyncio.create_task(_warm(wb, owner, conversation_id), name=f"warming of {conversation_id}")
    wb.warming[conversation_id] = task
    task.add_done_callback(lambda _: wb.warming.pop(conversation_id))


async def _warm(wb: Workbench, owner: str, conversation_id: str) -> None:
    await asyncio.sleep(DELAY_SECONDS)
    try:
        async with wb.store.read() as session:
            conversation, revision = await load_with_revision(session, owner, conversation_id)
            model = conversation.model or DEFAULT_MODEL
            provider, profile = await wb.catalogue.find(session, owner, model)
            history = await wb.histories.load(session, owner, conversation_id, revision, pause=PAUSE_SECONDS)
        view = build_view(conversation, history.pairs, (), Parameters())
        plan = await plan_send(view, profile, provider, history.hashed)
        if provider.ready:
            await wb.engine.transport.warm(provider)
    except InviewError as error:  # whoever sends will be told; nobody has asked for anything yet
        log.debug("a conversation was not made ready for sending", conversation_id=conversation_id, fault=str(error))
    else:
        wb.histories.remember(conversation_id, plan.hashed)
