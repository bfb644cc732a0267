"""Whether what a control or a key asked for is done. The page holds the keys that are pressed until then.

    await tab.send(BranchState.ask_fork, pair_id="p1")
    await tab.send(AnsweredState.tell_answered, opening=7)   # the page sends this right behind
    tab.shows(AnsweredState, "answered")                     # 7, once the fork is made or refused

A handler that goes on in another event calls `begin_work`. The last event calls `end_work`, whatever comes of it.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inputs import whole_in

MAX_OPENING: Final = 2**31


class AnsweredState(rx.State):
    """`answered` is the page's number of what it asked for last: that has been done, or was refused."""

    answered: rx.Field[int] = rx.field(0)
    _asked: int = 0
    _works: int = 0

    @rx.event
    async def tell_answered(self, opening: int) -> None:
        """Tell the page that the event before this one has been done, also one that failed."""
        number = whole_in(opening)
        if number is not None and 0 < number < MAX_OPENING:
            self._asked = number
            self._tell()

    def _tell(self) -> None:
        if not self._works:
            self.answered = self._asked


async def begin_work(state: rx.State) -> None:
    """Say that another event goes on with what was asked for. In the handler that the page calls."""
    answered = await state.get_state(AnsweredState)
    answered._works += 1  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def end_work(state: rx.State) -> None:
    """Say that this is over. In a background handler: inside `async with self`, after it has led elsewhere."""
    answered = await state.get_state(AnsweredState)
    answered._works = max(0, answered._works - 1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    answered._tell()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
