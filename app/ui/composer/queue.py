"""The queue above the composer: texts that wait for the running reply, with buttons to edit, move and remove each."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.queue import QueueState
from app.state.composer.state import ComposerState
from app.state.composer.views import QueueRow
from app.ui.kit.clock.ticker import Ticker
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.controls.icon import icon
from app.ui.kit.controls.provider_link import with_provider_link
from app.ui.kit.keys.form_keys import FormKeys
from app.ui.kit.keys.place import Place
from app.ui.kit.keys.place_button import PlaceButton

_QUEUE: Any = QueueState.queue
_EDITED: Any = QueueState.edited
_IDLE_MS = 1500
_KEEP_MS = 300
_EDIT = "M3 13l.7-2.9 6.9-6.9 2.2 2.2-6.9 6.9zM9.4 4.4l2.2 2.2"
_UP = "M8 12.5v-9M4.2 7.3 8 3.5l3.8 3.8"
_DOWN = "M8 3.5v9M4.2 8.7 8 12.5l3.8-3.8"
_DROP = "m4.5 4.5 7 7m0-7-7 7"


def waiting_texts() -> rx.Component:
    """Draw the queue; nothing if no text waits and none is edited."""
    return deferred(queue, when=QueueState.rows.length() > 0)


@rx.memo
def queue() -> rx.Component:
    """Draw the status of the queue, a button that resumes a held queue, and the texts, the next one first."""
    held = _QUEUE["held"]
    return rx.el.section(
        rx.el.header(
            rx.el.p(with_provider_link(QueueState.said), role="status"),
            rx.cond(
                QueueState.edited.is_none() & (held | QueueState.idle),
                rx.el.button(
                    rx.cond(QueueState.running, "Resume", "Send next"),
                    type="button",
                    on_click=[ComposerState.resume_queue, ComposerState.focus],
                    class_name="quiet",
                ),
            ),
        ),
        rx.el.ol(rx.foreach(QueueState.rows, _row)),
        rx.cond(
            ~QueueState.running & ~QueueState.idle, Ticker.create(milliseconds=_IDLE_MS, on_tick=QueueState.settle)
        ),
        aria_label="Queue",
        custom_attrs={"data-held": rx.cond(held, held["reason"], None)},
        class_name="queue",
    )


def _row(row: rx.vars.ObjectVar[QueueRow]) -> rx.Component:
    number: Any = row.number
    is_edited = QueueState.edited.is_not_none()
    return rx.el.li(
        rx.cond(
            _EDITED["id"] == row.id,
            _editor(),
            rx.fragment(
                rx.el.p(row.text, dir="auto", title=row.model_name),
                rx.cond(row.files != "", rx.el.span(row.files, class_name="queue-files")),
                rx.cond(row.asked != "", rx.el.span(row.asked, title=row.asked, class_name="queue-files queue-asked")),
                rx.cond(
                    row.last,
                    PlaceButton.create(
                        icon(_EDIT),
                        place=Place.QUEUE,
                        label=_name("Edit", number),
                        title="Edit",
                        disabled=is_edited,
                        on_press=QueueState.edit(row.id),
                    ),
                    _button("Edit", _EDIT, number, QueueState.edit(row.id), disabled=is_edited),
                ),
                rx.cond(number > 1, _button("Move up", _UP, number, QueueState.move(row.id, number - 2))),
                rx.cond(row.last, None, _button("Move down", _DOWN, number, QueueState.move(row.id, number))),
                _button("Remove", _DROP, number, [QueueState.drop(row.id), ComposerState.focus]),
            ),
        ),
        key=row.id,
    )


def _editor() -> rx.Component:
    """Draw the editor of a text. It stays open if the text is sent or removed meanwhile, so that no edit is lost."""
    lost = QueueState.lost
    return rx.el.div(
        rx.cond(lost, rx.el.p("This message was already sent or removed.", role="alert")),
        FormKeys.create(
            rx.el.form(
                rx.el.textarea(
                    name="text",
                    default_value=QueueState.draft,
                    rows=2,
                    auto_focus=True,
                    aria_label="Queued message",
                    on_change=QueueState.write.debounce(_KEEP_MS),
                ),
                rx.el.div(
                    rx.el.button(
                        rx.cond(lost | QueueState.changed, "Discard", "Cancel"),
                        type="button",
                        on_click=QueueState.leave,
                        class_name="quiet",
                    ),
                    rx.el.button(rx.cond(lost, "Move to message box", "Save"), type="submit", class_name="quiet"),
                ),
                on_submit=QueueState.save,
            ),
            enter=~lost,
            edit=QueueState.edit_id,
            on_escape=QueueState.leave,
        ),
        class_name="queue-edit",
    )


def _button(name: str, path: str, number: Any, on_click: Any, **props: Any) -> rx.Component:
    return rx.el.button(
        icon(path), type="button", aria_label=_name(name, number), title=name, on_click=on_click, **props
    )


def _name(name: str, number: Any) -> rx.Var[str]:
    return rx.Var.create(f"{name} queued message {number}")
