"""Settings → People: everybody who can sign in, what may be done with each, and invitations. For owners and admins."""

from __future__ import annotations

import reflex as rx

from app.domain.people.people import MAX_NAME
from app.state.settings.people import ROLES, InvitationItem, PeopleState, PersonItem
from app.ui import routes
from app.ui.kit.copy_button import copy_button
from app.ui.kit.moment import Moment, TimeForm
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase
from app.ui.settings.parts import FIELD, LOUD, QUIET, labelled, section, status

_ROW = "flex flex-wrap items-center gap-x-4 gap-y-2 py-3"


def people() -> rx.Component:
    """The section; nothing for members, and where accounts are off."""
    return rx.cond(
        PeopleState.shown,
        rx.el.div(
            section("people", phrase("settings.people.title"), phrase("settings.people.about")),
            PageLink.create(phrase("audit.open"), to=routes.AUDIT, class_name="insert-more"),
            rx.el.ul(rx.foreach(PeopleState.items, _person), class_name="mt-3 divide-y divide-line text-[14px]"),
            status(PeopleState.said),
            _invite(),
            _link(),
            _invitations(),
            class_name="mb-10",
        ),
    )


def _person(person: rx.vars.ObjectVar[PersonItem]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(
                rx.el.span(person.name, dir="auto", class_name="font-medium"),
                rx.cond(person.mine, f" ({phrase('settings.people.you')})", ""),
                rx.cond(person.disabled, f" · {phrase('settings.people.is_disabled')}", ""),
                class_name="break-words",
            ),
            rx.el.p(person.email, class_name="text-[13px] text-muted break-words"),
            rx.el.p(
                person.role_name,
                " · ",
                rx.cond(
                    person.used_at == "",
                    phrase("settings.people.never_here"),
                    rx.fragment(phrase("settings.account.used"), " ", Moment.create(at=person.used_at.to(str))),
                ),
                class_name="text-[13px] text-muted",
            ),
            class_name="min-w-0 grow basis-56",
        ),
        rx.cond(person.manageable, _commands(person)),
        rx.cond(PeopleState.asked == person.id, _deletion(person)),
        key=person.id,
        class_name=_ROW,
    )


def _commands(person: rx.vars.ObjectVar[PersonItem]) -> rx.Component:
    return rx.el.div(
        rx.el.select(
            *(
                rx.cond(
                    PeopleState.grantable.contains(role) | (person.role == role),
                    rx.el.option(phrase(name), value=role),
                )
                for role, name in ROLES.items()
            ),
            value=person.role,
            on_change=PeopleState.change_role(person.id),
            aria_label=phrase("settings.people.role_of", name=person.name),
            class_name=FIELD.replace("w-full", "w-36"),
        ),
        _command(phrase("settings.people.reset"), PeopleState.make_reset(person.id)),
        rx.cond(
            person.mine,
            rx.fragment(),
            rx.fragment(
                _command(phrase("settings.people.sign_out"), PeopleState.sign_out(person.id)),
                rx.cond(
                    person.disabled,
                    _command(phrase("settings.people.enable"), PeopleState.enable(person.id)),
                    _command(phrase("settings.people.disable"), PeopleState.disable(person.id)),
                ),
                _command(phrase("settings.people.delete"), PeopleState.ask(person.id)),
            ),
        ),
        role="group",
        aria_label=person.name,
        class_name="flex flex-wrap gap-2",
    )


def _command(text: str, on_click: rx.event.EventType[()]) -> rx.Component:
    return rx.el.button(text, type="button", on_click=on_click, class_name=QUIET)


def _deletion(person: rx.vars.ObjectVar[PersonItem]) -> rx.Component:
    return rx.el.form(
        rx.el.p(phrase("settings.people.deletes", name=person.name), class_name="text-[14px]"),
        labelled(
            phrase("settings.people.delete_confirm"),
            rx.el.input(
                name="name",
                required=True,
                max_length=MAX_NAME,
                auto_complete="off",
                auto_focus=True,
                class_name=FIELD,
            ),
        ),
        rx.el.div(
            rx.el.button(phrase("settings.people.delete_now"), type="submit", class_name=f"{QUIET} mr-2 text-danger"),
            rx.el.button(phrase("common.cancel"), type="button", on_click=PeopleState.end_ask, class_name=QUIET),
        ),
        on_submit=PeopleState.delete,
        aria_label=phrase("settings.people.delete_name", name=person.name),
        class_name="grid w-full gap-3 rounded-lg border border-line-strong p-3",
    )


def _invite() -> rx.Component:
    return rx.el.form(
        labelled(
            phrase("settings.people.invite_as"),
            rx.el.select(
                rx.foreach(
                    PeopleState.grantable,
                    lambda role: rx.el.option(
                        rx.match(role, *((value, phrase(name)) for value, name in ROLES.items()), ""), value=role
                    ),
                ),
                name="role",
                class_name=FIELD,
            ),
        ),
        rx.el.button(phrase("settings.people.invite"), type="submit", class_name=f"{LOUD} justify-self-start"),
        on_submit=PeopleState.invite,
        aria_label=phrase("settings.people.invite"),
        class_name="mt-3 grid gap-3",
    )


def _link() -> rx.Component:
    return rx.cond(
        PeopleState.link != "",
        rx.el.div(
            rx.el.p(PeopleState.link_about, role="status", class_name="mb-2 text-[14px]"),
            rx.el.div(
                rx.el.code(PeopleState.link, class_name="min-w-0 flex-1 break-all font-mono text-[13px]"),
                copy_button(PeopleState.link, label=phrase("settings.people.copy_link")),
                class_name="flex items-center gap-3",
            ),
            role="group",
            aria_label=phrase("settings.people.link"),
            class_name="mt-3 rounded-lg border border-line-strong p-3",
        ),
    )


def _invitations() -> rx.Component:
    return rx.cond(
        PeopleState.invitations.length() > 0,
        rx.fragment(
            rx.el.h3(phrase("settings.people.open_invitations"), class_name="mt-5 text-[14px] font-medium"),
            rx.el.ul(rx.foreach(PeopleState.invitations, _invitation), class_name="divide-y divide-line text-[14px]"),
        ),
    )


def _invitation(one: rx.vars.ObjectVar[InvitationItem]) -> rx.Component:
    return rx.el.li(
        rx.el.p(
            one.role_name,
            " · ",
            phrase("settings.people.until"),
            " ",
            Moment.create(at=one.expires_at.to(str), form=TimeForm.FULL),
            class_name="min-w-0 grow basis-56",
        ),
        rx.el.button(
            phrase("settings.people.withdraw"),
            type="button",
            on_click=PeopleState.withdraw(one.id),
            class_name=QUIET,
        ),
        key=one.id,
        class_name=_ROW,
    )
