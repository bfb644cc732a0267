"""Settings → Providers: the state of each provider, and how to change it. A key enters and never leaves again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import ForbiddenError, InputError
from app.language.translation import translate
from app.providers.base import Provider
from app.runs.caller import caller
from app.runs.library.provider_commands import (
    ProviderSetup,
    list_providers,
    may_enter_base_urls,
    remove_provider,
    save_provider,
)
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.views.figures import plural
from app.views.model import describe_skipped
from app.views.screen.failure import translate_next_step

BUILT_IN: Final = "offline"
"""The provider that has nothing to set up."""

_ORIGINS: Final[Mapping[str, str]] = {
    "built in": "",
    "environment": "settings.providers.from_environment",
    "settings": "",
    "detected": "settings.providers.found_on_this_machine",
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
    """`providers` begins with those that were ready when the page was opened. `added_note` answers the form below.

    `addresses`: whether this person may enter base URLs.
    """

    addresses: rx.Field[bool] = rx.field(default=False)
    providers: rx.Field[tuple[ProviderItem, ...]] = rx.field(())
    added_note: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def load(self) -> None:
        """Look for local servers and show every provider."""
        found, addresses = await _describe_all(), await may_enter_base_urls(current(), caller())
        async with self:
            self.addresses = addresses
            self.added_note, self.providers = "", _arrange(found, ())

    @rx.event(background=True)
    async def save_provider(self, form: dict[str, Any]) -> None:
        """Store the form. An empty key keeps the stored one; an empty address means the vendor's own."""
        name = _text(form, "provider")
        said = await _save(form, name) or translate("common.saved")
        await self._read(name, said)

    @rx.event(background=True)
    async def forget_provider(self, name: str) -> None:
        """Delete what was entered for a provider."""
        await remove_provider(current(), caller(), name)
        await self._read(name, translate("settings.providers.forgotten"))

    @rx.event(background=True)
    async def test_provider(self, name: str) -> None:
        """Ask a provider for its models and show what came of it."""
        async with self:
            self._say(name, translate("common.asking"))
        answer = await _try(name)
        async with self:
            self._say(name, answer)

    @rx.event(background=True)
    async def add_server(self, form: dict[str, Any]) -> None:
        """Add a compatible server by name and address."""
        name = _text(form, "name").lower()
        if name in await _providers():
            note = translate("settings.providers.name_taken", name=repr(name))
        else:
            note = await _save(form, name) or translate("settings.providers.added", name=name)
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
    return [_describe(setup) for setup in await list_providers(current(), caller())]


async def _providers() -> Mapping[str, Provider]:
    wb = current()
    async with wb.store.read() as session:
        return await wb.catalogue.providers(session, caller())


async def _save(form: dict[str, Any], name: str) -> str:
    """Store what was entered. Returns the reason if it is refused, "" otherwise."""
    base_url = _text(form, "base_url") if "base_url" in form else None
    try:
        await save_provider(current(), caller(), name, key=_text(form, "key") or None, base_url=base_url)
    except (InputError, ForbiddenError) as error:
        return describe_fault(error)
    return ""


async def _try(name: str) -> str:
    """Ask this provider for its models. Returns the result as a sentence."""
    provider = (await _providers()).get(name)
    if provider is None:
        return translate("settings.providers.gone", name=repr(name))
    offers = await current().catalogue.offers({name: provider}, afresh=True)
    if not offers:
        return translate("settings.providers.no_key")
    if (failure := offers[0].failure) is not None:
        return f"{failure.message} {translate_next_step(failure.next_step)}"
    count = len(offers[0].models)
    skipped = f" {describe_skipped(offers[0].skipped)}" if offers[0].skipped else ""
    return translate("settings.providers.it_works", models=plural(count, "model")) + skipped


def _after_origin(setup: ProviderSetup, key: str) -> str:
    origin = _ORIGINS[setup.origin]
    return f"{translate(origin)} {translate(key)}" if origin else translate(key)


def _describe(setup: ProviderSetup) -> ProviderItem:
    if not setup.ready:
        status = translate("settings.providers.no_key_yet")
    elif setup.has_key:
        status = _after_origin(setup, "settings.providers.key_is_set")
    else:
        status = _after_origin(setup, "settings.providers.needs_no_key")
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
