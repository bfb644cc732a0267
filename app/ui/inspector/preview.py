"""The section Request of the inspector: the request that Send would make now, as text and as JSON.

A third tab shows its differences from the last request.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.inspector.preview import PreviewState
from app.state.reply.edit import EditState
from app.state.transcript.transcript import TranscriptState
from app.ui.inspector.json import HashCheck, body_figure, is_whole
from app.ui.inspector.pieces import changes, fact, facts, message, piece
from app.ui.kit.containers.current import Current
from app.ui.kit.controls.copy_button import copy_button
from app.ui.kit.controls.provider_link import with_provider_link
from app.ui.kit.keys.tabs import Tabs, tab
from app.views.inspector.request import PieceView

_TABS = {"readable": "Readable", "json": "JSON", "changes": "Changes"}
_REQUEST = PreviewState.request


@rx.memo
def preview_panel() -> rx.Component:
    """Draw the section Request: its tabs, and the content of the open tab.

    Without a request, draw an error or a note that the request is being built.
    """
    return rx.cond(
        PreviewState.fault != "",
        _fault(),
        rx.cond(
            _REQUEST.is_not_none() & (PreviewState.conversation == TranscriptState.conversation),
            Current.create(_tabs(), _panel(), edition=PreviewState.edition, old=PreviewState.stale),
            rx.el.p("Building the request…", role="status", class_name="inspector-note"),
        ),
    )


@rx.memo
def preview_message(item: rx.vars.ObjectVar[PieceView], rest: rx.RestProp) -> rx.Component:
    """Draw a message of the previewed request."""
    return message(item, rest, PreviewState.open_piece)


def _fault() -> rx.Component:
    return rx.el.div(
        _models(),
        rx.el.p(with_provider_link(PreviewState.fault), role="alert", class_name="inspector-fault"),
        rx.el.button("Try again", type="button", on_click=PreviewState.refresh, class_name="quiet"),
        class_name="inspector-body",
    )


def _tabs() -> rx.Component:
    return Tabs.create(
        *(
            tab(
                text,
                chosen=PreviewState.tab == name,
                on_click=PreviewState.choose_tab(name),
                id=f"preview-tab-{name}",
                aria_controls="preview-panel",
            )
            for name, text in _TABS.items()
        ),
        rx.cond(
            PreviewState.large & (PreviewState.stale | PreviewState.busy),
            rx.cond(
                PreviewState.busy,
                rx.el.span("Building the request…", role="status", class_name="tabs-stale"),
                rx.el.button("Changed. Refresh", type="button", on_click=PreviewState.refresh, class_name="tabs-stale"),
            ),
            # This is no live region: a screen reader would read it aloud after every typed letter.
            rx.el.span("Updating…", class_name="updating"),
        ),
        rx.el.span("Without your text: it is too large to send at once.", role="status", class_name="oversize"),
        label="Request",
        class_name="tabs",
    )


def _panel() -> rx.Component:
    return rx.el.div(
        _models(),
        rx.match(
            PreviewState.tab,
            ("json", _json()),
            ("changes", _changes()),
            rx.fragment(_notes(), _summary(), _readable()),
        ),
        id="preview-panel",
        role="tabpanel",
        aria_labelledby=f"preview-tab-{PreviewState.tab}",
        tab_index=0,
        class_name="inspector-body",
    )


def _notes() -> rx.Component:
    """Draw a note if there is no message yet, if a reply is running, and if a pair is being edited."""
    return rx.fragment(
        rx.cond(
            (TranscriptState.conversation == "") & (_REQUEST.messages.length() == 0),
            _note("Write a message: while you type, this shows the exact request. Nothing is sent."),
        ),
        rx.cond(
            TranscriptState.running != "",
            _note("A reply is running. A message that you send now waits until it ends, and then includes that reply."),
        ),
        rx.cond(
            (EditState.pair != "") & (EditState.conversation == TranscriptState.conversation),
            _note("This is the request of the message box. The open edit is not part of it."),
        ),
    )


def _models() -> rx.Component:
    """Draw the menu of the models that get the next message; nothing if it goes to one model."""
    return rx.cond(
        (ComposerState.compared != "") & (PreviewState.models.length() > 0),
        rx.el.div(
            rx.el.label(
                "Request to ",
                rx.el.select(
                    rx.foreach(PreviewState.models, lambda one: rx.el.option(one.name, value=one.model)),
                    value=PreviewState.model,
                    on_change=PreviewState.choose_model,
                ),
            ),
            rx.el.p("Each of these models gets its own request."),
            class_name="preview-models",
        ),
    )


def _note(text: str) -> rx.Component:
    return rx.el.p(text, role="status", class_name="inspector-note")


def _summary() -> rx.Component:
    return rx.el.dl(
        fact("Model", rx.el.span(_REQUEST.model_name, title=_REQUEST.model.to(str))),
        fact("To", _REQUEST.target),
        fact("Pairs", _REQUEST.pairs),
        fact("Size", _REQUEST.size),
        class_name="facts",
    )


def _readable() -> rx.Component:
    return rx.el.div(
        _list("Not supported by this model", "This model does not accept", _REQUEST.unsupported, "unsupported"),
        _list("Replaced by marks", "Redacted: replaced by a mark", _REQUEST.redacted, "left-out"),
        _list("In view but not sent", "In view, not sent", _REQUEST.left_out, "left-out"),
        rx.cond(_REQUEST.system.is_not_none(), piece(_REQUEST.system.to(PieceView), PreviewState.open_piece)),
        rx.el.h3(_REQUEST.count),
        rx.cond(
            _REQUEST.earlier != "",
            rx.el.button(_REQUEST.earlier, type="button", on_click=PreviewState.show_earlier, class_name="quiet"),
        ),
        rx.el.ol(
            rx.foreach(_REQUEST.messages, lambda item: preview_message(item=item, key=item.key)),
            class_name="messages",
        ),
        rx.cond(
            _REQUEST.tools_count != "",
            rx.fragment(
                rx.el.h3(_REQUEST.tools_count),
                rx.foreach(_REQUEST.tools, lambda item: piece(item, PreviewState.open_piece)),
            ),
        ),
        rx.cond(
            _REQUEST.parameters.length() > 0,
            rx.fragment(rx.el.h3("Parameters"), facts(_REQUEST.parameters)),
        ),
        rx.cond(
            _REQUEST.headers_count != "",
            rx.el.details(
                rx.el.summary(
                    rx.el.span("Headers", class_name="role"), rx.el.span(_REQUEST.headers_count, class_name="gist")
                ),
                facts(_REQUEST.headers),
                class_name="piece",
            ),
        ),
        class_name="readable",
    )


def _list(label: str, title: str, lines: rx.Var[Any], class_name: str) -> rx.Component:
    rows = lines.to(tuple[str, ...])
    return rx.cond(
        rows.length() > 0,
        rx.el.section(rx.el.h3(title), rx.el.ul(rx.foreach(rows, rx.el.li)), aria_label=label, class_name=class_name),
    )


def _json() -> rx.Component:
    body = PreviewState.body
    return rx.cond(
        body.is_not_none(),
        rx.fragment(
            rx.el.dl(
                fact("Content hash", _hash(_REQUEST.content_hash, "Copy the content hash")),
                fact("Body SHA-256", _hash(_REQUEST.body_sha256, "Copy the body's hash")),
                fact(
                    "Body",
                    _REQUEST.body_size,
                    " ",
                    rx.cond(
                        is_whole(body),
                        HashCheck.create(
                            text=body.page.text,
                            expected=_REQUEST.body_sha256,
                            same="Hash recomputed here: it matches.",
                            other="The recomputed hash differs.",
                        ),
                    ),
                ),
                class_name="facts",
            ),
            body_figure(body, PreviewState.show_page),
        ),
        rx.el.p("Formatting the JSON…", role="status", class_name="inspector-note"),
    )


def _hash(value: rx.Var[str], label: str) -> rx.Component:
    return rx.fragment(rx.el.code(value.to(str)[:16], "…", title=value), " ", copy_button(value, label=label))


def _changes() -> rx.Component:
    return rx.cond(
        PreviewState.changes.is_not_none(),
        changes(PreviewState.changes, preview_message),
        rx.el.p(
            rx.cond(PreviewState.changes_note != "", PreviewState.changes_note, "Loading the last request…"),
            role="status",
            class_name="inspector-note",
        ),
    )
