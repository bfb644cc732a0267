"""The section Usage of the inspector, for the conversation on screen.

It shows the total cost and tokens, the budgets, the tokens by kind, the tokens and cost by purpose, and the list of the
requests.
"""

from __future__ import annotations

import reflex as rx

from app.state.usage.account import AccountState
from app.state.usage.account_view import BudgetNote, CallItem
from app.state.usage.labels import FigureView
from app.state.usage.sent_call import SentCallState
from app.ui import routes
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.controls.page_link import PageLink
from app.ui.usage.facts import facts


@rx.memo
def usage_section() -> rx.Component:
    """Draw the section Usage of the inspector. Its data is loaded when it is opened, and after each reply."""
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
                        "Nothing was sent yet. Each request and its cost will be listed here.",
                        class_name="inspector-note",
                    ),
                ),
                rx.el.p("Calculating…", role="status", class_name="inspector-note"),
            ),
        ),
        on_unmount=AccountState.close,
    )


def _account() -> rx.Component:
    account = AccountState.account
    return rx.el.div(
        facts(account.facts.to(tuple[FigureView, ...])),
        rx.foreach(account.budgets, _budget),
        rx.el.table(
            rx.el.caption("Tokens by kind", class_name="unseen"),
            rx.el.tbody(rx.foreach(account.kinds, _kind)),
            class_name="usage-kinds",
        ),
        rx.cond(
            account.by_purpose.length() > 0,
            rx.el.table(
                rx.el.caption("Parts of the total"),
                rx.el.tbody(rx.foreach(account.by_purpose, _kind)),
                class_name="usage-kinds",
            ),
        ),
        rx.el.h3(account.requests),
        rx.el.ol(
            rx.foreach(AccountState.calls, lambda call: usage_call(call=call, key=call.id)),
            aria_label="Requests, newest first",
            class_name="usage-calls",
        ),
        rx.cond(
            AccountState.more,
            rx.el.button("Show older requests", type="button", on_click=AccountState.show_older, class_name="quiet"),
        ),
        rx.el.p(PageLink.create("All usage and budgets", to=routes.USAGE), class_name="inspector-note"),
        class_name="inspector-body usage-panel",
    )


def _budget(note: rx.vars.ObjectVar[BudgetNote]) -> rx.Component:
    return rx.el.p(note.text, custom_attrs={"data-standing": note.standing}, class_name="usage-budget")


def _kind(kind: rx.vars.ObjectVar[FigureView]) -> rx.Component:
    return rx.el.tr(rx.el.th(kind.label, scope="row"), rx.el.td(kind.value))


@rx.memo
def usage_call(call: rx.vars.ObjectVar[CallItem], rest: rx.RestProp) -> rx.Component:
    """Draw a provider call: its purpose, outcome, cost, model, time and tokens, and how much the cache was used.

    A button shows its request.
    """
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.span(call.what, rx.cond(call.end != "", rx.el.em(" ", call.end))),
            rx.el.b(call.cost),
            class_name="usage-call",
        ),
        rx.el.div(
            rx.el.span(call.model_name, title=call.model),
            MomentText.create(at=call.started_at),
            rx.el.span(call.tokens),
            rx.cond(
                call.prediction != "",
                rx.el.span(call.prediction, custom_attrs={"data-outcome": call.outcome}, class_name="usage-foretold"),
            ),
            rx.el.button(
                "Show request",
                type="button",
                title="The content of this request when it was sent",
                on_click=SentCallState.open(call.id),
                class_name="quiet",
            ),
            class_name="usage-call-more",
        ),
        rx.cond(call.report != "", rx.el.p(call.report, class_name="usage-report-note")),
    )
