"""The content of the page of imports: the field that takes a file, what it would bring, and what it brought."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.transfer.imports import BroughtItem, FaultItem, ImportState
from app.ui import routes
from app.ui.kit.file_upload import FileUpload
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase

_TYPES: Final = ".zip,.json,application/zip,application/json"


def imports_view() -> rx.Component:
    """Everything on the page of imports."""
    return rx.cond(ImportState.view, _import(), _choose())


def _choose() -> rx.Component:
    """The field that takes a file. Until the page knows where files go to, it takes none."""
    inside = (
        rx.icon("file-up", size=22, aria_hidden="true"),
        rx.el.span(phrase("imports.drop"), class_name="import-drop-title"),
        rx.el.span(phrase("imports.formats"), class_name="import-about"),
    )
    return rx.fragment(
        rx.cond(
            ImportState.address != "",
            FileUpload.create(
                *inside,
                address=ImportState.address,
                type="application/octet-stream",
                accept=_TYPES,
                label=phrase("imports.file"),
                drop=True,
                on_begin=ImportState.follow,
                on_answer=ImportState.finish,
                class_name="import-drop",
            ),
            rx.el.div(*inside, class_name="import-drop"),
        ),
        rx.el.p(phrase("imports.how"), class_name="import-about"),
    )


def _import() -> rx.Component:
    view = ImportState.view
    return rx.el.div(
        rx.el.div(rx.el.h2(view.heading, class_name="import-heading"), role="status"),
        rx.cond(view.message != "", rx.el.p(view.message, role="alert", class_name="import-message")),
        rx.cond(
            view.moving,
            rx.el.progress(value=view.percent, max=100, aria_label=view.heading, class_name="import-progress"),
        ),
        _list(view.facts.to(list[str]), "import-facts"),
        rx.el.div(
            rx.cond(
                view.can_import,
                rx.el.button(
                    phrase("imports.import"),
                    type="button",
                    on_click=ImportState.start,
                    auto_focus=True,
                    class_name="loud",
                ),
            ),
            rx.cond(
                view.can_undo,
                rx.el.button(phrase("imports.undo"), type="button", on_click=ImportState.undo, class_name="quiet"),
            ),
            rx.cond(
                view.moving,
                None,
                rx.el.button(
                    phrase("imports.another"), type="button", on_click=ImportState.choose_again, class_name="quiet"
                ),
            ),
            rx.cond(
                view.status == "undone",
                PageLink.create(phrase("sidebar.trash"), to=routes.TRASH, class_name="import-link"),
            ),
            class_name="import-buttons",
        ),
        _section(
            phrase("imports.brought_title"), rx.foreach(view.brought.to(list[BroughtItem]), _brought), view.brought
        ),
        _section(phrase("imports.titles"), rx.foreach(view.titles.to(list[str]), _line), view.titles),
        _section(phrase("imports.left_out"), rx.foreach(view.left_out.to(list[str]), _line), view.left_out),
        _section(phrase("imports.not_taken"), rx.foreach(view.faults.to(list[FaultItem]), _fault), view.faults),
        class_name="import",
    )


def _section(title: str, items: rx.Component, among: rx.Var[tuple[object, ...]]) -> rx.Component:
    return rx.cond(
        among.to(list).length() > 0,
        rx.el.section(rx.el.h3(title), rx.el.ul(items), class_name="import-section"),
    )


def _list(lines: rx.Var[list[str]], class_name: str) -> rx.Component:
    return rx.el.ul(rx.foreach(lines, _line), class_name=class_name)


def _line(line: rx.Var[str]) -> rx.Component:
    return rx.el.li(line, dir="auto")


def _brought(item: rx.vars.ObjectVar[BroughtItem]) -> rx.Component:
    return rx.el.li(PageLink.create(item.name, to=item.path, class_name="import-link"), " · ", item.about, dir="auto")


def _fault(item: rx.vars.ObjectVar[FaultItem]) -> rx.Component:
    return rx.el.li(rx.el.b(item.name), " ", item.reason, dir="auto")
