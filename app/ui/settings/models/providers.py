"""Settings → Providers: a card per provider, and the form for another server.

A key goes to the server and never comes back.
"""

from __future__ import annotations

import reflex as rx

from app.state.settings.providers import ProviderItem, ProvidersState
from app.ui.phrase import phrase
from app.ui.settings.parts import BUTTON, FIELD, LOUD, QUIET, labelled, section


def providers() -> rx.Component:
    """The first section of the page."""
    return rx.fragment(
        rx.el.h2(
            phrase("settings.providers.providers"),
            id="providers",
            tab_index=-1,
            class_name="text-[19px] font-semibold tracking-tight outline-none",
        ),
        rx.el.p(
            phrase("settings.providers.about"),
            class_name="mt-1 text-[14px] text-muted",
        ),
        rx.el.ul(
            rx.foreach(ProvidersState.providers, lambda item: provider_card(item=item, key=item.name)),
            class_name="mt-5 space-y-2",
        ),
        rx.cond(ProvidersState.addresses, _other_server(), _asks_an_admin()),
    )


@rx.memo
def provider_card(item: rx.vars.ObjectVar[ProviderItem], rest: rx.RestProp) -> rx.Component:
    """One provider: its state, and what can be changed about it."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.span(
                    class_name=rx.cond(
                        item.ready, "size-2 rounded-full bg-accent", "size-2 rounded-full bg-line-strong"
                    )
                ),
                rx.el.span(item.label, class_name="font-medium"),
                rx.el.span(item.status, class_name="ms-auto text-[13px] text-muted"),
                class_name="flex list-none items-center gap-3 rounded-xl px-4 py-3 hover:bg-hover",
            ),
            rx.el.form(
                rx.el.input(type="hidden", name="provider", value=item.name),
                rx.cond(item.takes_setup, _key(item)),
                rx.cond(item.takes_setup & ProvidersState.addresses, _base_url(item)),
                _buttons(item),
                on_submit=ProvidersState.save_provider,
                reset_on_submit=True,
                class_name="space-y-3 px-4 pt-1 pb-4",
            ),
            class_name="rounded-xl border border-line bg-raised",
        ),
        rest,
    )


def _key(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    field = rx.el.input(
        name="key",
        type="password",
        auto_complete="off",
        placeholder=rx.cond(
            item.has_key, phrase("settings.providers.paste_another_key"), phrase("settings.providers.paste_a_key")
        ),
        class_name=FIELD,
    )
    where = rx.el.a(
        phrase("settings.providers.get_one"),
        href=item.key_page,
        target="_blank",
        rel="noopener noreferrer",
        class_name="text-accent underline underline-offset-2",
    )
    return labelled(phrase("settings.providers.key"), field, rx.cond(item.key_page != "", where))


def _base_url(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    field = rx.el.input(
        name="base_url",
        type="url",
        default_value=item.base_url,
        placeholder=item.usual_url,
        spell_check=False,
        class_name=FIELD,
    )
    return labelled(phrase("settings.providers.base_url"), field)


def _buttons(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    return rx.el.div(
        rx.cond(item.takes_setup, rx.el.button(phrase("common.save"), type="submit", class_name=LOUD)),
        rx.el.button(
            phrase("common.test"), type="button", on_click=ProvidersState.test_provider(item.name), class_name=QUIET
        ),
        rx.cond(
            item.removable,
            rx.el.button(
                phrase("settings.providers.forget"),
                type="button",
                title=phrase("settings.providers.reset_hint"),
                on_click=ProvidersState.forget_provider(item.name),
                class_name=f"{BUTTON} text-danger hover:bg-danger-soft",
            ),
        ),
        rx.el.p(item.said, role="status", class_name="min-w-0 flex-1 text-[13.5px] text-muted"),
        class_name="flex flex-wrap items-center gap-2 pt-1",
    )


def _asks_an_admin() -> rx.Component:
    return rx.el.p(phrase("settings.providers.addresses_are_for_admins"), class_name="mt-5 text-[13px] text-muted")


def _other_server() -> rx.Component:
    name = rx.el.input(name="name", required=True, placeholder="lab", auto_complete="off", class_name=FIELD)
    url = rx.el.input(
        name="base_url", type="url", required=True, placeholder="http://10.0.0.5:8000/v1", class_name=FIELD
    )
    key = rx.el.input(name="key", type="password", auto_complete="off", class_name=FIELD)
    return section(
        "other-server",
        phrase("settings.providers.another_server"),
        phrase("settings.providers.own_about"),
        rx.el.form(
            rx.el.div(
                labelled(phrase("common.name"), name),
                labelled(phrase("settings.providers.base_url"), url),
                labelled(phrase("settings.providers.own_key"), key),
                class_name="grid gap-3 sm:grid-cols-[1fr_2fr_1fr]",
            ),
            rx.el.div(
                rx.el.button(phrase("common.add"), type="submit", class_name=LOUD),
                rx.el.p(ProvidersState.added_note, role="status", class_name="text-[13.5px] text-muted"),
                class_name="mt-3 flex items-center gap-3",
            ),
            on_submit=ProvidersState.add_server,
            aria_label=phrase("settings.providers.another_server"),
            class_name="mt-3",
        ),
    )
