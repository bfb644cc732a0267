"""The Settings page: how each provider stands, and changing that. Keys come in and never go out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from app.domain.errors import InputError
from app.providers.base import Provider
from app.runs.commands import LOCAL_OWNER
from app.runs.workbench import current
from app.state.provider_setup import entered_by, forget_provider, providers_of, save_provider, test_provider
from app.store.provider_settings import ProviderSetting

_ORIGINS: Mapping[str, str] = {
    "built in": "",
    "environment": "Set up by the environment. ",
    "settings": "",
    "detected": "Found on this machine. ",
}
_KEY_END = 4


@dataclass(frozen=True)
class ProviderItem:
    """A row of the page. `key_hint` is the end of the key, `base_url` what was entered, `usual_url` what holds else."""

    name: str
    label: str
    status: str
    ready: bool
    takes_setup: bool
    key_hint: str
    base_url: str
    usual_url: str
    key_page: str
    removable: bool


class SettingsState(rx.State):
    """`said` is the answer to the last thing done, by provider; `added_note` that of the form for another server."""

    providers: rx.Field[list[ProviderItem]] = rx.field(default_factory=list[ProviderItem])
    said: rx.Field[dict[str, str]] = rx.field(default_factory=dict[str, str])
    added_note: rx.Field[str] = rx.field("")
    loaded: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Read how the providers stand, and look for local servers."""
        self.said, self.added_note = {}, ""
        await self._read()

    @rx.event
    async def save_provider(self, form: dict[str, Any]) -> None:
        """Store the key and the address of the provider that the form names."""
        name = _text(form, "provider")
        try:
            await save_provider(current(), LOCAL_OWNER, name, _text(form, "key"), _text(form, "base_url"))
        except InputError as error:
            self.said = {**self.said, name: str(error)}
            return
        self.said = {**self.said, name: "Saved."}
        await self._read()

    @rx.event
    async def forget_provider(self, name: str) -> None:
        """Delete what was entered for a provider."""
        await forget_provider(current(), LOCAL_OWNER, name)
        self.said = {**self.said, name: "Forgotten."}
        await self._read()

    @rx.event(background=True)
    async def test_provider(self, name: str) -> None:
        """Ask a provider whether it answers; other events go on meanwhile."""
        async with self:
            self.said = {**self.said, name: "Asking …"}
        try:
            answer = await test_provider(current(), LOCAL_OWNER, name)
        except InputError as error:
            answer = str(error)
        async with self:
            self.said = {**self.said, name: answer}

    @rx.event
    async def add_server(self, form: dict[str, Any]) -> None:
        """Add a compatible server by name and address."""
        name = _text(form, "name").strip().lower()
        if name in await providers_of(current(), LOCAL_OWNER):
            self.added_note = f"{name!r} is taken. Change that one above, or choose another name."
            return
        try:
            await save_provider(current(), LOCAL_OWNER, name, _text(form, "key"), _text(form, "base_url"))
        except InputError as error:
            self.added_note = str(error)
            return
        self.added_note = f"Added {name}."
        await self._read()

    async def _read(self) -> None:
        wb = current()
        providers = await providers_of(wb, LOCAL_OWNER)
        entered = await entered_by(wb, LOCAL_OWNER)
        self.providers = [_describe(provider, entered.get(name)) for name, provider in providers.items()]
        self.loaded = True


def _describe(provider: Provider, entered: ProviderSetting | None) -> ProviderItem:
    row = provider.row
    hint = f"…{provider.key[-_KEY_END:]}" if provider.key and len(provider.key) > 3 * _KEY_END else ""
    if not provider.ready:
        state = "No key yet"
    elif provider.key:
        state = f"{_ORIGINS[provider.origin]}Key {'ends in ' + hint if hint else 'is set'}"
    else:
        state = f"{_ORIGINS[provider.origin]}Needs no key"
    return ProviderItem(
        name=provider.name,
        label=row.label,
        status=state,
        ready=provider.ready,
        takes_setup=row.protocol != "offline",
        key_hint=hint,
        base_url=(entered.base_url or "") if entered else "",
        usual_url=row.base_url,
        key_page=row.key_page or "",
        removable=entered is not None,
    )


def _text(form: dict[str, Any], field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""
