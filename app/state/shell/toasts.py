"""Toasts: what was just done, in a line, with an Undo. Undone are the last things first, as in an editor.

Not for faults of forms, which are shown at the form, and not for what no handler foresaw (`notice.py`).

    await show_toast(self, "Deleted the agent “Scout”", undo=AgentState.restore("a1"))
    await show_fault(self, error)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.runs.ids import new_id, now

MAX_UNDOS: Final = 50


@dataclass(frozen=True)
class Toast:
    """`undo`: an Undo is offered. `at`: ISO. Each has its `id`, so that two equal messages are both shown."""

    id: str
    message: str
    at: str
    fault: bool = False
    undo: bool = False


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

    @rx.event
    async def dismiss(self, toast_id: str) -> None:
        """Take the toast away, unless another is shown by now."""
        if self.toast is not None and self.toast.id == toast_id:
            self.toast = None

    @rx.event
    async def undo(self, toast_id: str) -> rx.event.EventType[()] | None:
        """Take back what that toast told of. What was taken back already changes nothing."""
        found = next((each for each in self._undos if each.id == toast_id), None)
        if found is None:
            return None
        self._undos = tuple(each for each in self._undos if each is not found)
        self._undone = found.message
        return [found.event, ToastState.confirm_undo]

    @rx.event
    async def undo_last(self) -> rx.event.EventType[()] | None:
        """Take back what was done last in this tab."""
        if self._undos:
            return await self.undo(self._undos[-1].id)
        self._show("There is nothing to take back.")
        return None

    @rx.event
    async def confirm_undo(self) -> None:
        """Say what was taken back. Follows the event that did it."""
        if self._undone:
            self._show(f"Taken back: {self._undone}")
            self._undone = ""

    def _show(self, message: str, undo: EventSpec | None = None, *, fault: bool = False) -> None:
        if fault:
            self._undone = ""  # what could not be taken back is not said to be
        toast = Toast(new_id(), message, now().isoformat(), fault, undo is not None)
        if undo is not None:
            self._undos = (*self._undos, Undo(toast.id, message, undo))[-MAX_UNDOS:]
        self.toast = toast


async def show_toast(state: rx.State, message: str, *, undo: EventSpec | None = None) -> None:
    """Say what was done. `undo` is the event that takes it back. In a background handler: inside `async with self`."""
    toasts = await state.get_state(ToastState)
    toasts._show(message, undo)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def show_fault(state: rx.State, fault: InviewError | str) -> None:
    """Say what went wrong."""
    toasts = await state.get_state(ToastState)
    toasts._show(str(fault), fault=True)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
