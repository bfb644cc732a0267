"""A summary of the older pairs that is written before a send: its progress, and its use as the checkpoint.

    async for characters in follow_summary(ctx, summary): ...

The summary belongs to the server: leaving the page does not stop it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from app.domain.errors import ConflictError
from app.domain.run.run import Canceled, Failed
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import Summary
from app.runs.send.commands import LOCAL_OWNER
from app.runs.watch.broadcast import count_characters, follow_states
from app.store.conversation.conversations import load_conversation
from app.views.usage.figures import number, plural

ADOPT_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.1
_TOLD_SECONDS: Final = 0.1


def describe_work(count: int, characters: int) -> str:
    """Describe the progress of a summary of `count` pairs.

    >>> describe_work(3, 0), describe_work(1, 1200)
    ('Summarising 3 pairs…', 'Summarising 1 pair… 1,200 characters')
    """
    written = f" {number(characters)} characters" if characters else ""
    return f"Summarising {plural(count, 'pair')}…{written}"


async def follow_summary(ctx: AppContext, conversation_id: str, summary: Summary) -> AsyncGenerator[int]:
    """Yield the number of characters written so far, until the conversation has the summary as its checkpoint.

    Raises:
        ConflictError: the summary was stopped, failed, or is empty. Nothing has changed.
    """
    clock = asyncio.get_running_loop().time
    shown_at = 0.0
    async for state, _ in follow_states(ctx, LOCAL_OWNER, summary.started.run_id):
        match state.outcome:
            case Canceled():
                raise ConflictError("The summary was stopped. Nothing has changed; your text is saved.")
            case Failed(reason):
                raise ConflictError(f"The summary failed: {reason.message} Nothing has changed; your text is saved.")
            case _:
                if clock() - shown_at >= _TOLD_SECONDS:
                    shown_at = clock()
                    yield count_characters(state.parts)
    deadline = clock() + ADOPT_SECONDS
    while clock() < deadline:
        async with ctx.store.read() as session:
            checkpoint = (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint
        if checkpoint is not None and checkpoint.position == summary.position:
            return
        await asyncio.sleep(_POLL_SECONDS)
    raise ConflictError("The summary came back empty. Nothing has changed; your text is saved.")
