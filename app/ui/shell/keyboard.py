"""The handling of keys on the page, and the bar above the composer. Its events are in `app/state/shell/keyboard.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import reflex as rx

from app.state.filters.sheet import SheetState
from app.state.inspector.frame import SECTIONS
from app.state.messages.answered import AnsweredState
from app.state.settings.preferences import OwnKey, PreferencesState
from app.state.shell.keyboard import FIRST_SENT, PAGE_EVENTS, PAIR_EVENTS, KeyboardState
from app.ui.kit.island import Island, island
from app.ui.kit.keys.place import Place
from app.ui.shell.openers import OPENERS
from app.views.shortcuts.shortcuts import ACTIONS, KeyAction, Mode

_OPENERS: Final = frozenset({"topic", "delete", "summarise", "help", "help_anywhere", "edit", "regenerate"})
_PLACES: Final[Mapping[str, Place]] = {
    "to_input": Place.COMPOSER,
    "leave_input": Place.KEYS,
    "leave_command": Place.HISTORY,
}
_ENDS: Final = frozenset({"fork", "new_conversation"})  # after these actions, the person will write a message
_SENT: Final = frozenset({*PAIR_EVENTS, *PAGE_EVENTS, FIRST_SENT})


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """A key and its effect, for the browser.

    - `mode`: the part of the page where the key acts.
    - `fixed`: a person cannot change the key.
    - `place`: the action that the browser performs; None: it performs none.
    - `sends`: the server performs the action.
    - `pair`: the action needs the pair at the cursor ("must"), uses it if there is one ("some"), or ignores it
      ("none").
    - `opens`: the action opens a dialog or a form; keys that are pressed before it appears are passed to it.
    - `inspector`: the action shows or hides a section of the inspector, so the key also acts in the inspector.
    - `ends`: the action turns single keys off.
    """

    action: str
    key: str
    mode: Mode
    fixed: bool
    place: Place | None
    pair: Literal["none", "some", "must"]
    sends: bool
    opens: bool
    inspector: bool
    ends: bool


def bind(action: KeyAction) -> KeyBinding | None:
    """Return the key binding of an action, or None if another part of the page handles its key."""
    here = Place(action.id) if action.mode is Mode.VIEW and action.id in set(Place) else None
    place = _PLACES.get(action.id, here)
    if place is None and action.id not in _SENT:
        return None
    about_pair = action.id in PAIR_EVENTS or place is Place.COPY
    return KeyBinding(
        action=action.id,
        key=action.key,
        mode=action.mode,
        fixed=action.fixed,
        place=place,
        pair="must" if about_pair else "some" if action.id == "summarise" else "none",
        sends=action.id in _SENT,
        opens=action.id in _OPENERS,
        inspector=action.id in SECTIONS,
        ends=action.id in _ENDS,
    )


BINDINGS: Final = tuple(filter(None, map(bind, ACTIONS)))


def _performed(
    action: rx.Var[str], pair_id: rx.Var[str], opening: rx.Var[int]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[int]]:
    return action, pair_id, opening


class Keyboard(Island):
    """An invisible component that handles the keys of the page.

    - `own`: the keys that the person chose instead of those in `bindings`.
    - `known`: `own` is loaded.
    - `openers`: the names of the events by which a button or a link opens a dialog or a form, or leads to another
      conversation.

    After such an event, or after a key that opens a dialog or a form, a person types for the new dialog, form or page.
    So the browser gives each opening a number, and holds the next keys until the new element has the focus, at most
    until `answered` is this number.

    - `answered`: the newest number that the server has handled.
    - `on_perform`: gets the action of a key, the id of the pair at the cursor ("" for none), and the number (0: the
      action opens nothing).
    - `on_ask`: gets the number when an event of `openers` is sent.
    """

    library = island("shell/keyboard.tsx")
    tag = "Keyboard"
    bindings: rx.Var[tuple[KeyBinding, ...]]
    own: rx.Var[tuple[OwnKey, ...]]
    known: rx.Var[bool]
    openers: rx.Var[tuple[str, ...]]
    answered: rx.Var[int]
    on_perform: rx.EventHandler[_performed]
    on_ask: rx.EventHandler[rx.event.passthrough_event_spec(int)]


def keyboard() -> rx.Component:
    """Create the component that handles the keys. Each page has exactly one."""
    return Keyboard.create(
        bindings=BINDINGS,
        own=PreferencesState.preferred.own_keys,
        known=PreferencesState.loaded,
        openers=OPENERS,
        answered=AnsweredState.answered,
        on_perform=KeyboardState.perform,
        on_ask=AnsweredState.tell_answered,
    )


def keys_bar() -> rx.Component:
    """Draw the bar that shows some keys. The stylesheet shows it while single keys are on."""
    return rx.el.div(
        rx.el.p("Keys: ", PreferencesState.preferred.key_hints, " · Esc\u00a0back", role="status"),
        rx.el.button("All shortcuts", type="button", title="Show all shortcuts (F1)", on_click=SheetState.show("keys")),
        class_name="keys-bar",
    )
