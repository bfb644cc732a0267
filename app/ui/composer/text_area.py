"""The text area and what belongs to it: the buttons that send, and the line that says why a send was refused."""

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
    """Where a person writes, and sends at `most` so many characters. Its draft is kept in the browser, on its disk for
    the conversation `lasting`.

    `answers` are the results of sends, `order` what it is to do next. `busy`: a reply is running, `queued`: texts wait.
    `files` are the uploads that are kept with the draft; `attached`: there is a file, so the text may be blank.
    `schema` and `files` belong to the draft that `on_restore` gave under the id `restored`.
    `on_slash` asks for the `prompts` that "/" and a name insert, `on_prompt` is given the id of the one chosen;
    `prompts_said` is read aloud, with `{count}` for how many fit.
    `on_compare`: what is written is to be put to several models.
    `on_restore` gives the draft of a conversation when it is opened, `on_finish` that an order was carried out.
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
    on_slash: rx.EventHandler[rx.event.no_args_event_spec]
    on_prompt: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class SubmitButton(Island):
    """Sends what is written. `idle`: it is there, disabled, while nothing is written."""

    library = _FILE
    tag = "SubmitButton"
    label: rx.Var[str]
    title: rx.Var[str]
    idle: rx.Var[bool]


class DraftButton(Island):
    """An item of a menu that needs something to be written."""

    library = _FILE
    tag = "DraftButton"
    disabled: rx.Var[bool]
    on_press: rx.EventHandler[rx.event.no_args_event_spec]


class SendNotice(Island):
    """The notice about the last send: it was `refused` (the children tell the reason), or stayed in the browser
    (`unsent`), or the link is `lost`, or the text is too `long` to send.
    """

    library = _FILE
    tag = "SendNotice"
    refused: rx.Var[bool]
    lost: rx.Var[str]
    unsent: rx.Var[str]
    long: rx.Var[str]
