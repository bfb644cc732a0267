"""The page of `/audit`: who did what when. For everybody but owners and admins there is no such page."""

from __future__ import annotations

import reflex as rx

from app.state.settings.audit import AuditState
from app.ui.pages.frame import frame
from app.ui.pages.not_found import nothing_here
from app.ui.phrase import phrase
from app.ui.settings.people.audit import audit


def audit_trail() -> rx.Component:
    """The page."""
    return frame(
        rx.cond(
            AuditState.loaded & ~AuditState.shown,
            nothing_here(phrase("not_found.title"), phrase("not_found.hint")),
            rx.el.div(
                rx.el.div(
                    rx.cond(AuditState.loaded, audit(), rx.el.p(phrase("common.reading"), role="status")),
                    class_name="mx-auto max-w-column px-5 pt-4 pb-16",
                ),
                class_name="relative min-h-0 flex-1 overflow-y-auto",
            ),
        ),
        top=rx.cond(
            AuditState.shown,
            rx.el.h1(phrase("audit.title"), class_name="text-[14.5px] font-semibold"),
        ),
    )
