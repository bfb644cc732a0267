"""Settings → Keyboard shortcuts: the key of each action. The user can choose another key, or none.

The table of actions is in `app/views/shortcuts/shortcuts.py`. The browser only reports which key was pressed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import reflex as rx

from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.state.settings.preferences import prefer
from app.state.tab.visit import VisitedState
from app.views.shortcuts.shortcuts import ACTIONS_BY_ID, FREE_ACTIONS, KeyAction, key_name, key_of, refusal_of

_NO_KEY: Final = ("Backspace", "Delete")
"""The keys that remove an action's key when the user presses them."""


@dataclass(frozen=True)
class KeyItem:
    """An action with the name of its key.

    - `usual`: the default key if the user has chosen another `key`, otherwise "".
    - `asking`: the next key that the user presses becomes the key of this action.
    - `said`: the message after the last key that was pressed for this action.
    """

    id: str
    name: str
    does: str
    key: str
    usual: str
    asking: bool = False
    said: str = ""


class KeysState(VisitedState, rx.State):
    """The section Keyboard shortcuts of the settings. `said` is the message after a command that is not for one key."""

    actions: rx.Field[tuple[KeyItem, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    _keys: tuple[tuple[str, str], ...] = ()

    @rx.event
    async def load(self) -> None:
        """Read and show the key of every action."""
        self._keys = tuple((await read_preferences(current(), LOCAL_OWNER)).keys.items())
        await self._come()
        self._show(asking=self._asking())

    @rx.event
    async def ask(self, action_id: str) -> None:
        """Wait for a key: the next key that is pressed becomes the key of this action."""
        await self._come()
        self._show(asking=action_id)

    @rx.event
    async def leave(self, action_id: str) -> None:
        """Stop recording: the next key that is pressed does not become the key of this action."""
        if action_id == self._asking():
            self._show()

    @rx.event
    async def press(self, action_id: str, key: str, combined: bool) -> None:
        """Assign this key to the action that waits for it. `combined`: Ctrl, Alt or Cmd was held."""
        action = ACTIONS_BY_ID.get(action_id)
        if action is None or action_id != self._asking():
            return
        if key == "Escape":
            self._show()
        elif combined is True:
            self._show("Shortcuts with Ctrl, Alt or Cmd belong to the browser.", about=action_id, asking=action_id)
        elif key in _NO_KEY:
            await self._give(action, "")
        elif refusal := refusal_of(action, key, dict(self._keys)):
            self._show(refusal, about=action_id, asking=action_id)
        else:
            await self._give(action, key)

    @rx.event
    async def take_usual(self, action_id: str) -> None:
        """Reset the key of an action to the default."""
        action = ACTIONS_BY_ID.get(action_id)
        if action is None or action.fixed:
            return
        if refusal := refusal_of(action, action.key, dict(self._keys)):
            self._show(refusal, about=action_id)
        else:
            await self._give(action, action.key)

    @rx.event
    async def reset_all(self) -> None:
        """Reset all shortcuts to the defaults."""
        await self._keep({})
        self.said = "All keys are reset."
        self._show()

    @rx.event
    async def enter_view(self, on: bool) -> None:
        """Store whether the page moves to the beginning of a reply that becomes taller than the screen."""
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
        self._show(f"Key set to {key_name(key)}." if key else "Key removed.", about=action.id)

    async def _keep(self, keys: dict[str, str]) -> None:
        changed = await prefer(self, lambda known: replace(known, keys=keys))
        self._keys = tuple(changed.keys.items())

    def _asking(self) -> str:
        return next((item.id for item in self.actions if item.asking), "")

    def _show(self, message: str = "", *, about: str = "", asking: str = "") -> None:
        """Show the key of every action. `message` is shown at the action `about`.

        The action `asking` waits for a key.
        """
        own = dict(self._keys)
        self.actions = tuple(
            KeyItem(
                id=action.id,
                name=action.name,
                does=action.does,
                key=key_name(key_of(action, own)),
                usual="" if key_of(action, own) == action.key else key_name(action.key),
                asking=action.id == asking,
                said=message if action.id == about else "",
            )
            for action in FREE_ACTIONS
        )
