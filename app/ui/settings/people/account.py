"""Settings → Account: one's own name, password and sessions, and Sign out. Absent while accounts are off."""

from __future__ import annotations

import reflex as rx

from app.domain.people.people import MAX_NAME, MAX_PASSWORD, MIN_PASSWORD
from app.state.settings.everything import EverythingState
from app.state.settings.session import SessionItem, SessionState
from app.ui.kit.moment import Moment
from app.ui.phrase import phrase
from app.ui.settings.parts import FIELD, QUIET, labelled, section, status


def account() -> rx.Component:
    """The section. The link leads to a native form: its answer takes the cookie away, which no event can."""
    return rx.cond(
        SessionState.email != "",
        rx.el.div(
            section("account", phrase("settings.account.title"), phrase("settings.account.about")),
            rx.el.p(
                phrase("settings.account.signed_in_as"),
                " ",
                rx.el.strong(SessionState.name, dir="auto"),
                " · ",
                SessionState.email,
                class_name="mt-3 mb-3 text-[14px] break-words",
            ),
            rx.el.a(
                phrase("settings.account.sign_out"),
                href="/sign-out",
                target="_top",  # else the page would look for it among its own addresses
                class_name=f"{QUIET} inline-flex items-center",
            ),
            rx.el.a(
                phrase("settings.account.sign_in_methods"),
                href="/security",
                target="_top",
                class_name=f"{QUIET} inline-flex items-center ml-2",
            ),
            _name(),
            _password(),
            _sessions(),
            _everything(),
            class_name="mb-10",
        ),
    )


def _name() -> rx.Component:
    return rx.el.form(
        labelled(
            phrase("common.name"),
            rx.el.input(
                name="name",
                default_value=SessionState.name,
                key=SessionState.name,
                required=True,
                max_length=MAX_NAME,
                auto_complete="name",
                class_name=FIELD,
            ),
        ),
        rx.el.button(phrase("settings.account.rename"), type="submit", class_name=f"{QUIET} justify-self-start"),
        status(SessionState.said),
        on_submit=SessionState.rename,
        aria_label=phrase("settings.account.rename"),
        class_name="mt-5 grid gap-3",
    )


def _password() -> rx.Component:
    return rx.el.form(
        labelled(
            phrase("settings.account.old_password"),
            rx.el.input(name="old", type="password", required=True, auto_complete="current-password", class_name=FIELD),
        ),
        labelled(
            phrase("sign_in.new_password"),
            rx.el.input(
                name="new",
                type="password",
                required=True,
                min_length=MIN_PASSWORD,
                max_length=MAX_PASSWORD,
                auto_complete="new-password",
                class_name=FIELD,
            ),
        ),
        rx.el.button(
            phrase("settings.account.change_password"), type="submit", class_name=f"{QUIET} justify-self-start"
        ),
        status(SessionState.password_said),
        on_submit=SessionState.change_password,
        reset_on_submit=True,
        aria_label=phrase("settings.account.change_password"),
        class_name="mt-5 grid gap-3",
    )


def _everything() -> rx.Component:
    return rx.el.section(
        rx.el.h3(phrase("settings.account.everything"), class_name="mt-5 text-[14px] font-medium"),
        rx.el.p(phrase("settings.account.about_everything"), class_name="text-[14px] text-muted"),
        rx.el.button(
            phrase("settings.account.export_everything"),
            type="button",
            disabled=EverythingState.running,
            on_click=EverythingState.export,
            class_name=f"{QUIET} mt-2",
        ),
        rx.cond(
            EverythingState.running,
            rx.el.progress(
                value=EverythingState.done.to_string(),
                max=rx.cond(EverythingState.total > 0, EverythingState.total, 1).to_string(),
                aria_label=phrase("settings.account.exporting"),
                class_name="ms-3 align-middle",
            ),
        ),
        rx.el.p(
            rx.cond(EverythingState.running, phrase("settings.account.exporting"), ""),
            role="status",
            class_name="sr-only",
        ),
        aria_label=phrase("settings.account.everything"),
    )


def _sessions() -> rx.Component:
    return rx.fragment(
        rx.el.h3(phrase("settings.account.sessions"), class_name="mt-5 text-[14px] font-medium"),
        rx.el.ul(rx.foreach(SessionState.sessions, _session), class_name="divide-y divide-line text-[14px]"),
        rx.cond(
            SessionState.sessions.length() > 1,
            rx.el.button(
                phrase("settings.account.end_others"),
                type="button",
                on_click=SessionState.end_others,
                class_name=f"{QUIET} mt-2",
            ),
        ),
        status(SessionState.sessions_said),
    )


def _session(one: rx.vars.ObjectVar[SessionItem]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(one.agent, class_name="break-words"),
            rx.el.p(
                one.address,
                " · ",
                rx.cond(
                    one.mine,
                    phrase("settings.account.this_one"),
                    rx.fragment(phrase("settings.account.used"), " ", Moment.create(at=one.used_at.to(str))),
                ),
                class_name="text-[13px] text-muted",
            ),
            class_name="min-w-0 grow basis-56",
        ),
        rx.cond(
            one.mine,
            rx.fragment(),
            rx.el.button(
                phrase("settings.account.sign_out"),
                type="button",
                aria_label=phrase("settings.account.sign_out_name", agent=one.agent),
                on_click=SessionState.end(one.id),
                class_name=QUIET,
            ),
        ),
        key=one.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-3",
    )
