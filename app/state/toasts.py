"""Toasts: what was just done, in a line, with an Undo.

Not for faults of forms, which are shown at the form, not for what no handler foresaw (`shell/notice.py`), and not which
thing is taken back by a key (`shell/undo.py`).

    await show_toast(self, "Deleted the agent “Scout”", undo=AgentState.restore("a1"))
    await show_fault(self, error)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.runs.process.ids import new_id, now
from app.state.answered import begin_work, end_work
from app.state.faults import describe_fault

MAX_UNDOS: Final = 50


@dataclass(frozen=True)
class Toast:
    """`undo`: an Undo is offered. `offer`: words of the button for the next step, "" for no button. `at`: ISO 8601.

    Each has its `id`, so that two equal messages are both shown.
    """

    id: str
    message: str
    at: str
    fault: bool = False
    undo: bool = False
    offer: str = ""


@dataclass(frozen=True)
class Offer:
    """Next step that a toast offers in addition to Undo: the words of its button, and the event that it sends."""

    label: str
    event: EventSpec


@dataclass(frozen=True)
class Undo:
    """What takes the thing back that the toast `id` told of."""

    id: str
    message: str
    event: EventSpec


class ToastState(rx.State):
    """`toast` is the one shown; the browser lets it go after some seconds."""

    toast: rx.Field[Toast | None] = rx.field(None)
    _undos: tuple[Undo, ...] = ()
    _undone: str = ""
    _offered: Offer | None = None
    _expected: bool = False

    @rx.event
    async def dismiss(self, toast_id: str) -> None:
        """Take the toast away, unless another is shown by now."""
        if self.toast is not None and self.toast.id == toast_id:
            self.toast = None

    @rx.event
    async def take_offer(self, toast_id: str) -> EventSpec | None:
        """Do what the toast offers, and close it. A toast that is no longer shown offers nothing."""
        offered, self._offered = self._offered, None
        if self.toast is None or self.toast.id != toast_id or offered is None:
            return None
        self.toast = None
        return offered.event

    @rx.event
    async def undo(self, toast_id: str) -> rx.event.EventType[()] | None:
        """Take back what that toast told of. What was taken back already changes nothing."""
        found = next((each for each in self._undos if each.id == toast_id), None)
        if found is None:
            return None
        self._undos = tuple(each for each in self._undos if each is not found)
        self._undone = found.message
        await begin_work(self)
        return [found.event, ToastState.confirm_undo]

    @rx.event
    async def confirm_undo(self) -> None:
        """Say what was taken back. Follows the event that did it."""
        await end_work(self)
        if self._undone:
            self._show(f"Undone: {self._undone}")
            self._undone = ""

    def _show(
        self, message: str, undo: EventSpec | None = None, offer: Offer | None = None, *, fault: bool = False
    ) -> None:
        if fault:
            self._undone = ""  # what could not be taken back is not said to be
        self._expected = False
        label = "" if offer is None else offer.label
        toast = Toast(new_id(), message, now().isoformat(), fault, undo is not None, label)
        self._offered = offer
        if undo is not None:
            self._undos = (*self._undos, Undo(toast.id, message, undo))[-MAX_UNDOS:]
        self.toast = toast


async def expect_toast(state: rx.State) -> None:
    """Say that a background handler is about to show a toast: taking the last thing back waits for that."""
    toasts = await state.get_state(ToastState)
    toasts._expected = True  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def is_toast_expected(state: rx.State) -> bool:
    """Whether something is being done whose toast is not there yet."""
    return (await state.get_state(ToastState))._expected  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def last_undo(state: rx.State) -> str:
    """The toast of what was done last in this tab and can be taken back, "" if there is none."""
    undos = (await state.get_state(ToastState))._undos  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    return undos[-1].id if undos else ""


async def forget_toasts(state: rx.State) -> None:
    """Take the toast away, and offer no Undo of what was done so far."""
    toasts = await state.get_state(ToastState)
    toasts.toast, toasts._undos = None, ()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def show_toast(
    state: rx.State, message: str, *, undo: EventSpec | None = None, offer: Offer | None = None
) -> None:
    """Say what was done. `undo` is the event that takes it back. In a background handler: inside `async with self`."""
    toasts = await state.get_state(ToastState)
    toasts._show(message, undo, offer)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def show_fault(state: rx.State, fault: InviewError | str) -> None:
    """Say what went wrong."""
    toasts = await state.get_state(ToastState)
    message = describe_fault(fault) if isinstance(fault, InviewError) else fault
    toasts._show(message, fault=True)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
