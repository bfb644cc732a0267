"""The audit trail: filters, the check of the chain, the export, and the entries."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.state.settings.audit import DAYS, NOBODY, AuditState, EntryItem
from app.ui.kit.moment import Moment, TimeForm
from app.ui.phrase import phrase
from app.ui.settings.parts import FIELD, QUIET, labelled, status


def audit() -> rx.Component:
    """Everything on the page, for those who may see it."""
    return rx.el.div(
        rx.el.p(phrase("audit.about"), class_name="text-[14px] text-muted"),
        _filters(),
        rx.el.div(
            rx.el.button(
                phrase("audit.check"),
                type="button",
                on_click=AuditState.check,
                disabled=AuditState.checking,
                class_name=QUIET,
            ),
            rx.el.a(
                phrase("audit.export"),
                href=AuditState.export_path,
                download=True,
                reload_document=True,  # else React Router looks for a page at this address
                class_name=f"{QUIET} inline-flex items-center",
            ),
            class_name="mt-4 flex flex-wrap gap-2",
        ),
        status(AuditState.said),
        rx.cond(
            AuditState.fault != "",
            rx.el.p(AuditState.fault, lang="en", class_name="mt-1 text-[14px] text-danger break-words"),
        ),
        rx.cond(
            AuditState.items.length() > 0,
            rx.el.ol(
                rx.foreach(AuditState.items, lambda item: entry_row(item=item, key=item.number.to_string())),
                aria_label=phrase("audit.title"),
                class_name="mt-3 divide-y divide-line text-[14px]",
            ),
            rx.el.p(phrase("audit.empty"), class_name="mt-6 text-[14px] text-muted"),
        ),
        rx.cond(
            AuditState.older,
            rx.el.button(
                phrase("audit.show_more"), type="button", on_click=AuditState.show_more, class_name=f"{QUIET} mt-3"
            ),
        ),
    )


def _filters() -> rx.Component:
    return rx.el.div(
        _choice(
            "person",
            AuditState.person,
            rx.foreach(AuditState.people, lambda one: rx.el.option(one.name, value=one.id, key=one.id)),
            rx.el.option(phrase("audit.nobody"), value=NOBODY),
        ),
        _choice(
            "action",
            AuditState.action,
            *(
                rx.el.option(phrase(f"audit.action.{one.name.lower()}"), value=one.value)
                for one in AuditAction
                if one is not AuditAction.UNKNOWN
            ),
        ),
        _choice(
            "kind",
            AuditState.kind,
            *(
                rx.el.option(phrase(f"audit.kind.{one.name.lower()}"), value=one.value)
                for one in ObjectKind
                if one is not ObjectKind.UNKNOWN
            ),
        ),
        _choice(
            "period",
            AuditState.period,
            *(rx.el.option(phrase(f"audit.period.{one}"), value=one) for one in DAYS),
        ),
        role="group",
        aria_label=phrase("audit.filters"),
        class_name="mt-4 grid grid-cols-2 gap-3 md:grid-cols-4",
    )


def _choice(name: str, value: Any, *options: rx.Component) -> rx.Component:
    return labelled(
        phrase(f"audit.choice.{name}"),
        rx.el.select(
            rx.el.option(phrase("audit.all"), value=""),
            *options,
            value=value,
            on_change=lambda chosen: AuditState.narrow(name, chosen),
            class_name=f"{FIELD} min-w-0",
        ),
    )


@rx.memo
def entry_row(item: rx.vars.ObjectVar[EntryItem], rest: rx.RestProp) -> rx.Component:
    """One entry: what, by whom, to what, when and from where."""
    return rx.el.li(
        rx.el.p(
            rx.el.strong(item.action, class_name="font-medium"),
            rx.cond(item.who != "", rx.fragment(" · ", rx.el.span(item.who, dir="auto"))),
            class_name="break-words",
        ),
        rx.el.p(
            rx.cond(
                item.path != "",
                rx.el.a(item.target, href=item.path, dir="auto", class_name="underline"),
                rx.el.span(item.target, dir="auto"),
            ),
            class_name="break-words",
        ),
        rx.el.p(
            Moment.create(at=item.at, form=TimeForm.FULL),
            rx.cond(item.place != "", rx.el.span(f" · {item.place}")),
            rx.el.span(f" · {item.number}"),
            class_name="text-[13px] text-muted break-words",
        ),
        rx.cond(
            item.details != "",
            rx.el.p(item.details, dir="auto", class_name="font-mono text-[12px] text-muted break-words"),
        ),
        rest,
        class_name="py-2.5",
    )
