"""The inspector's section on the cost of the conversation: sums, budgets, and each request."""

from __future__ import annotations

import reflex as rx

from app.state.usage.account import AccountState
from app.state.usage.account_view import BudgetNote, CallItem
from app.state.usage.labels import FactView
from app.ui import routes
from app.ui.kit.moment import Moment
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase
from app.ui.usage.facts import facts


@rx.memo
def usage_section() -> rx.Component:
    """The account of the conversation on screen. It is read when the section is opened, and after each reply."""
    account = AccountState.account
    return rx.fragment(
        rx.cond(
            AccountState.fault != "",
            rx.el.p(AccountState.fault, role="alert", class_name="inspector-fault"),
            rx.cond(
                account,
                rx.cond(
                    account.requests != "",
                    _account(),
                    rx.el.p(
                        phrase("usage.requests_empty"),
                        class_name="inspector-note",
                    ),
                ),
                rx.el.p(phrase("usage.adding_up"), role="status", class_name="inspector-note"),
            ),
        ),
        on_unmount=AccountState.close,
    )


def _account() -> rx.Component:
    account = AccountState.account
    return rx.el.div(
        facts(account.facts.to(tuple[FactView, ...])),
        rx.foreach(account.budgets, _budget),
        rx.el.table(
            rx.el.caption(phrase("usage.tokens_by_kind"), class_name="unseen"),
            rx.el.tbody(rx.foreach(account.kinds, _kind)),
            class_name="usage-kinds",
        ),
        rx.cond(account.by_purpose != "", rx.el.p(account.by_purpose, class_name="inspector-note")),
        rx.el.h3(account.requests),
        rx.el.ol(
            rx.foreach(AccountState.calls, lambda call: usage_call(call=call, key=call.id)),
            aria_label=phrase("usage.requests_the_newest_first"),
            class_name="usage-calls",
        ),
        rx.cond(
            AccountState.more,
            rx.el.button(
                phrase("usage.show_older_requests"), type="button", on_click=AccountState.show_older, class_name="quiet"
            ),
        ),
        rx.el.p(PageLink.create(phrase("usage.all_usage_and_budgets"), to=routes.USAGE), class_name="inspector-note"),
        class_name="inspector-body usage-panel",
    )


def _budget(note: rx.vars.ObjectVar[BudgetNote]) -> rx.Component:
    return rx.el.p(note.text, custom_attrs={"data-standing": note.standing}, class_name="usage-budget")


def _kind(kind: rx.vars.ObjectVar[FactView]) -> rx.Component:
    return rx.el.tr(rx.el.th(kind.label, scope="row"), rx.el.td(kind.value))


@rx.memo
def usage_call(call: rx.vars.ObjectVar[CallItem], rest: rx.RestProp) -> rx.Component:
    """A request: what for, how it ended, its cost; its model, time and tokens; how the cache met its prediction."""
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.span(call.what, rx.cond(call.end != "", rx.el.em(" ", call.end))),
            rx.el.b(call.cost),
            class_name="usage-call",
        ),
        rx.el.div(
            rx.el.span(call.model),
            Moment.create(at=call.started_at),
            rx.el.span(call.tokens),
            rx.cond(
                call.prediction != "",
                rx.el.span(call.prediction, custom_attrs={"data-outcome": call.outcome}, class_name="usage-foretold"),
            ),
            class_name="usage-call-more",
        ),
        rx.cond(call.report != "", rx.el.p(call.report, class_name="usage-report-note")),
    )
