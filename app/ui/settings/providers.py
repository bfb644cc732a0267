"""Settings → Providers: a card for each provider, and the form that adds another server. Each card has an address.

The page sends a key to the server, and the server never returns it.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.models.provider_trials import ProviderHealth
from app.state.settings.providers import ProviderItem, ProvidersState, RegionItem
from app.ui import routes
from app.ui.kit.controls.icon import line_icon
from app.ui.settings.parts import BUTTON, FIELD, LOUD, QUIET, labelled, section

_CIRCLE: Final = "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10"
_CLOCK: Final = f"{_CIRCLE}M8 5.5V8l1.8 1.2"
_KEY_CROSSED: Final = "M5 7.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M7 8.2L12.5 3M10.6 4.8l1.8 1.8M2 2l12 12"


def providers() -> rx.Component:
    """Draw the section Providers of the Settings page."""
    return section(
        "providers",
        "Providers",
        "Providers answer your messages. Keys are stored encrypted on this server and never shown again. "
        "Model servers on this machine (Ollama, LM Studio, llama.cpp, vLLM) are detected automatically.",
        _cards(offered=False),
        rx.cond(ProvidersState.providers.length() > 0, _add_a_provider()),
    )


def _cards(*, offered: bool) -> rx.Component:
    def card(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
        return rx.fragment(
            rx.cond(item.offered if offered else ~item.offered, provider_card(item=item)), key=item.name.to(str)
        )

    return rx.el.ul(rx.foreach(ProvidersState.providers, card), class_name="mt-5 space-y-2")


def _add_a_provider() -> rx.Component:
    """Draw the providers without a key, and the form for another server.

    This part is expanded while only the built-in provider is available.
    """
    return rx.el.details(
        rx.el.summary("Add a provider"),
        _cards(offered=True),
        _other_server(),
        open=ProvidersState.none_set_up,
        class_name="add-provider",
    )


@rx.memo
def provider_card(item: rx.vars.ObjectVar[ProviderItem], rest: rx.RestProp) -> rx.Component:
    """Draw one provider: its status, its settings, and the buttons that save, test and remove them."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                _health_icon(item),
                rx.el.span(
                    rx.el.span(item.label, class_name="font-medium"),
                    rx.el.span(item.about, class_name="text-[13px] text-muted"),
                    class_name="flex min-w-0 flex-wrap items-baseline gap-x-3",
                ),
                rx.el.span(item.status, class_name="provider-status"),
                class_name="flex list-none items-center gap-3 rounded-xl px-4 py-3 hover:bg-hover",
            ),
            rx.el.form(
                rx.el.input(type="hidden", name="provider", value=item.name),
                rx.cond(
                    item.takes_setup,
                    rx.el.div(_key(item), _base_url(item), key=item.edition.to_string(), class_name="space-y-3"),
                ),
                _buttons(item),
                on_submit=ProvidersState.save_provider,
                class_name="space-y-3 px-4 pt-1 pb-4",
            ),
            id=routes.PROVIDER_ID + item.name.to(str),
        ),
        rx.cond(item.problem != "", _problem(item)),
        rest,
        custom_attrs={"data-health": item.health},
        class_name="provider rounded-xl border border-line bg-raised",
    )


def _health_icon(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    """Draw the icon of a provider's status. Each status has its shape, so that colour is not the only difference."""
    icon = rx.match(
        item.health,
        (ProviderHealth.ANSWERS.value, line_icon("M3 8.5l3.2 3.2L13 4.8", "1.8", class_name="provider-icon")),
        (ProviderHealth.KEY_REJECTED.value, line_icon(_KEY_CROSSED, class_name="provider-icon")),
        (ProviderHealth.UNREACHABLE.value, line_icon("M4 4l8 8M12 4l-8 8", "1.8", class_name="provider-icon")),
        (ProviderHealth.TRYING.value, line_icon(_CLOCK, class_name="provider-icon")),
        line_icon(_CIRCLE, class_name="provider-icon"),
    )
    return rx.fragment(icon)


def _problem(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    """Draw the reason why a provider cannot be used, with a button to try again. A collapsed card shows it too."""
    failed = (item.health == ProviderHealth.KEY_REJECTED.value) | (item.health == ProviderHealth.UNREACHABLE.value)
    return rx.el.div(
        rx.el.p(item.problem, class_name="provider-problem"),
        rx.cond(failed, _test_button("Try again", item)),
        class_name="flex flex-wrap items-center gap-3 px-4 pb-3",
    )


def _test_button(name: str, item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    return rx.el.button(name, type="button", on_click=ProvidersState.test_provider(item.name), class_name=QUIET)


def _key(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    field = rx.el.input(
        name="key",
        type="password",
        auto_complete="off",
        placeholder=rx.cond(item.has_key, "Paste another key", "Paste a key"),
        class_name=FIELD,
    )
    where = rx.el.a(
        "Get a key",
        href=item.key_page,
        target="_blank",
        rel="noopener noreferrer",
        class_name="text-accent underline underline-offset-2",
    )
    return labelled("Key", field, rx.cond(item.key_page != "", where))


def _base_url(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    field = rx.el.input(
        name="base_url",
        type="url",
        default_value=item.base_url,
        placeholder=item.usual_url,
        spell_check=False,
        class_name=FIELD,
    )
    return rx.fragment(labelled("Base URL", field), rx.cond(item.regions.length() > 0, _regions(item)))


def _regions(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    """Draw the base URLs of the vendor's other regions."""

    def region(one: rx.vars.ObjectVar[RegionItem]) -> rx.Component:
        return rx.el.li(one.name, ": ", rx.el.code(one.base_url, class_name="break-all"), key=one.base_url.to(str))

    return rx.el.div(
        rx.el.p("A key is valid in one region only. Base URLs of other regions:"),
        rx.el.ul(rx.foreach(item.regions, region), class_name="list-disc pl-5"),
        class_name="text-[13px] text-muted",
    )


def _buttons(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    return rx.el.div(
        rx.cond(item.takes_setup, rx.el.button("Save", type="submit", class_name=LOUD)),
        _test_button("Test", item),
        rx.cond(
            item.removable,
            rx.el.button(
                "Remove",
                type="button",
                title="Delete the key and the base URL entered here",
                on_click=ProvidersState.forget_provider(item.name),
                class_name=f"{BUTTON} text-danger hover:bg-danger-soft",
            ),
        ),
        rx.el.p(item.said, role="status", class_name="min-w-0 flex-1 text-[13.5px] text-muted"),
        class_name="flex flex-wrap items-center gap-2 pt-1",
    )


def _other_server() -> rx.Component:
    name = rx.el.input(name="name", required=True, placeholder="lab", auto_complete="off", class_name=FIELD)
    url = rx.el.input(
        name="base_url", type="url", required=True, placeholder="http://10.0.0.5:8000/v1", class_name=FIELD
    )
    key = rx.el.input(name="key", type="password", auto_complete="off", class_name=FIELD)
    return rx.fragment(
        rx.el.h3("Another server", id="other-server", tab_index=-1, class_name="mt-6 text-[15px] font-semibold"),
        rx.el.p(
            "Any server with an API like OpenAI's Chat Completions. Its address usually ends in /v1.",
            class_name="mt-0.5 text-[14px] text-muted",
        ),
        rx.el.form(
            rx.el.div(
                labelled("Name", name),
                labelled("Base URL", url),
                labelled("Key (optional)", key),
                key=ProvidersState.added.to_string(),
                class_name="grid gap-3 sm:grid-cols-[1fr_2fr_1fr]",
            ),
            rx.el.div(
                rx.el.button("Add", type="submit", class_name=LOUD),
                rx.el.p(ProvidersState.added_note, role="status", class_name="text-[13.5px] text-muted"),
                class_name="mt-3 flex items-center gap-3",
            ),
            on_submit=ProvidersState.add_server,
            aria_label="Another server",
            class_name="mt-3",
        ),
    )
