"""What waits for the reply that runs: read, edited, moved, dropped, and let go when it is held."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.chat import ChatState
from app.state.composer.queue import QueueState
from app.state.composer.state import ComposerState
from app.state.transcript import TranscriptState
from app.ui.composer import icons
from app.ui.kit.deferred import deferred
from app.ui.kit.island import Island, island
from app.ui.kit.place_button import PlaceButton
from app.ui.kit.ticker import Ticker
from app.views.screen.beside import QueuedItemView

_QUEUE: Any = QueueState.queue
_EDITED: Any = QueueState.edited
_IDLE_MS = 1500
_EDIT = "M3 13l.7-2.9 6.9-6.9 2.2 2.2-6.9 6.9zM9.4 4.4l2.2 2.2"
_UP = "M8 12.5v-9M4.2 7.3 8 3.5l3.8 3.8"
_DOWN = "M8 3.5v9M4.2 8.7 8 12.5l3.8-3.8"
_DROP = "m4.5 4.5 7 7m0-7-7 7"


class QueuedText(Island):
    """A form with a text area for `text`, which waits. What is not finished is kept in the browser, by `draft`.

    `lasting`: it may be written to its disk. `on_leave` follows Escape and a button that resets the form.
    """

    library = island("composer/queued_text.tsx")
    tag = "QueuedText"
    draft: rx.Var[str]
    text: rx.Var[str]
    label: rx.Var[str]
    lasting: rx.Var[bool]
    on_save: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]


def waiting_texts() -> rx.Component:
    """The queue, where something waits or is edited."""
    return deferred(queue, when=(_QUEUE["items"].length() > 0) | QueueState.edited.is_not_none())


@rx.memo
def queue() -> rx.Component:
    """What it is doing, and the texts: the next one first."""
    held = _QUEUE["held"]
    return rx.el.section(
        rx.el.header(
            rx.el.p(QueueState.said, role="status"),
            rx.cond(
                QueueState.edited.is_none() & (held | QueueState.idle),
                rx.el.button(
                    rx.cond(QueueState.running, "Go on", "Send the next one"),
                    type="button",
                    on_click=[ComposerState.resume_queue, ComposerState.focus],
                    class_name="quiet",
                ),
            ),
        ),
        rx.el.ol(
            rx.cond(QueueState.lost, rx.el.li(_lost())),
            rx.foreach(_QUEUE["items"], _item),
        ),
        rx.cond(
            ~QueueState.running & ~QueueState.idle, Ticker.create(milliseconds=_IDLE_MS, on_tick=QueueState.settle)
        ),
        aria_label="Queue",
        custom_attrs={"data-held": rx.cond(held, held["reason"], None)},
        class_name="queue",
    )


def _item(item: rx.vars.ObjectVar[QueuedItemView], at: rx.vars.NumberVar[int]) -> rx.Component:
    is_last = at == _QUEUE["items"].length() - 1
    is_edited = QueueState.edited.is_not_none()
    edit = {"label": _name("Edit", at), "title": "Edit", "disabled": is_edited}
    return rx.el.li(
        rx.cond(
            _EDITED["id"] == item.id,
            _editor(),
            rx.fragment(
                rx.el.p(item.text, dir="auto", title=item.model),
                rx.cond(
                    is_last,
                    PlaceButton.create(icons.plain(_EDIT), place="queue", on_press=QueueState.edit(item.id), **edit),
                    _button("Edit", _EDIT, at, QueueState.edit(item.id), disabled=is_edited),
                ),
                rx.cond(at > 0, _button("Move up", _UP, at, QueueState.move(item.id, (at - 1).to(int)))),
                rx.cond(is_last, None, _button("Move down", _DOWN, at, QueueState.move(item.id, (at + 1).to(int)))),
                _button("Drop", _DROP, at, [QueueState.drop(item.id), ComposerState.focus]),
            ),
        ),
        key=item.id,
    )


def _editor() -> rx.Component:
    return _text(
        rx.el.div(
            rx.el.button("Cancel", type="reset", class_name="quiet"),
            rx.el.button("Save", type="submit", class_name="quiet"),
        ),
        on_save=QueueState.save,
    )


def _lost() -> rx.Component:
    """A text that was sent or dropped while it was edited: what was made of it is not lost."""
    return rx.el.div(
        rx.el.p("It was sent or dropped meanwhile.", role="alert"),
        _text(
            rx.el.div(
                rx.el.button("Let it be", type="reset", class_name="quiet"),
                rx.el.button("Put it into the message box", type="submit", class_name="quiet"),
            ),
            on_save=QueueState.take_out,
        ),
        class_name="queue-edit",
    )


def _text(*children: rx.Component, on_save: Any) -> rx.Component:
    return QueuedText.create(
        *children,
        draft=_EDITED["id"],
        text=_EDITED["text"],
        label="Queued message",
        lasting=~ChatState.temporary & (ChatState.opened == TranscriptState.conversation),
        on_save=on_save,
        on_leave=QueueState.leave,
        class_name="queue-edit",
    )


def _button(name: str, path: str, at: rx.vars.NumberVar[int], on_click: Any, **props: Any) -> rx.Component:
    return rx.el.button(
        icons.plain(path), type="button", aria_label=_name(name, at), title=name, on_click=on_click, **props
    )


def _name(name: str, at: rx.vars.NumberVar[int]) -> rx.Var[str]:
    return rx.Var.create(f"{name} queued message {at + 1}")
