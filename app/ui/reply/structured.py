"""A structured reply: its JSON value as a table or a tree, which grows while the reply streams, with marked errors."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.reply.structured import StructuredState
from app.ui.reply.markdown import markdown
from app.views.structured.shown_reply import FaultPlaceView, ReadReplyView

ReadVar = rx.vars.ObjectVar[ReadReplyView]


@rx.memo
def structured_reply(
    pair_id: rx.Var[str],
    version: rx.Var[int],
    live: rx.Var[bool],
    text: rx.Var[str],
    read: rx.vars.ObjectVar[ReadReplyView],
) -> rx.Component:
    """Draw a reply that must match a JSON schema: as a tree with its errors, as its text, or both.

    `text` is the newest text of the reply, `read` is the JSON value in this text. `live`: the text may still grow. When
    `version` changes, the text is drawn from its start again.
    """
    source = StructuredState.sources.contains(pair_id)
    written = markdown(text.to(str), key=version.to_string(), live=live)
    return rx.el.section(
        rx.el.header(
            rx.el.p(
                rx.cond(read, read.state, "Loading…"),
                role="status",
                data_state=rx.cond(read, read.fit, "open"),
            ),
            rx.el.button("Source", type="button", aria_pressed=source, on_click=StructuredState.toggle_source(pair_id)),
        ),
        rx.cond(read, _faults(read)),
        rx.cond(source | (read & read.is_text), written),
        rx.cond(read & (read.value != "") & ~source, _tree(read)),
        rx.cond(read & (read.repair != ""), _repair(read)),
        aria_label="Structured reply",
        class_name="structured",
    )


def _faults(read: ReadVar) -> rx.Component:
    faults = read.faults.to(tuple[FaultPlaceView, ...])
    return rx.cond(
        faults.length() > 0,
        rx.el.ul(
            rx.foreach(faults, lambda fault: rx.el.li(rx.el.code(fault.place), " ", fault.message)),
            aria_label="Schema errors",
            class_name="structured-faults",
        ),
    )


def _tree(read: ReadVar) -> rx.Component:
    """Draw the value as a tree. If it is wide, it scrolls sideways, also by keys."""
    return rx.html(read.value.to(str), role="group", aria_label="Value", tab_index=0, class_name="json-tree")


def _repair(read: ReadVar) -> rx.Component:
    return rx.el.p(
        rx.el.button(
            "Ask for a correction…", type="button", on_click=ComposerState.put(read.repair.to(str), read.schema.to(str))
        ),
        rx.el.span("Puts a request with the errors into the message box."),
        class_name="structured-repair",
    )
