"""The keyboard of the page, and the badge that says its mode. What a key does is in `app/state/shell/keyboard.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import reflex as rx

from app.state.compare.choice import ComparisonChoiceState
from app.state.filters.sheet import SheetState
from app.state.inspector.frame import SECTIONS
from app.state.reply.deletion import PairDeletionState
from app.state.reply.summary import SummaryState
from app.state.settings.preferences import OwnKey, PreferencesState
from app.state.shell.keyboard import FIRST_SENT, PAGE_EVENTS, PAIR_EVENTS, KeyboardState
from app.state.toasts import ToastState
from app.state.topics.picker import TopicPickerState
from app.ui.kit.island import Island, island
from app.ui.kit.place import Place
from app.ui.phrase import phrase
from app.views.keys import ACTIONS, KeyAction, Mode

_DIALOG_MS: Final = 500
_FORM_MS: Final = 2_000  # what is typed meanwhile is not lost
_HOLDS_MS: Final = {
    **dict.fromkeys(("topic", "delete", "summarise", "help", "help_anywhere"), _DIALOG_MS),
    **dict.fromkeys(("edit", "regenerate", "palette"), _FORM_MS),
}
_PLACES: Final[Mapping[str, Place]] = {
    "to_input": Place.COMPOSER,
    "to_command": Place.FILTER,
    "leave_input": Place.HISTORY,
    "leave_command": Place.HISTORY,
}
_SENT: Final = frozenset({*PAIR_EVENTS, *PAGE_EVENTS, FIRST_SENT})


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """A key with what it calls. `place`: the browser goes there. `sends`: Python hears of it.

    `pair`: whether it is about the pair that the cursor is at. `holds_ms`: for so long what is pressed next waits for
    what it opens. `fixed`: nobody has another key for it. `beside`: it acts in the inspector too.
    """

    action: str
    key: str
    mode: Mode
    fixed: bool
    place: Place | None
    pair: Literal["none", "some", "must"]
    sends: bool
    holds_ms: int
    beside: bool


def bind(action: KeyAction) -> KeyBinding | None:
    """What the key of an action calls; None: another part of the page hears it."""
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
        holds_ms=_HOLDS_MS.get(action.id, 0),
        beside=action.id in SECTIONS,
    )


BINDINGS: Final = tuple(filter(None, map(bind, ACTIONS)))


def _performed(action: rx.Var[str], pair_id: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return action, pair_id


class Keyboard(Island):
    """Hears the keys of the page. `own` are the keys that differ from those of `bindings`, once they are `known`.

    `on_perform` has the action and the pair that the cursor is at, "" for none. When `has_dialog` or `toast` changes,
    what a key has opened is there.
    """

    library = island("shell/keyboard.tsx")
    tag = "Keyboard"
    bindings: rx.Var[tuple[KeyBinding, ...]]
    own: rx.Var[tuple[OwnKey, ...]]
    known: rx.Var[bool]
    has_dialog: rx.Var[bool]
    toast: rx.Var[str]
    on_perform: rx.EventHandler[_performed]


def keyboard() -> rx.Component:
    """Hear the keys. One on each page."""
    return Keyboard.create(
        bindings=BINDINGS,
        own=PreferencesState.preferred.own_keys,
        known=PreferencesState.loaded,
        has_dialog=SheetState.open
        | TopicPickerState.picking.bool()
        | PairDeletionState.deleting.bool()
        | ComparisonChoiceState.choosing.bool()
        | SummaryState.choice.bool(),
        toast=rx.cond(ToastState.toast, ToastState.toast.id, ""),
        on_perform=KeyboardState.perform,
    )


def mode_badge() -> rx.Component:
    """Says the mode, INPUT, VIEW or COMMAND, and opens the sheet of keys. The stylesheet shows the one that holds."""
    return rx.el.button(
        rx.el.span(f"{phrase('shell.mode')} ", class_name="unseen"),
        *(rx.el.span(mode, custom_attrs={"data-of": mode}) for mode in Mode if mode is not Mode.ANYWHERE),
        rx.el.span(phrase("shell.show_all_keys"), class_name="unseen"),
        type="button",
        title=phrase("shell.show_all_keys_f1"),
        on_click=SheetState.show("keys"),
        class_name="mode",
    )
