"""A summary of older pairs that is being written: shown as it goes, with a way to stop it.

    summary = await write_summary(self, conversation_id, look, draft)    # in a background handler

It belongs to the server: leaving the page does not stop it.
"""

from __future__ import annotations

import reflex as rx

from app.domain.errors import InviewError
from app.runs.commands import LOCAL_OWNER, cancel_run
from app.runs.composing import Look
from app.runs.summarising import OLDER, Extent, Summary, summarise
from app.runs.temporary import bench_of
from app.runs.workbench import current
from app.state.composer.summary import describe_work, follow_summary
from app.state.composer.views import SummaryWorkView
from app.state.shell.toasts import show_fault


class SummaryState(rx.State):
    """`work` is how far the summary is, None while none is written."""

    work: rx.Field[SummaryWorkView | None] = rx.field(None)
    _run: tuple[str, str] = ("", "")  # and its conversation

    @rx.event(background=True)
    async def stop(self) -> None:
        """Stop the summary that is being written."""
        async with self:
            run_id, conversation_id = self._run
        try:
            if run_id:
                await cancel_run(await bench_of(current(), conversation_id), LOCAL_OWNER, run_id)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)


async def write_summary(
    state: rx.State, conversation_id: str, look: Look, draft: str, extent: Extent = OLDER
) -> Summary:
    """Have pairs summarised, and show how that goes until the summary is the checkpoint. For background handlers.

    Raises:
        InviewError: it cannot be written, was stopped, or failed; nothing has changed then.
    """
    bench = await bench_of(current(), conversation_id)
    summary = await summarise(bench, LOCAL_OWNER, conversation_id, look, draft, extent)
    try:
        await _show(state, SummaryWorkView(describe_work(summary.count, 0)), summary.started.run_id, conversation_id)
        async for characters in follow_summary(bench, conversation_id, summary):
            work = SummaryWorkView(describe_work(summary.count, characters))
            await _show(state, work, summary.started.run_id, conversation_id)
    finally:
        await _show(state, None, "", "")
    return summary


async def _show(state: rx.State, work: SummaryWorkView | None, run_id: str, conversation_id: str) -> None:
    async with state:
        shown = await state.get_state(SummaryState)
        shown.work, shown._run = work, (run_id, conversation_id)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
