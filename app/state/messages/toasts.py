"""Toasts: a toast is one line about a completed action or an error, and may have an Undo.

Errors of forms are shown at the form, unexpected errors by `shell/notice.py`. Undo with the keyboard is in
`app/state/undo/undo.py`.

    await show_toast(self, "Deleted the agent “Scout”", undo=Undo(AgentState.restore("a1")))
    await show_fault(self, error)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.runs.runtime.ids import new_id, now
from app.state.messages.answered import begin_work, end_work
from app.state.messages.error_messages import describe_fault

MAX_UNDOS: Final = 50


@dataclass(frozen=True)
class Toast:
    """A toast. `id` is its own id, so that two equal messages are both shown.

    - `undo`: it has an Undo button.
    - `offer`: the text of the button for a next step, "" for none.
    - `at`: its time (ISO 8601).
    - `fault`: it is about an error.
    """

    id: str
    message: str
    at: str
    fault: bool = False
    undo: bool = False
    offer: str = ""


@dataclass(frozen=True)
class ToastAction:
    """The next step that a toast offers in addition to Undo: the text of its button, and the event of this button."""

    label: str
    event: EventSpec


@dataclass(frozen=True)
class Undo:
    """The way to undo the action of a toast: the `event` that undoes it.

    - `undone`: the text about the action in the message after the undo; "": the text of the toast.
    - `deleted`: the id of the conversation or of the oldest pair that the action moved to the trash, "" for none.
    """

    event: EventSpec
    undone: str = ""
    deleted: str = ""


class ToastState(rx.State):
    """The toast of the page. `toast` is the current one, or None. The browser removes it after some seconds."""

    toast: rx.Field[Toast | None] = rx.field(None)
    _undos: tuple[tuple[str, Undo], ...] = ()  # the way to undo each action, with the id of its toast
    _undone: str = ""
    _offered: ToastAction | None = None
    _expected: bool = False

    @rx.event
    async def dismiss(self, toast_id: str) -> None:
        """Remove this toast, unless another one has already replaced it."""
        if self.toast is not None and self.toast.id == toast_id:
            self.toast = None

    @rx.event
    async def take_offer(self, toast_id: str) -> EventSpec | None:
        """Carry out the next step that this toast offers, and close the toast.

        If the toast is no longer shown, nothing happens.
        """
        offered, self._offered = self._offered, None
        if self.toast is None or self.toast.id != toast_id or offered is None:
            return None
        self.toast = None
        return offered.event

    @rx.event
    async def undo(self, toast_id: str) -> rx.event.EventType[()] | None:
        """Undo the action of this toast. If it was undone already, nothing happens."""
        found = next((undo for shown_id, undo in self._undos if shown_id == toast_id), None)
        if found is None:
            return None
        self._undos = tuple(each for each in self._undos if each[0] != toast_id)
        self._undone = found.undone
        await begin_work(self)
        return [found.event, ToastState.confirm_undo]

    @rx.event
    async def confirm_undo(self) -> None:
        """Show a toast that names the undone action. Runs after the event that undid it."""
        await end_work(self)
        if self._undone:
            self._show(describe_undone(self._undone))
            self._undone = ""

    def _show(
        self, message: str, undo: Undo | None = None, offer: ToastAction | None = None, *, fault: bool = False
    ) -> None:
        if fault:
            self._undone = ""  # the undo failed, so no toast reports it as done
        self._expected = False
        label = "" if offer is None else offer.label
        toast = Toast(new_id(), message, now().isoformat(), fault, undo is not None, label)
        self._offered = offer
        if undo is not None:
            kept = replace(undo, undone=undo.undone or message)
            self._undos = (*self._undos, (toast.id, kept))[-MAX_UNDOS:]
        self.toast = toast

    def _withdraw(self, is_outdated: Callable[[Undo], bool]) -> None:
        withdrawn = {toast_id for toast_id, undo in self._undos if is_outdated(undo)}
        self._undos = tuple(each for each in self._undos if each[0] not in withdrawn)
        if self.toast is not None and self.toast.id in withdrawn:
            self.toast = None


def describe_undone(action: str) -> str:
    """Return a message which says that an action was undone. `action` is the text that describes the action.

    >>> describe_undone("The summary was changed."), describe_undone("pair 1, 2 stars")
    ('Undone: the summary was changed', 'Undone: pair 1, 2 stars')
    """
    text = action.removesuffix(".")
    return f"Undone: {text[:1].lower()}{text[1:]}"


async def expect_toast(state: rx.State) -> None:
    """Announce that a background handler will show a toast, so that the Undo key waits for this toast."""
    toasts = await state.get_state(ToastState)
    toasts._expected = True  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def is_toast_expected(state: rx.State) -> bool:
    """Return True if an action is running whose toast has not been shown yet."""
    return (await state.get_state(ToastState))._expected  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def last_undo(state: rx.State) -> str:
    """Return the id of the toast about the last action in this tab that can be undone; "" if there is none."""
    undos = (await state.get_state(ToastState))._undos  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    return undos[-1][0] if undos else ""


async def forget_toasts(state: rx.State) -> None:
    """Remove the toast, and every Undo of earlier actions."""
    toasts = await state.get_state(ToastState)
    toasts.toast, toasts._undos = None, ()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def withdraw_undo(state: rx.State, entry_id: str) -> None:
    """Remove the toast and the Undo of a deletion, because its entry is no longer in the trash.

    If `entry_id` is "", do this for every deletion.
    """
    toasts = await state.get_state(ToastState)
    toasts._withdraw(lambda undo: bool(undo.deleted) and entry_id in {"", undo.deleted})  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def show_toast(
    state: rx.State, message: str, *, undo: Undo | None = None, offer: ToastAction | None = None
) -> None:
    """Show a toast about an action. `undo` is the way to undo the action, `offer` a next step.

    A background handler calls this inside `async with self`.
    """
    toasts = await state.get_state(ToastState)
    toasts._show(message, undo, offer)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def show_fault(state: rx.State, fault: InviewError | str) -> None:
    """Show a toast about an error."""
    toasts = await state.get_state(ToastState)
    message = describe_fault(fault) if isinstance(fault, InviewError) else fault
    toasts._show(message, fault=True)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
