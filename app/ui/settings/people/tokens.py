"""Settings → API tokens: the list, making one, its text shown once, and revoking one after a question."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.people.tokens import DEFAULT_DAYS, MAX_TOKEN_NAME, TokenScope
from app.state.settings.tokens import DAYS, NEVER, TokenItem, TokensState
from app.ui.kit.copy_button import copy_button
from app.ui.kit.moment import Moment, TimeForm
from app.ui.phrase import phrase
from app.ui.settings.parts import FIELD, LOUD, QUIET, labelled, section, status

_ABOUT: Final = {
    TokenScope.READ: "settings.tokens.scope_about.read",
    TokenScope.WRITE: "settings.tokens.scope_about.write",
    TokenScope.SETTINGS: "settings.tokens.scope_about.settings",
    TokenScope.GATEWAY: "settings.tokens.scope_about.gateway",
}


def tokens() -> rx.Component:
    """The section."""
    return section(
        "tokens",
        phrase("settings.tokens.title"),
        phrase("settings.tokens.about"),
        rx.el.ul(rx.foreach(TokensState.items, _token), class_name="mt-3 divide-y divide-line text-[14px]"),
        _form(),
    )


def _token(token: rx.vars.ObjectVar[TokenItem]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(token.name, dir="auto", class_name="font-medium break-words"),
            rx.el.p(token.about, class_name="text-[13px] text-muted"),
            rx.el.p(
                rx.cond(
                    token.expires_at == "",
                    phrase("settings.tokens.never_expires"),
                    rx.fragment(
                        rx.cond(token.expired, phrase("settings.tokens.expired"), phrase("settings.tokens.expires")),
                        " ",
                        Moment.create(at=token.expires_at.to(str), form=TimeForm.FULL),
                    ),
                ),
                " · ",
                rx.cond(
                    token.used_at == "",
                    phrase("settings.tokens.never_used"),
                    rx.fragment(phrase("settings.tokens.used"), " ", Moment.create(at=token.used_at.to(str))),
                ),
                class_name="text-[13px] text-muted",
            ),
            class_name="min-w-0 grow basis-56",  # beside a question that is wider, it takes a line of its own
        ),
        rx.cond(
            TokensState.asked == token.id,
            rx.el.div(
                rx.el.p(phrase("settings.tokens.revoke_question"), class_name="mb-1 text-[13px]"),
                rx.el.button(
                    phrase("settings.tokens.revoke"),
                    type="button",
                    on_click=TokensState.revoke(token.id),
                    class_name=f"{QUIET} mr-2 text-danger",
                ),
                rx.el.button(phrase("common.cancel"), type="button", on_click=TokensState.end_ask, class_name=QUIET),
                role="group",
                aria_label=phrase("settings.tokens.revoke_question"),
            ),
            rx.el.button(
                phrase("settings.tokens.revoke"),
                type="button",
                aria_label=phrase("settings.tokens.revoke_name", name=token.name),
                on_click=TokensState.ask(token.id),
                class_name=QUIET,
            ),
        ),
        key=token.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-3",
    )


def _form() -> rx.Component:
    return rx.el.form(
        labelled(
            phrase("common.name"),
            rx.el.input(name="name", required=True, max_length=MAX_TOKEN_NAME, auto_complete="off", class_name=FIELD),
        ),
        rx.el.fieldset(
            rx.el.legend(phrase("settings.tokens.may"), class_name="mb-1 text-[13px] text-muted"),
            *(_scope(scope) for scope in TokenScope),
        ),
        labelled(
            phrase("settings.tokens.valid_for"),
            rx.el.select(
                *(rx.el.option(phrase(f"settings.tokens.days.{days}"), value=days) for days in (*DAYS, NEVER)),
                name="days",
                default_value=str(DEFAULT_DAYS),
                class_name=FIELD,
            ),
        ),
        rx.el.button(phrase("settings.tokens.make"), type="submit", class_name=f"{LOUD} justify-self-start"),
        status(TokensState.said),
        rx.cond(
            TokensState.made != "",
            rx.el.div(
                rx.el.code(TokensState.made, class_name="min-w-0 flex-1 break-all font-mono text-[13px]"),
                copy_button(TokensState.made, label=phrase("settings.tokens.copy")),
                role="group",
                aria_label=phrase("settings.tokens.new_token"),
                class_name="flex items-center gap-3 rounded-lg border border-line-strong p-3",
            ),
        ),
        on_submit=TokensState.make,
        reset_on_submit=True,
        aria_label=phrase("settings.tokens.make"),
        class_name="mt-3 grid gap-3",
    )


def _scope(scope: TokenScope) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="checkbox", name=scope.value, class_name="mt-1"),
        rx.el.span(
            rx.el.span(phrase(f"settings.tokens.scopes.{scope.value}"), class_name="font-medium"),
            ": ",
            phrase(_ABOUT[scope]),
        ),
        class_name="flex gap-2 py-0.5 text-[14px]",
    )
