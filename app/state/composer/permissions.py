"""Commands for pending permission requests: edit the arguments of the call, limit a rule to some arguments, answer.

    await tab.send(PermissionsState.choose, request_id="r1", answer="allow")
    await tab.send(PermissionsState.answer, form={"request": "r1"})

The server stores the requests. They arrive with the watcher's screen (`show_permissions`), so they survive a reload.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError, InviewError
from app.domain.tools.permissions import ArgumentPattern
from app.runs.app_context import context_for, current
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permission_commands import PermissionChoice, answer_permission
from app.runs.watch.screen import Screen
from app.state.comparison import FOLD_ID, ComparisonState
from app.state.composer.message_box import make_order
from app.state.composer.permission_cards import PermissionCard, list_cards, list_faults, read_edited
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.messages.toasts import show_fault
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in

BOUND: Final = "bound "
"""The beginning of the name of a field for a pattern. The name of the argument follows."""
MAX_ARGUMENTS: Final = 1_000_000
MAX_PATTERN: Final = 10_000
_RULES: Final = {
    PermissionChoice.ALLOW_CONVERSATION,
    PermissionChoice.ALWAYS_ALLOW_AGENT,
    PermissionChoice.ALWAYS_ALLOW,
}


class PermissionsState(rx.State):
    """The pending permission requests of the conversation on screen, as `cards`, the oldest first."""

    cards: rx.Field[tuple[PermissionCard, ...]] = rx.field(())
    _chosen: tuple[str, PermissionChoice] | None = None
    _by_pointer: bool = False

    @rx.event
    async def toggle_edit(self, request_id: str) -> None:
        """Start to edit the arguments of a tool call, or end the edit and discard it."""
        if (card := self._find(request_id)) is not None:
            self._put(replace(card, editing=not card.editing, faults=()))

    @rx.event
    async def toggle_bounds(self, request_id: str) -> None:
        """Show or hide the fields for patterns of a tool call's arguments.

        A rule that the answer creates applies only to arguments that match these patterns.
        """
        if (card := self._find(request_id)) is not None and card.bounds:
            self._put(replace(card, bounding=not card.bounding, faults=()))

    @rx.event
    async def note_pointer(self) -> None:
        """Note that a button was pressed with a pointer: the next answer then does not count as given by keyboard."""
        self._by_pointer = True

    @rx.event
    async def choose(self, request_id: str, answer: str) -> None:
        """Store the answer whose button was pressed on a card.

        Then the browser submits the card's form to `answer`, which uses the stored answer.
        """
        card = self._find(request_id)
        known = next((each for each in PermissionChoice if each == answer), None)
        self._chosen = None if card is None or known is None else (card.id, known)

    @rx.event
    async def answer(self, form: dict[str, Any]) -> rx.event.EventSpec | None:
        """Answer the permission request that the form names, with the answer that `choose` stored.

        The other values of the form are the edited arguments and the patterns of a rule.
        """
        chosen, self._chosen = self._chosen, None
        by_key, self._by_pointer = not self._by_pointer, False
        card = self._find(form.get("request"))
        if card is None or chosen is None or chosen[0] != card.id:
            return None
        try:
            await self._answer(card, chosen[1], form)
        except InputError as fault:
            self._put(replace(card, faults=list_faults(fault)))
        except InviewError as fault:
            await show_fault(self, fault)
        else:
            self.cards = tuple(each for each in self.cards if each.id != card.id)
            return await self._go_on() if by_key else None
        return None

    async def _answer(self, card: PermissionCard, answer: PermissionChoice, form: dict[str, Any]) -> None:
        edited = None
        if card.editing and answer is not PermissionChoice.DENY:
            text = text_in(form.get("arguments"), MAX_ARGUMENTS)
            if text is None:
                raise InputError("arguments", f"are at most {MAX_ARGUMENTS:,} characters.")
            edited = read_edited(text)
        only_if: tuple[ArgumentPattern, ...] = ()
        if card.bounding and answer in _RULES:
            only_if = tuple(ArgumentPattern(each.name, _pattern_in(form, each.name)) for each in card.bounds)
        ctx = await context_for(current(), conversation_in(self.router.url.path))
        await answer_permission(ctx, LOCAL_OWNER, card.id, answer, edited=edited, only_if=only_if)

    async def _go_on(self) -> rx.event.EventSpec | None:
        """After an answer by keyboard, focus the next call, or else the open comparison, or else the message box."""
        if self.cards:
            first, *others = self.cards
            self.cards = (replace(first, leads=True), *(replace(each, leads=False) for each in others))
            return None
        if (await self.get_state(ComparisonState)).shown:
            return rx.set_focus(FOLD_ID)
        composer = await self.get_state(ComposerState)
        composer.order = make_order(OrderKind.FOCUS, "")
        return None

    def _find(self, request_id: object) -> PermissionCard | None:
        return next((card for card in self.cards if card.id == request_id), None)

    def _put(self, changed: PermissionCard) -> None:
        self.cards = tuple(changed if card.id == changed.id else card for card in self.cards)


def show_permissions(state: PermissionsState, screen: Screen, shown: Screen | None) -> None:
    """Copy the pending permission requests from `screen` to `state`, if they differ from those in `shown`.

    `shown` is the screen that was copied last. Edits in progress stay.
    """
    same = shown is not None and screen.permissions is shown.permissions and screen.comparison is shown.comparison
    if same:
        return
    before = {card.id: card for card in state.cards}
    cards = list_cards(screen.permissions, screen.comparison, now())
    state.cards = tuple(
        replace(card, editing=old.editing, bounding=old.bounding, faults=old.faults, leads=old.leads)
        if (old := before.get(card.id)) is not None
        else card
        for card in cards
    )


def clear_permissions(state: PermissionsState) -> None:
    """Remove the pending permission requests from `state`, because the page shows another conversation.

    Their tool calls continue to wait for an answer.
    """
    state.cards = ()


def _pattern_in(form: dict[str, Any], name: str) -> str:
    pattern = text_in(form.get(f"{BOUND}{name}"), MAX_PATTERN)
    if pattern is None:
        raise InputError("only_if", f"A pattern is at most {MAX_PATTERN:,} characters.")
    return pattern
