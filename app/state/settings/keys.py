"""Settings → Keys: every action of the reading mode with its key, which can be another one, or none.

The table of actions is `app/views/keys.py`. Only the gesture of pressing a key happens in the browser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import reflex as rx

from app.runs.library.preference_commands import read_preferences
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import current
from app.state.settings.preferences import prefer
from app.state.visit import VisitedState
from app.views.keys import ACTIONS_BY_ID, FREE_ACTIONS, KeyAction, key_name, key_of, refusal_of

_NO_KEY: Final = ("Backspace", "Delete")
"""Pressed for an action that is to have no key."""


@dataclass(frozen=True)
class KeyItem:
    """An action with its key as people write it, and its usual key if that is another one ("" if not).

    `asking`: the next key pressed is for this action. `said` is the answer to the last key pressed for it.
    """

    id: str
    name: str
    does: str
    key: str
    usual: str
    asking: bool = False
    said: str = ""


class KeysState(VisitedState, rx.State):
    """`said` answers what concerns no action in particular."""

    actions: rx.Field[tuple[KeyItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    _keys: tuple[tuple[str, str], ...] = ()

    @rx.event
    async def load(self) -> None:
        """Show every key."""
        self._keys = tuple((await read_preferences(current(), LOCAL_OWNER)).keys.items())
        await self._come()
        self._show(asking=self._asking())

    @rx.event
    async def ask(self, action_id: str) -> None:
        """Take the next key that is pressed for this action."""
        await self._come()
        self._show(asking=action_id)

    @rx.event
    async def leave(self, action_id: str) -> None:
        """Take no key for this action any more."""
        if action_id == self._asking():
            self._show()

    @rx.event
    async def press(self, action_id: str, key: str, combined: bool) -> None:
        """Give the action that asked this key. `combined`: Ctrl, Alt or Cmd was held."""
        action = ACTIONS_BY_ID.get(action_id)
        if action is None or action_id != self._asking():
            return
        if key == "Escape":
            self._show()
        elif combined is True:
            self._show("Keys with Ctrl, Alt or Cmd belong to the browser.", about=action_id, asking=action_id)
        elif key in _NO_KEY:
            await self._give(action, "")
        elif refusal := refusal_of(action, key, dict(self._keys)):
            self._show(refusal, about=action_id, asking=action_id)
        else:
            await self._give(action, key)

    @rx.event
    async def take_usual(self, action_id: str) -> None:
        """Give an action its usual key again."""
        action = ACTIONS_BY_ID.get(action_id)
        if action is None or action.fixed:
            return
        if refusal := refusal_of(action, action.key, dict(self._keys)):
            self._show(refusal, about=action_id)
        else:
            await self._give(action, action.key)

    @rx.event
    async def reset_all(self) -> None:
        """Give every action its usual key again."""
        await self._keep({})
        self.said = "All keys are the usual ones."
        self._show()

    @rx.event
    async def enter_view(self, on: bool) -> None:
        """Move to the beginning of a reply that grows higher than the screen, or stay."""
        await prefer(self, lambda known: replace(known, auto_enter_view_on_overflow=on is True))
        self.said = "Saved."
        self._show()

    async def _end_visit(self) -> None:
        self.said = ""
        if self._asking():
            self._show()

    async def _give(self, action: KeyAction, key: str) -> None:
        others = {each: own for each, own in self._keys if each != action.id}
        await self._keep(others if key == action.key else {**others, action.id: key})
        self.said = ""
        self._show(f"{key_name(key)} it is." if key else "No key any more.", about=action.id)

    async def _keep(self, keys: dict[str, str]) -> None:
        changed = await prefer(self, lambda known: replace(known, keys=keys))
        self._keys = tuple(changed.keys.items())

    def _asking(self) -> str:
        return next((item.id for item in self.actions if item.asking), "")

    def _show(self, said: str = "", *, about: str = "", asking: str = "") -> None:
        """Show every key. `said` is about the action `about`; `asking` waits for a key."""
        own = dict(self._keys)
        self.actions = tuple(
            KeyItem(
                id=action.id,
                name=action.name,
                does=action.does,
                key=key_name(key_of(action, own)),
                usual="" if key_of(action, own) == action.key else key_name(action.key),
                asking=action.id == asking,
                said=said if action.id == about else "",
            )
            for action in FREE_ACTIONS
        )
