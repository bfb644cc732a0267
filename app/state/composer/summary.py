"""A summary of the older pairs that is written before a send: its progress, and its use as the checkpoint.

    class ComposerState(SummaryBeforeSend, rx.State):
        ...

    async for characters in follow_summary(ctx, conversation_id, summary): ...

The summary belongs to the server: leaving the page does not stop it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

import reflex as rx

from app.domain.errors import ConflictError
from app.domain.run.run import Canceled, Failed
from app.runs.app_context import AppContext, context_for, current
from app.runs.child_calls.summaries import Summary, summarise
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import read_queue, request_of_queued
from app.runs.send.stopping import cancel_run
from app.runs.watch.broadcast import count_reply_characters, follow_states
from app.state.composer.sending import Draft
from app.state.composer.views import SummaryWorkView
from app.state.tab.address import conversation_in
from app.store.conversation.conversations import load_conversation
from app.views.usage.figures import number, plural

ADOPT_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.1
_TOLD_SECONDS: Final = 0.1


class SummaryBeforeSend(rx.State, mixin=True):
    """The part of the composer's state that is about the summary before a send.

    - `work`: the progress of the summary that is written before the send.
    """

    work: rx.Field[SummaryWorkView | None] = rx.field(None)
    _summary_runs: tuple[tuple[str, str], ...] = ()  # conversations with the run of the summary before a send

    @rx.event(background=True)
    async def stop_summary(self) -> None:
        """Stop the summary that is written before the send."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            run_id = dict(self._summary_runs).get(conversation_id)
        if run_id is not None:
            await cancel_run(await context_for(current(), conversation_id), LOCAL_OWNER, run_id)

    async def _write_summary(self, draft: Draft) -> None:
        """Summarise the older pairs for the send of this draft, and show the progress. For background handlers.

        Raises:
            InviewError: the summary was refused, stopped, failed, or is empty.
        """
        target, options = draft.conversation_id, draft.options
        ctx = await context_for(current(), target)
        if draft.waited:
            (item, *_) = (await read_queue(ctx, LOCAL_OWNER, target)).items or (None,)
            options = options if item is None else request_of_queued(item).options
        summary = await summarise(ctx, LOCAL_OWNER, target, options, draft.text, draft.older)
        async with self:
            self._note_summary(draft, summary.started.run_id)
            self._show_work(draft, describe_work(summary.count, 0))
        async for characters in follow_summary(ctx, target, summary):
            async with self:
                self._show_work(draft, describe_work(summary.count, characters))

    def _show_work(self, draft: Draft, message: str) -> None:
        """Show the progress of the summary before a send, unless another page is open by now."""
        if draft.is_of_page(self.router.url.path):
            self.work = SummaryWorkView(message)

    def _end_work(self, draft: Draft, path: str) -> None:
        """Remove the progress of the summary before this send. The progress of a summary in another conversation stays.

        `path` is the path of the last page with a composer; the settings, for example, have none.
        """
        self._note_summary(draft, None)
        if conversation_in(path) == draft.conversation_id:
            self.work = None

    def _note_summary(self, draft: Draft, run_id: str | None) -> None:
        """Note the run of the summary before this send; None: it has ended."""
        others = tuple(each for each in self._summary_runs if each[0] != draft.conversation_id)
        self._summary_runs = others if run_id is None else (*others, (draft.conversation_id, run_id))


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
                    yield count_reply_characters(state.parts)
    deadline = clock() + ADOPT_SECONDS
    while clock() < deadline:
        async with ctx.store.read() as session:
            checkpoint = (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint
        if checkpoint is not None and checkpoint.position == summary.position:
            return
        await asyncio.sleep(_POLL_SECONDS)
    raise ConflictError("The summary came back empty. Nothing has changed; your text is saved.")
