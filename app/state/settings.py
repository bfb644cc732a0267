"""The Settings page: how each provider stands, and changing that. Of a key only whether it is there is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError
from app.providers.base import Provider
from app.runs.commands import LOCAL_OWNER
from app.runs.provider_commands import ProviderSetup, list_providers, remove_provider, save_provider
from app.runs.workbench import current

BUILT_IN: Final = "offline"
"""The provider that has nothing to set up."""

_ORIGINS: Final[Mapping[str, str]] = {
    "built in": "",
    "environment": "Set up by the environment. ",
    "settings": "",
    "detected": "Found on this machine. ",
}


@dataclass(frozen=True)
class ProviderItem:
    """A row of the page. `has_key`: there is one, which stays here; `base_url` was entered, `usual_url` holds else."""

    name: str
    label: str
    status: str
    ready: bool
    takes_setup: bool
    has_key: bool
    base_url: str
    usual_url: str
    key_page: str
    removable: bool


class SettingsState(rx.State):
    """`providers` begins with those that could be asked when the page was opened.

    `said` is the answer to the last thing done, by provider; `added_note` that of the form for another server.
    """

    providers: rx.Field[list[ProviderItem]] = rx.field(default_factory=list[ProviderItem])
    said: rx.Field[dict[str, str]] = rx.field(default_factory=dict[str, str])
    added_note: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Read how the providers stand, and look for local servers."""
        self.said, self.added_note, self.providers = {}, "", []
        await self._read()

    @rx.event
    async def save_provider(self, form: dict[str, Any]) -> None:
        """Store what the form holds; a key left empty stays as it was, an empty address is the vendor's own."""
        name = _text(form, "provider")
        self.said = {**self.said, name: await _save(form, name) or "Saved."}
        await self._read()

    @rx.event
    async def forget_provider(self, name: str) -> None:
        """Delete what was entered for a provider."""
        await remove_provider(current(), LOCAL_OWNER, name)
        self.said = {**self.said, name: "Forgotten."}
        await self._read()

    @rx.event(background=True)
    async def test_provider(self, name: str) -> None:
        """Ask a provider whether it answers; other events go on meanwhile."""
        async with self:
            self.said = {**self.said, name: "Asking …"}
        answer = await _try(name)
        async with self:
            self.said = {**self.said, name: answer}

    @rx.event
    async def add_server(self, form: dict[str, Any]) -> None:
        """Add a compatible server by name and address."""
        name = _text(form, "name").lower()
        if name in await _providers():
            self.added_note = f"{name!r} is taken. Change that one above, or choose another name."
            return
        self.added_note = await _save(form, name) or f"Added {name}."
        await self._read()

    async def _read(self) -> None:
        found = [_describe(setup) for setup in await list_providers(current(), LOCAL_OWNER)]
        places = {item.name: place for place, item in enumerate(self.providers)}  # nothing moves under a hand
        self.providers = sorted(found, key=lambda item: (places.get(item.name, len(places)), not item.ready))


async def _providers() -> Mapping[str, Provider]:
    wb = current()
    async with wb.store.read() as session:
        return await wb.catalogue.providers(session, LOCAL_OWNER)


async def _save(form: dict[str, Any], name: str) -> str:
    """Store what was entered. Returns why that cannot be, "" if it could."""
    try:
        await save_provider(
            current(), LOCAL_OWNER, name, key=_text(form, "key") or None, base_url=_text(form, "base_url")
        )
    except InputError as error:
        return str(error)
    return ""


async def _try(name: str) -> str:
    """What came of asking this provider for its models, as a sentence."""
    provider = (await _providers()).get(name)
    if provider is None:
        return f"There is no {name!r} any more. Reload the page."
    offers = await current().catalogue.offers({name: provider}, afresh=True)
    if not offers:
        return "It has no key yet."
    if (failure := offers[0].failure) is not None:
        return f"{failure} {failure.next_step}"
    count = len(offers[0].models)
    return f"It works: {count} {'model' if count == 1 else 'models'} on offer."


def _describe(setup: ProviderSetup) -> ProviderItem:
    if not setup.ready:
        status = "No key yet"
    elif setup.has_key:
        status = f"{_ORIGINS[setup.origin]}Key is set"
    else:
        status = f"{_ORIGINS[setup.origin]}Needs no key"
    return ProviderItem(
        name=setup.name,
        label=setup.label,
        status=status,
        ready=setup.ready,
        takes_setup=setup.name != BUILT_IN,
        has_key=setup.has_key,
        base_url=setup.entered_base_url or "",
        usual_url=setup.base_url,
        key_page=setup.key_page or "",
        removable=setup.entered,
    )


def _text(form: dict[str, Any], field: str) -> str:
    value = form.get(field, "")
    return value.strip() if isinstance(value, str) else ""
