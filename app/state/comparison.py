"""The comparison that is open in the conversation on screen, and its replies while the dialog shows them.

await tab.send(ComparisonState.show)
await tab.send(ComparisonState.fold)         # only closes the dialog: the replies continue
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.runs.watch.screen import Screen
from app.state.tab.changes import set_changed
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.visit import VisitedState
from app.views.compare.compared import ComparedColumnsView
from app.views.reply.panels import ScreenComparisonView

FOLD_ID: Final = "compare-fold"
"""The HTML id of the button that closes the dialog with the compared replies. It is the first control of the dialog."""


class ComparisonState(VisitedState, rx.State):
    """The open comparison of the conversation on screen, and the dialog with its replies.

    - `comparison`: None while no comparison is open.
    - `shown`: the dialog is open, and shows `replies`.
    - `started`: the id of a comparison that this tab has started and whose data has not arrived yet, otherwise "". When
      the data arrives, the dialog opens automatically. It does so only once: after a reload a person opens it again.
    """

    comparison: rx.Field[ScreenComparisonView | None] = rx.field(None)
    shown: rx.Field[bool] = rx.field(default=False)
    replies: rx.Field[ComparedColumnsView | None] = rx.field(None)
    started: rx.Field[str] = rx.field("")

    @rx.event
    async def show(self) -> None:
        """Open the dialog that shows the replies side by side."""
        if self.comparison is not None:
            await self._come()
            _look(self, on=True)

    @rx.event
    async def fold(self) -> None:
        """Close the dialog with the compared replies and show the conversation. The replies continue."""
        _look(self, on=False)

    async def _end_visit(self) -> None:
        _look(self, on=False)


async def expect_replies(state: rx.State, comparison_id: str) -> None:
    """Open the dialog of this comparison, now or when its data arrives, because this tab started the comparison."""
    comparing = await state.get_state(ComparisonState)
    comparing.started = comparison_id
    await _reveal(comparing)


async def show_comparison(state: ComparisonState, screen: Screen, shown: Screen | None) -> None:
    """Copy the comparison from `screen` to `state`, if it differs from `shown`, the screen that was copied last."""
    if shown is None or screen.comparison is not shown.comparison:
        before = state.comparison
        if screen.comparison is not before:
            state.comparison = screen.comparison
        if screen.comparison is None or (before is not None and before.id != screen.comparison.id):
            _look(state, on=False)
        await _reveal(state)
    if shown is None and state.shown:  # after a reconnect, the new watcher has no replies until they are requested
        _look(state, on=True)
    elif (shown is None or screen.compared is not shown.compared) and state.replies is not screen.compared:
        state.replies = screen.compared


def clear_comparison(state: ComparisonState) -> None:
    """Remove the comparison from `state`, because the page shows another conversation. The stored one stays."""
    state.comparison, state.replies, state.shown = None, None, False


async def _reveal(state: ComparisonState) -> None:
    if state.comparison is not None and state.comparison.id == state.started:
        state.started = ""
        await state._come()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - a person has asked for it
        _look(state, on=True)


def _look(state: ComparisonState, *, on: bool) -> None:
    set_changed(state, shown=on)
    if (watcher := watcher_of(state)) is not None:
        watcher.look_at_compared(on=on)
