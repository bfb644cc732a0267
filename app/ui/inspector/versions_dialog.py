"""The dialog that compares two versions of a pair word by word, with buttons that restore one of them."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.text.differences import SpanView
from app.state.inspector.versions import RestoreItem, TextDiffView, VersionItem, VersionsState
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title

_VIEW = VersionsState.view


@rx.memo
def versions_dialog() -> rx.Component:
    """Draw the dialog that compares two versions of a pair. It is open while `VersionsState.pair` is set."""
    return Dialog.create(
        dialog_title(VersionsState.title),
        rx.cond(VersionsState.fault != "", rx.el.p(VersionsState.fault, role="alert", class_name="inspector-fault")),
        rx.cond(
            _VIEW.is_not_none(),
            rx.fragment(
                rx.el.div(
                    _choice("From", _VIEW.before.to(VersionItem), VersionsState.choose_before),
                    _choice("To", _VIEW.after.to(VersionItem), VersionsState.choose_after, first=True),
                    class_name="version-choice",
                ),
                rx.el.div(
                    rx.foreach(_VIEW.texts, _text),
                    rx.cond(_VIEW.error != "", rx.el.p(_VIEW.error, class_name="dialog-words")),
                    tab_index=0,
                    role="region",
                    aria_label="Differences",
                    class_name="version-body",
                ),
            ),
            rx.cond(
                VersionsState.fault == "",
                rx.el.p("Loading versions…", role="status", class_name="dialog-words"),
            ),
        ),
        dialog_foot(
            rx.cond(_VIEW.is_not_none(), rx.foreach(_VIEW.restores, _restore)),
            dialog_cancel("Close"),
        ),
        label=VersionsState.title,
        on_close=VersionsState.close,
        class_name="modal version-diff",
    )


def _choice(name: str, chosen: rx.vars.ObjectVar[VersionItem], on_change: Any, *, first: bool = False) -> rx.Component:
    return rx.el.label(
        rx.el.span(name),
        rx.el.select(
            rx.foreach(_VIEW.versions, lambda item: rx.el.option(item.name, value=item.number)),
            value=chosen.number,
            on_change=on_change,
            custom_attrs={"data-first": ""} if first else {},
        ),
        rx.el.small(chosen.about, " · ", MomentText.create(at=chosen.at)),
    )


def _text(text: rx.vars.ObjectVar[TextDiffView]) -> rx.Component:
    return rx.el.section(
        rx.el.h3(text.title),
        rx.el.p(rx.foreach(text.spans, _span), dir="auto", class_name="diffed"),
        aria_label=text.name,
    )


def _span(span: rx.vars.ObjectVar[SpanView]) -> rx.Component:
    changed = rx.cond(span.sign == "-", rx.el.del_(span.text), rx.el.ins(span.text))
    return rx.cond(span.sign == "", rx.el.span(span.text), changed)


def _restore(item: rx.vars.ObjectVar[RestoreItem]) -> rx.Component:
    return rx.el.button(
        item.text,
        type="button",
        on_click=VersionsState.restore(VersionsState.pair, item.version, _VIEW.standing),
        class_name="quiet",
    )
