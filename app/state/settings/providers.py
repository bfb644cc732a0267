"""Settings → Providers: the state of each provider, and how to change it. A key enters and never leaves again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError
from app.providers.base import Provider
from app.runs.library.provider_commands import ProviderSetup, list_providers, remove_provider, save_provider
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import current
from app.views.model import describe_skipped

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
    """A row of the page. `base_url` was entered by the person; without one, `usual_url` is used.

    `said` is the answer to the last thing done to this provider.
    """

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
    said: str = ""


class ProvidersState(rx.State):
    """`providers` begins with those that were ready when the page was opened. `added_note` answers the form below."""

    providers: rx.Field[tuple[ProviderItem, ...]] = rx.field(())
    added_note: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def load(self) -> None:
        """Look for local servers and show every provider."""
        found = await _describe_all()
        async with self:
            self.added_note, self.providers = "", _arrange(found, ())

    @rx.event(background=True)
    async def save_provider(self, form: dict[str, Any]) -> None:
        """Store the form. An empty key keeps the stored one; an empty address means the vendor's own."""
        name = _text(form, "provider")
        said = await _save(form, name) or "Saved."
        await self._read(name, said)

    @rx.event(background=True)
    async def forget_provider(self, name: str) -> None:
        """Delete what was entered for a provider."""
        await remove_provider(current(), LOCAL_OWNER, name)
        await self._read(name, "Forgotten.")

    @rx.event(background=True)
    async def test_provider(self, name: str) -> None:
        """Ask a provider for its models and show what came of it."""
        async with self:
            self._say(name, "Asking …")
        answer = await _try(name)
        async with self:
            self._say(name, answer)

    @rx.event(background=True)
    async def add_server(self, form: dict[str, Any]) -> None:
        """Add a compatible server by name and address."""
        name = _text(form, "name").lower()
        if name in await _providers():
            note = f"{name!r} is taken. Change that one above, or choose another name."
        else:
            note = await _save(form, name) or f"Added {name}."
        async with self:
            self.added_note = note
        await self._read()

    async def _read(self, about: str = "", said: str = "") -> None:
        found = await _describe_all()
        async with self:
            self.providers = _arrange(found, self.providers)
            self._say(about, said)

    def _say(self, name: str, said: str) -> None:
        self.providers = tuple(replace(item, said=said) if item.name == name else item for item in self.providers)


def _arrange(found: Iterable[ProviderItem], before: Sequence[ProviderItem]) -> tuple[ProviderItem, ...]:
    """Keep the order of `before`, so that nothing moves under the pointer; new ones follow, ready ones first."""
    places = {item.name: place for place, item in enumerate(before)}
    kept = (replace(item, said=before[places[item.name]].said) if item.name in places else item for item in found)
    return tuple(sorted(kept, key=lambda item: (places.get(item.name, len(places)), not item.ready)))


async def _describe_all() -> list[ProviderItem]:
    return [_describe(setup) for setup in await list_providers(current(), LOCAL_OWNER)]


async def _providers() -> Mapping[str, Provider]:
    wb = current()
    async with wb.store.read() as session:
        return await wb.catalogue.providers(session, LOCAL_OWNER)


async def _save(form: dict[str, Any], name: str) -> str:
    """Store what was entered. Returns the reason if it is refused, "" otherwise."""
    try:
        await save_provider(
            current(), LOCAL_OWNER, name, key=_text(form, "key") or None, base_url=_text(form, "base_url")
        )
    except InputError as error:
        return str(error)
    return ""


async def _try(name: str) -> str:
    """Ask this provider for its models. Returns the result as a sentence."""
    provider = (await _providers()).get(name)
    if provider is None:
        return f"There is no {name!r} any more. Reload the page."
    offers = await current().catalogue.offers({name: provider}, afresh=True)
    if not offers:
        return "It has no key yet."
    if (failure := offers[0].failure) is not None:
        return f"{failure.message} {failure.next_step}"
    count = len(offers[0].models)
    skipped = f" {describe_skipped(offers[0].skipped)}" if offers[0].skipped else ""
    return f"It works: {count} {'model' if count == 1 else 'models'} on offer.{skipped}"


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
