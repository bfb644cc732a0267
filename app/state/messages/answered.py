"""Reports to the page that an action, started by a control or a key, is done.

Until this report arrives, the page holds back the keys that a person presses.

    await tab.send(BranchState.ask_fork, pair_id="p1")
    await tab.send(AnsweredState.tell_answered, opening=7)   # the page sends this right after it
    tab.shows(AnsweredState, "answered")                     # 7, once the fork is made or refused

A handler whose work continues in another event calls `begin_work`. The handler of the last such event calls `end_work`,
also if it fails.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.tab.inputs import whole_in

MAX_OPENING: Final = 2**31


class AnsweredState(rx.State):
    """The report to the page that an action is done or was refused.

    `answered` is the number that the page gave to the latest such action.
    """

    answered: rx.Field[int] = rx.field(0)
    _opening: int = 0
    _works: int = 0

    @rx.event
    async def tell_answered(self, opening: int) -> None:
        """Report that the previous event is done, even if it failed. The page gave the event the number `opening`."""
        number = whole_in(opening)
        if number is not None and 0 < number < MAX_OPENING:
            self._opening = number
            self._report()

    def _report(self) -> None:
        if not self._works:
            self.answered = self._opening


async def begin_work(state: rx.State) -> None:
    """Postpone the report to the page that the current action is done, because another event continues the action.

    `end_work` sends the report. The handler that the page calls must call `begin_work` before it ends.
    """
    answered = await state.get_state(AnsweredState)
    answered._works += 1  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def end_work(state: rx.State) -> None:
    """Report to the page that an action is done. `begin_work` has postponed this report.

    A background handler calls this inside `async with self`, after any redirect.
    """
    answered = await state.get_state(AnsweredState)
    answered._works = max(0, answered._works - 1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    answered._report()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
