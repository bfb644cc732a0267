"""Settings: the providers, their keys and addresses; the keys of the keyboard.

A key goes to the server and never comes back: what is shown of it are its last four characters.
"""

from __future__ import annotations

import reflex as rx

from app.state.settings import ProviderItem, SettingsState
from app.ui.components.context_settings import ContextSettings
from app.ui.components.keys import KeySettings
from app.ui.components.permissions import PermissionSettings
from app.ui.components.prelude import PrivacySettings
from app.ui.components.section_links import SectionLinks
from app.ui.components.titles import TitleSettings
from app.ui.components.tool_settings import ToolSettings
from app.ui.layout import frame

_FIELD = (
    "h-9 w-full rounded-lg border border-line-strong bg-page px-3 text-[14px] outline-none "
    "focus-visible:border-accent focus-visible:outline-2"
)
_BUTTON = "h-9 rounded-lg px-3.5 text-[14px] font-medium"
_QUIET = f"{_BUTTON} border border-line-strong hover:bg-hover"
_LOUD = f"{_BUTTON} bg-accent text-accent-ink hover:opacity-90"

_SECTIONS: list[dict[str, str]] = [
    {"id": "providers", "name": "Providers"},
    {"id": "privacy", "name": "Privacy"},
    {"id": "context", "name": "Context"},
    {"id": "titles", "name": "Titles and replays"},
    {"id": "tools", "name": "Tools"},
    {"id": "permissions", "name": "Permissions"},
    {"id": "keys", "name": "Keys"},
]


def settings() -> rx.Component:
    """The page of `/settings`."""
    return frame(
        rx.el.div(
            rx.el.div(
                SectionLinks.create(sections=_SECTIONS, label="Sections of the settings"),
                rx.el.h2(
                    "Providers",
                    id="providers",
                    tab_index=-1,
                    class_name="text-[19px] font-semibold tracking-tight outline-none",
                ),
                rx.el.p(
                    "Where replies come from. Keys are stored encrypted on this server and never shown again. "
                    "Model servers on this machine (Ollama, LM Studio, llama.cpp, vLLM) are found by themselves.",
                    class_name="mt-1 text-[14px] text-muted",
                ),
                rx.el.ul(
                    rx.foreach(SettingsState.providers, lambda item: provider_card(item=item, key=item.name)),
                    class_name="mt-5 space-y-2",
                ),
                _other_server(),
                _privacy(),
                _context(),
                _titles(),
                _tools(),
                _permissions(),
                _keys(),
                class_name="mx-auto max-w-column px-5 pt-4 pb-16",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
            custom_attrs={"data-scroller": ""},
        ),
        top=rx.el.h1("Settings", class_name="text-[14.5px] font-semibold"),
    )


@rx.memo
def provider_card(item: rx.vars.ObjectVar[ProviderItem]) -> rx.Component:
    """One provider: how it stands, and what can be changed of it."""
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
                rx.cond(
                    item.takes_setup,
                    _labelled(
                        "Key",
                        rx.el.input(
                            name="key",
                            type="password",
                            auto_complete="off",
                            placeholder=rx.cond(item.has_key, "Paste another key", "Paste a key"),
                            class_name=_FIELD,
                        ),
                        rx.cond(
                            item.key_page != "",
                            rx.el.a(
                                "Get one",
                                href=item.key_page,
                                target="_blank",
                                rel="noopener noreferrer",
                                class_name="text-accent underline underline-offset-2",
                            ),
                        ),
                    ),
                ),
                rx.cond(
                    item.takes_setup,
                    _labelled(
                        "Base URL",
                        rx.el.input(
                            name="base_url",
                            type="url",
                            default_value=item.base_url,
                            placeholder=item.usual_url,
                            spell_check=False,
                            class_name=_FIELD,
                        ),
                    ),
                ),
                rx.el.div(
                    rx.cond(item.takes_setup, rx.el.button("Save", type="submit", class_name=_LOUD)),
                    rx.el.button(
                        "Test", type="button", on_click=SettingsState.test_provider(item.name), class_name=_QUIET
                    ),
                    rx.cond(
                        item.removable,
                        rx.el.button(
                            "Forget",
                            type="button",
                            title="Delete the key and the base URL entered here",
                            on_click=SettingsState.forget_provider(item.name),
                            class_name=f"{_BUTTON} text-danger hover:bg-danger-soft",
                        ),
                    ),
                    rx.el.p(
                        SettingsState.said[item.name],
                        role="status",
                        class_name="min-w-0 flex-1 text-[13.5px] text-muted",
                    ),
                    class_name="flex flex-wrap items-center gap-2 pt-1",
                ),
                on_submit=SettingsState.save_provider,
                reset_on_submit=True,
                class_name="space-y-3 px-4 pt-1 pb-4",
            ),
            class_name="rounded-xl border border-line bg-raised",
        )
    )


def _labelled(name: str, field: rx.Component, aside: rx.Component | None = None) -> rx.Component:
    return rx.el.label(
        rx.el.span(
            rx.el.span(name), aside or rx.fragment(), class_name="mb-1 flex justify-between text-[13px] text-muted"
        ),
        field,
        class_name="block",
    )


def _section(title: str, words: str, anchor: str) -> rx.Component:
    """A heading with its words; an address with this anchor leads to it."""
    return rx.fragment(
        rx.el.h2(title, id=anchor, tab_index=-1, class_name="mt-10 text-[15px] font-semibold outline-none"),
        rx.el.p(words, class_name="mt-0.5 text-[14px] text-muted"),
    )


def _other_server() -> rx.Component:
    return rx.fragment(
        _section(
            "Another server",
            "Anything that speaks OpenAI's Chat Completions. Its address usually ends in /v1.",
            "other-server",
        ),
        rx.el.form(
            rx.el.div(
                _labelled(
                    "Name",
                    rx.el.input(name="name", required=True, placeholder="lab", auto_complete="off", class_name=_FIELD),
                ),
                _labelled(
                    "Base URL",
                    rx.el.input(
                        name="base_url",
                        type="url",
                        required=True,
                        placeholder="http://10.0.0.5:8000/v1",
                        class_name=_FIELD,
                    ),
                ),
                _labelled(
                    "Key, if it wants one",
                    rx.el.input(name="key", type="password", auto_complete="off", class_name=_FIELD),
                ),
                class_name="grid gap-3 sm:grid-cols-[1fr_2fr_1fr]",
            ),
            rx.el.div(
                rx.el.button("Add", type="submit", class_name=_LOUD),
                rx.el.p(SettingsState.added_note, role="status", class_name="text-[13.5px] text-muted"),
                class_name="mt-3 flex items-center gap-3",
            ),
            on_submit=SettingsState.add_server,
            aria_label="Another server",
            class_name="mt-3",
        ),
    )


def _context() -> rx.Component:
    return rx.fragment(
        _section("Context", "How much a send may hold and cost. What is beyond that is shown and not sent.", "context"),
        ContextSettings.create(),
    )


def _privacy() -> rx.Component:
    return rx.fragment(
        _section(
            "Privacy", "What models are told of you, and what they are not told. All of it stands in view.", "privacy"
        ),
        PrivacySettings.create(),
    )


def _titles() -> rx.Component:
    return rx.fragment(
        _section("Titles and replays", "Calls that are made by themselves, and calls that can be spared.", "titles"),
        TitleSettings.create(),
    )


def _permissions() -> rx.Component:
    return rx.fragment(
        _section("Permissions", "What tools may do without asking you, and what became of every call.", "permissions"),
        PermissionSettings.create(),
    )


def _tools() -> rx.Component:
    return rx.fragment(
        _section(
            "Tools",
            "What a model may call: Inview's own tools and those of MCP servers. Most calls are asked for first.",
            "tools",
        ),
        ToolSettings.create(),
    )


def _keys() -> rx.Component:
    return rx.fragment(
        _section(
            "Keys",
            "They act while one reads (VIEW). Enter and Esc move between reading, writing and filtering.",
            "keys",
        ),
        KeySettings.create(),
    )
