"""The text area, the buttons that send its text, and the line with the reason why a send was refused."""

from __future__ import annotations

import reflex as rx

from app.state.composer.views import BoxOrder, PromptRow, SendAnswer
from app.ui.kit.island import Island, island

_FILE = island("composer/text_area.tsx")


def _send(
    send_id: rx.Var[str], text: rx.Var[str], order_id: rx.Var[str]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[str]]:
    return send_id, text, order_id


def _write(
    draft: rx.Var[str], typed: rx.Var[bool], edition: rx.Var[int]
) -> tuple[rx.Var[str], rx.Var[bool], rx.Var[int]]:
    return draft, typed, edition


def _restore(
    draft: rx.Var[str], schema: rx.Var[str], files: rx.Var[str], edition: rx.Var[int], restore_id: rx.Var[int]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[str], rx.Var[int], rx.Var[int]]:
    return draft, schema, files, edition, restore_id


class TextArea(Island):
    """The text area for a message of at most `most` characters. The browser stores its text as the draft.

    The draft:

    - `lasting`: the id of the conversation whose draft is stored on disk; other drafts are only in memory.
    - `files`: the ids of the draft's uploads.
    - `schema`: its JSON schema.
    - `on_restore`: sends the stored draft to the server when a conversation is opened.
    - `restored`: the number of the last `on_restore` that the server has handled. `files` and `schema` belong to the
      draft of that event.
    - `attached`: a file is attached, so the text may be blank.

    The send:

    - `busy`: a reply is running.
    - `queued`: the queue has texts.
    - `answers`: the results of the newest sends.
    - `order`: an instruction for the text area, such as to insert a text.
    - `on_finish`: reports that the instruction was carried out.
    - `on_compare`: the user wants to send the text to several models.
    - `on_empty`: the same, but there is nothing to send.

    Prompts. A person can insert a prompt of a server by "/" and its name:

    - `on_slash`: requests the list `prompts`.
    - `on_prompt`: sends the id of the chosen prompt.
    - `prompts_said`: read aloud by screen readers. `{count}` in it becomes the number of prompts that match.
    """

    library = _FILE
    tag = "TextArea"
    label: rx.Var[str]
    placeholder: rx.Var[str]
    most: rx.Var[int]
    schema: rx.Var[str]
    files: rx.Var[str]
    restored: rx.Var[int]
    attached: rx.Var[bool]
    lasting: rx.Var[str | None]
    answers: rx.Var[tuple[SendAnswer, ...]]
    order: rx.Var[BoxOrder | None]
    busy: rx.Var[bool]
    queued: rx.Var[bool]
    prompts: rx.Var[tuple[PromptRow, ...]]
    prompts_label: rx.Var[str]
    prompts_said: rx.Var[str]
    on_send: rx.EventHandler[_send]
    on_write: rx.EventHandler[_write]
    on_restore: rx.EventHandler[_restore]
    on_finish: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_preview: rx.EventHandler[rx.event.no_args_event_spec]
    on_compare: rx.EventHandler[rx.event.no_args_event_spec]
    on_empty: rx.EventHandler[rx.event.no_args_event_spec]
    on_slash: rx.EventHandler[rx.event.no_args_event_spec]
    on_prompt: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class SubmitButton(Island):
    """A button that sends the text. While the text area is empty, it is disabled if `idle`, otherwise hidden.

    It is also disabled until the moment `until`, "" for none. `until` and `now` are as in `Countdown`.
    """

    library = _FILE
    tag = "SubmitButton"
    label: rx.Var[str]
    title: rx.Var[str]
    idle: rx.Var[bool]
    until: rx.Var[str] | None = None
    now: rx.Var[str] | None = None


class DraftButton(Island):
    """A menu item that needs a text. `on_empty`: it was pressed while the text area is empty."""

    library = _FILE
    tag = "DraftButton"
    disabled: rx.Var[bool]
    on_press: rx.EventHandler[rx.event.no_args_event_spec]
    on_empty: rx.EventHandler[rx.event.no_args_event_spec]


class SendNotice(Island):
    """The notice about the last send or the connection; nothing if there is no problem.

    - `refused`: the server refused the send, and the children are the reason.
    - `unsent`: shown if the send could not leave the browser.
    - `lost`: shown if the connection is lost.
    - `long`: shown if the message is too long to send.
    """

    library = _FILE
    tag = "SendNotice"
    refused: rx.Var[bool]
    lost: rx.Var[str]
    unsent: rx.Var[str]
    long: rx.Var[str]
