"""The request of a pair, and the text area that replaces it during an edit. Enter sends the edited request.

Markdown in the text is formatted. A button shows the sent text.
"""

from __future__ import annotations

import reflex as rx

from app.state.reply.edit import EditState
from app.state.reply.request_text import RequestTextState
from app.state.reply.resend import ResendState
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.island import Island, island
from app.ui.kit.texts.folded_text import folded_text
from app.ui.kit.vars import PairVar
from app.ui.reply.attachment import attachments
from app.ui.reply.markdown import markdown
from app.ui.reply.stop import stop
from app.views.attachments.attachment import ScreenAttachment
from app.views.reply.pair import ScreenPairView
from app.views.reply.request_form import RequestForm

_TELL_MS = 80


def _edit_and_text(edit: rx.Var[str], text: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return edit, text


class EditKeys(Island):
    """An element around the text area of an edited request. It handles the keys, the focus and the stored text.

    - `edit`: the id of the edit, which each event passes with the text.
    - `kept_as`: the name under which the browser stores the text; "": the text is not stored.
    - `asked`: the text area takes the focus.
    - `on_write`: sent when the text area appears, so that the server gets a text that was stored.
    - `on_escape`: sent when Escape is pressed.
    - `on_leave`: sent when the text area disappears.
    """

    library = island("reply/edit_keys.tsx")
    tag = "EditKeys"
    edit: rx.Var[str]
    kept_as: rx.Var[str]
    asked: rx.Var[bool]
    on_write: rx.EventHandler[_edit_and_text]
    on_escape: rx.EventHandler[_edit_and_text]
    on_leave: rx.EventHandler[_edit_and_text]


@rx.memo
def request(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component:
    """Draw the request of a pair with its attachments or, while it is edited, the form of the edit."""
    return rx.cond(
        EditState.pair == pair.id,
        rx.fragment(edit_form(position=pair.position), key=EditState.edit),
        rx.el.div(
            rx.cond(pair.user_text != "", _text(pair)),
            rx.cond(pair.unread, rx.el.p("This request cannot be read.", class_name="italic text-muted")),
            attachments(pair.attached.to(tuple[ScreenAttachment, ...])),
            **stop(pair, "Request", "request"),
            class_name="request",
        ),
    )


def _text(pair: PairVar) -> rx.Component:
    """Draw the text of the request and, if it has Markdown, the button that shows it in the other form."""
    text = pair.user_text.to(str)
    as_sent = folded_text(text, class_name="request-text")
    formatted = rx.el.div(markdown(text, key=pair.version.to_string()), class_name="request-formatted")
    is_formatted = (pair.form == RequestForm.FORMATTED.value) != RequestTextState.turned.contains(pair.id)
    return rx.cond(
        pair.form == RequestForm.PLAIN.value,
        as_sent,
        rx.fragment(
            rx.cond(
                is_formatted,
                boundary(formatted, what="This request", text=text, again=pair.version.to_string()),
                as_sent,
            ),
            rx.el.button(
                rx.cond(is_formatted, "Show as sent", "Show formatted"),
                type="button",
                on_click=RequestTextState.turn(pair.id),
                class_name="show-more request-turn",
            ),
        ),
    )


@rx.memo
def edit_form(position: rx.Var[int]) -> rx.Component:
    """Draw the form of an edit: the text area with its buttons. `position` is the position of the pair."""
    name = f"pair {position}"
    return EditKeys.create(
        rx.el.form(
            rx.el.textarea(
                name="text",
                default_value=EditState.text,
                rows=1,
                dir="auto",
                auto_complete="off",
                enter_key_submit=True,
                read_only=EditState.busy,
                on_change=lambda text: EditState.write(EditState.edit, text).debounce(_TELL_MS),
                on_blur=lambda text: EditState.write(EditState.edit, text),
                aria_label=f"Request of {name}",
                data_part="request",
            ),
            rx.cond(EditState.fault != "", rx.el.p(EditState.fault, role="alert", class_name="edit-fault")),
            rx.el.div(
                rx.el.p(rx.cond(EditState.busy, "Sending…", "Sent with the pairs in view above it.")),
                rx.el.button("Cancel", type="button", title="Cancel without changes (Esc)", on_click=EditState.cancel),
                rx.el.button(
                    "Resend",
                    type="submit",
                    disabled=EditState.blank | EditState.busy,
                    title="Resend in place (Enter)",
                    class_name="loud",
                ),
                class_name="edit-buttons",
            ),
            on_submit=ResendState.send_edit,
            aria_label=f"Edit {name}",
            aria_busy=EditState.busy,
            class_name="edit-form",
        ),
        edit=EditState.edit,
        kept_as=EditState.kept_as,
        asked=EditState.asked,
        on_write=EditState.write,
        on_escape=lambda edit, text: [EditState.write(edit, text), EditState.cancel()],
        on_leave=lambda edit, text: [EditState.write(edit, text), EditState.leave()],
    )
