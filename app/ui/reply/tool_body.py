"""The content of an expanded tool card: its server, arguments and result, with buttons that copy them."""

from __future__ import annotations

import reflex as rx

from app.state.reply.tool_cards import ToolCardState
from app.ui.kit.controls.copy_button import copy_button
from app.ui.kit.texts.json_figure import json_figure
from app.ui.reply.attachment import picture
from app.views.reply.tool_body import ArgumentsView, DelegatedView, ResultPieceView, ToolBodyView

BodyVar = rx.vars.ObjectVar[ToolBodyView]
PieceVar = rx.vars.ObjectVar[ResultPieceView]


@rx.memo
def tool_body(card: rx.Var[str]) -> rx.Component:
    """Draw the content of the tool card with the id `card`, once it is loaded."""
    return rx.fragment(
        rx.foreach(ToolCardState.bodies, lambda body: rx.cond(body.id == card, _body(body))),
        rx.cond(
            ToolCardState.bodies.filter(lambda body: body.id == card).length() == 0,
            rx.el.p("Loading…", class_name="tool-note"),
        ),
    )


def _body(body: BodyVar) -> rx.Component:
    return rx.el.div(
        _note(body.server),
        rx.cond(body.delegated, _delegated(body.delegated.to(DelegatedView))),
        rx.foreach(body.arguments.to(tuple[ArgumentsView, ...]), _arguments),
        rx.cond(body.fault != "", rx.el.p(body.fault, class_name="tool-fault")),
        rx.cond(body.denied, rx.el.p("You denied this call, so it was not made.", class_name="tool-note")),
        rx.cond(body.answered, _result(body)),
        rx.cond(
            body.unanswered,
            rx.el.p("The reply ended before this call returned. The call is not sent.", class_name="tool-note"),
        ),
        rx.cond(
            body.structured,
            _headed("Structured content", body.structured.to(ResultPieceView), "Copy the structured content"),
        ),
        rx.cond(body.download != "", _download(body.download.to(str))),
        class_name="tool-body",
    )


def _note(text: rx.Var[str]) -> rx.Component:
    return rx.cond(text != "", rx.el.p(text, class_name="tool-note"))


def _delegated(work: rx.vars.ObjectVar[DelegatedView]) -> rx.Component:
    return rx.el.p(
        rx.el.a(work.text, href="/c/" + work.conversation_id.to(str), class_name="tool-place"),
        work.cost,
        class_name="tool-note",
    )


def _arguments(arguments: rx.vars.ObjectVar[ArgumentsView]) -> rx.Component:
    return rx.cond(
        arguments.piece,
        _headed(arguments.title, arguments.piece.to(ResultPieceView), "Copy the arguments"),
        rx.el.p("Without arguments.", class_name="tool-note"),
    )


def _headed(title: rx.Var[str] | str, piece: PieceVar, label: str) -> rx.Component:
    """Draw a piece under its title, with a copy button called `label`.

    The button is next to the title or, for JSON, in the frame of the JSON.
    """
    is_copied = (piece.kind == "text") & (piece.text != "")
    return rx.fragment(
        rx.el.header(rx.el.h4(title), rx.cond(is_copied, copy_button(piece.text.to(str), label=label))),
        _words(piece, label),
    )


def _result(body: BodyVar) -> rx.Component:
    pieces = body.pieces.to(tuple[ResultPieceView, ...])
    return rx.el.section(
        rx.el.header(
            rx.el.h4(rx.cond(body.denied, "Sent to the model", rx.cond(body.failed, "Error", "Result"))),
            rx.cond(body.copied != "", copy_button(body.copied.to(str), label="Copy the result")),
        ),
        rx.cond(body.whole, rx.el.p("Full result. The model received only the beginning.", class_name="tool-note")),
        rx.foreach(pieces, _piece),
        rx.cond(pieces.length() == 0, rx.el.p("No result.", class_name="tool-note")),
        aria_label=rx.cond(
            body.denied, "Sent to the model", rx.cond(body.failed, "Error of the tool", "Result of the tool")
        ),
        data_error=rx.cond(body.failed, "true", None),
        class_name="tool-result",
    )


def _piece(piece: PieceVar) -> rx.Component:
    return rx.fragment(
        rx.match(
            piece.kind,
            ("image", _image(piece)),
            ("file", _file(piece)),
            _words(piece, "Copy this result"),
        )
    )


def _words(piece: PieceVar, label: str) -> rx.Component:
    """Draw JSON with indentation and a button called `label` that copies it; draw any other text unchanged."""
    return rx.cond(piece.kind == "json", json_figure(piece.text.to(str), label), _text(piece))


def _text(piece: PieceVar) -> rx.Component:
    whole = ToolCardState.whole.contains(piece.id)
    return rx.fragment(
        rx.el.pre(rx.cond(whole, piece.text, piece.start), dir="auto", class_name="tool-text"),
        rx.cond(
            piece.more != "",
            rx.el.button(
                rx.cond(whole, "Show less", piece.more),
                type="button",
                aria_expanded=whole,
                on_click=ToolCardState.toggle_piece(piece.id),
                class_name="quiet",
            ),
        ),
    )


def _image(piece: PieceVar) -> rx.Component:
    return picture(piece.address.to(str), "Picture from the tool", piece.width.to(int), piece.height.to(int))


def _file(piece: PieceVar) -> rx.Component:
    return rx.el.p(
        rx.el.a(
            rx.cond(piece.name != "", piece.name, "File"),
            href=piece.address,
            download=piece.name,
            custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
            class_name="tool-file",
        ),
        " ",
        rx.el.span(piece.media_type, class_name="tool-note"),
    )


def _download(address: rx.Var[str]) -> rx.Component:
    return rx.el.p(
        rx.el.a(
            "Download the call records",
            href=address,
            download="",
            custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
            class_name="tool-file",
        ),
        class_name="tool-note",
    )
