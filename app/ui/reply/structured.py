"""A reply that was asked to fit a JSON schema: as a table or a tree while it comes, with its faults pointed out."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.reply.structured import StructuredState
from app.ui.kit.island import Island, island
from app.ui.reply.markdown import markdown
from app.views.screen.structured import FaultPlaceView, ReadReplyView

ReadVar = rx.vars.ObjectVar[ReadReplyView]

_EMPTY: Final = "nothing in it"
_MORE: Final = "and {count} more: see the source"


class JsonTree(Island):
    """A JSON text as tables and lists, called `label`. `empty` names what is empty, `more` the `{count}` left out."""

    library = island("reply/json_tree.tsx")
    tag = "JsonTree"
    value: rx.Var[str]
    faults: rx.Var[tuple[FaultPlaceView, ...]]
    label: rx.Var[str]
    empty: rx.Var[str]
    more: rx.Var[str]


@rx.memo
def structured_reply(
    pair_id: rx.Var[str],
    version: rx.Var[int],
    live: rx.Var[bool],
    text: rx.Var[str],
    read: rx.vars.ObjectVar[ReadReplyView],
) -> rx.Component:
    """The last `text` of a pair's structured reply, and what was read of it. `live`: it still grows."""
    source = StructuredState.sources.contains(pair_id)
    written = markdown(text.to(str), key=version.to_string(), live=live)
    return rx.el.section(
        rx.el.header(
            rx.el.p(
                rx.cond(read, read.state, "Reading…"),
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
            aria_label="What does not fit",
            class_name="structured-faults",
        ),
    )


def _tree(read: ReadVar) -> rx.Component:
    return JsonTree.create(
        value=read.value.to(str),
        faults=read.faults.to(tuple[FaultPlaceView, ...]),
        label="The value",
        empty=_EMPTY,
        more=_MORE,
    )


def _repair(read: ReadVar) -> rx.Component:
    return rx.el.p(
        rx.el.button(
            "Ask for a repair…", type="button", on_click=ComposerState.put(read.repair.to(str), read.schema.to(str))
        ),
        rx.el.span("Puts the faults into the composer, to be read and sent."),
        class_name="structured-repair",
    )
