"""Settings → Retention: the rules, what they would move now, and the log of what they moved, with a way back."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.settings.preferences import PreferencesState
from app.state.settings.retention import FolderRule, RetentionState, RetentionTerm, SweepItem
from app.ui.kit.moment import Moment
from app.ui.phrase import phrase
from app.ui.settings.parts import once_loaded, section, status


def retention() -> rx.Component:
    """The section of retention."""
    return section(
        "retention",
        phrase("settings.retention.title"),
        phrase("settings.retention.about"),
        once_loaded(PreferencesState.loaded, rx.fragment(_rules(), _log())),
    )


def _rules() -> rx.Component:
    state = RetentionState
    return rx.el.div(
        _rule("temporary", phrase("settings.retention.temporary"), state.temporary, state.temporary_terms),
        _rule("chat", phrase("settings.retention.chat"), state.chat, state.chat_terms),
        _rule("child", phrase("settings.retention.child"), state.child, state.child_terms),
        _rule("imported", phrase("settings.retention.imported"), state.imported, state.imported_terms),
        rx.foreach(state.folders, _folder),
        rx.cond(state.due != "", rx.el.p(state.due, class_name="text-[13.5px] text-muted")),
        status(state.said),
        role="group",
        aria_label=phrase("settings.retention.title"),
        class_name="context-settings",
    )


def _rule(what: str, name: str, chosen: rx.Var[str], terms: Any) -> rx.Component:
    return rx.el.label(
        rx.el.span(name),
        rx.el.select(
            rx.foreach(terms.to(list[RetentionTerm]), lambda term: rx.el.option(term.label, value=term.value)),
            value=chosen,
            on_change=lambda value: RetentionState.choose(what, value),
        ),
        class_name="title-model",
    )


def _folder(folder: rx.vars.ObjectVar[FolderRule]) -> rx.Component:
    return rx.el.label(
        rx.el.span(phrase("settings.retention.folder", name=folder.name)),
        rx.el.select(
            rx.foreach(folder.terms.to(list[RetentionTerm]), lambda term: rx.el.option(term.label, value=term.value)),
            value=folder.chosen,
            on_change=lambda value: RetentionState.choose_for_folder(folder.id, value),
        ),
        key=folder.id,
        class_name="title-model",
    )


def _log() -> rx.Component:
    sweeps = RetentionState.sweeps
    return rx.cond(
        sweeps.length() > 0,
        rx.el.div(
            rx.el.h3(phrase("settings.retention.log"), class_name="mt-4 text-[14px] font-medium"),
            rx.el.ul(rx.foreach(sweeps, _sweep), class_name="mt-1 text-[13.5px]"),
        ),
    )


def _sweep(sweep: rx.vars.ObjectVar[SweepItem]) -> rx.Component:
    return rx.el.li(
        Moment.create(at=sweep.at.to(str)),
        rx.el.span(sweep.text),
        rx.cond(
            sweep.left.to(int) > 0,
            rx.el.button(
                phrase("settings.retention.bring_back", count=sweep.left),
                type="button",
                on_click=RetentionState.bring_back(sweep.number),
                class_name="rounded-lg border border-line-strong px-2.5 py-0.5 hover:bg-hover",
            ),
        ),
        key=sweep.number,
        class_name="flex flex-wrap items-center gap-x-3 gap-y-1 py-1",
    )
