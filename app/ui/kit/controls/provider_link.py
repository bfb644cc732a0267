"""Links to the settings of a provider."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.ui import routes
from app.ui.kit.controls.page_link import PageLink

WORDS: Final = "Settings → Providers"


def provider_address(provider: Any) -> rx.Var[str]:
    """Return the address of this provider's card in the settings. "": the address of the list of providers."""
    return rx.cond(provider != "", routes.PROVIDER + provider, routes.PROVIDERS).to(str)


def with_provider_link(text: Any, provider: Any = "") -> rx.Component:
    """Draw a text. If it contains "Settings → Providers", these words are a link to `provider_address(provider)`."""
    pieces = text.split(WORDS)
    link = PageLink.create(WORDS, to=provider_address(provider), class_name="underline underline-offset-2")
    return rx.fragment(pieces[0], rx.cond(pieces.length() > 1, rx.fragment(link, pieces[1])))


def vendor_of(model: Any) -> rx.Var[str]:
    """Return the provider of a model, which is written "provider:model"."""
    return model.split(":")[0]
