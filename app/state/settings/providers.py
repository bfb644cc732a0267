"""Settings → Providers: the status and the settings of each provider. A key can be entered but is never shown.

New settings are tested at once. Each provider shows the result of its last test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InputError, NotFoundError, add_next_step
from app.domain.models.provider_trials import ProviderHealth
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import (
    ProviderSetup,
    list_providers,
    remove_provider,
    save_provider,
    try_provider,
)
from app.state.messages.error_messages import describe_fault
from app.views.settings.model import describe_skipped
from app.views.usage.figures import plural

BUILT_IN: Final = "offline"
"""The name of the built-in provider, which needs no settings."""

_ORIGINS: Final[Mapping[str, str]] = {
    "built in": "",
    "environment": "Set by environment variables",
    "settings": "",
    "detected": "Found on this machine",
}

_STATUS: Final[Mapping[ProviderHealth, str]] = {
    ProviderHealth.NO_KEY: "No key yet",
    ProviderHealth.UNTRIED: "Not tested yet",
    ProviderHealth.TRYING: "Testing…",
    ProviderHealth.KEY_REJECTED: "Key rejected",
    ProviderHealth.UNREACHABLE: "Unreachable",
}
"""The texts of a provider's status. A provider that answers shows its number of models instead."""


@dataclass(frozen=True)
class RegionItem:
    """Another region of a vendor, with its base URL."""

    name: str
    base_url: str


@dataclass(frozen=True)
class ProviderItem:
    """A provider in the list of providers.

    - `base_url`: the address that the user entered; if it is "", `usual_url` is used.
    - `status`: the health of the provider in words.
    - `problem`: the reason why it cannot be used, and the next step, or a note on skipped models; "" for none.
    - `about`: the origin of the provider, and whether it has a key.
    - `takes_setup`: it has settings.
    - `removable`: its settings were entered in Settings.
    - `said`: the message after the last command.
    - `edition`: the number of accepted forms. An accepted form resets the fields, a refused one keeps their texts.
    - `offered`: the provider is listed among the providers to add, because it had no key when the page was opened. It
      stays there until the next visit, even with a key.
    - `regions`: the vendor's other regions.
    """

    name: str
    label: str
    about: str
    health: str
    status: str
    problem: str
    takes_setup: bool
    has_key: bool
    base_url: str
    usual_url: str
    key_page: str
    removable: bool
    said: str = ""
    edition: int = 0
    offered: bool = False
    regions: tuple[RegionItem, ...] = ()


class ProvidersState(rx.State):
    """The section Providers of the settings.

    - `providers`: all providers. The first ones could be used when the page was opened: they had a key, or needed none.
    - `none_set_up`: when the page was opened, only the built-in provider could be used.
    - `added_note`: the message after the form that adds a server was sent.
    - `added`: the number of servers that the form added.
    """

    providers: rx.Field[tuple[ProviderItem, ...]] = rx.field(())
    none_set_up: rx.Field[bool] = rx.field(default=False)
    added_note: rx.Field[str] = rx.field("")
    added: rx.Field[int] = rx.field(0)
    _trying: rx.Field[tuple[str, ...]] = rx.field(())
    """The names of the providers that this tab is testing."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Look for model servers on this machine, and show every provider."""
        found = await list_providers(current(), LOCAL_OWNER)
        async with self:
            self.added_note, self.providers = "", ()
            self._show(found)
            self.none_set_up = all(item.offered for item in self.providers if item.takes_setup)

    @rx.event(background=True)
    async def save_provider(self, form: dict[str, Any]) -> None:
        """Store the settings in the form of a provider, and test the provider.

        If the key is empty, the stored key is kept. If the address is empty, the usual address is used.
        """
        name = _text(form, "provider")
        refusal = await _save(form, name)
        if refusal:
            await self._read(name, refusal)
            return
        await self._read(name, "Saved.", accepted=True)
        await self._try(name)

    @rx.event(background=True)
    async def forget_provider(self, name: str) -> None:
        """Delete the settings that were entered for a provider in Settings."""
        await remove_provider(current(), LOCAL_OWNER, name)
        await self._read(name, "Removed.", accepted=True)

    @rx.event(background=True)
    async def test_provider(self, name: str) -> None:
        """Request a provider's models, and show the result."""
        await self._read(name, "")
        await self._try(name)

    @rx.event(background=True)
    async def add_server(self, form: dict[str, Any]) -> None:
        """Add the server in the form, which has an OpenAI-compatible API, and test it.

        The server is added even if it cannot be reached.
        """
        name = _text(form, "name").lower()
        taken = any(setup.name == name for setup in await list_providers(current(), LOCAL_OWNER))
        refusal = f"{name!r} already exists. Change it above or choose another name." if taken else ""
        refusal = refusal or await _save(form, name)
        async with self:
            self.added_note = refusal or f"Added {name}. Testing…"
            self.added += not refusal
        if refusal:
            return
        await self._try(name)
        async with self:
            self.added_note = " ".join(
                f"Added {name}. {one.status}. {one.problem}".rstrip() for one in self.providers if one.name == name
            )

    async def _try(self, name: str) -> None:
        async with self:
            self._trying = (*self._trying, name)
        await self._read()
        try:
            await try_provider(current(), LOCAL_OWNER, name)
        except NotFoundError:
            pass  # the provider was deleted meanwhile, here or in another tab, so its row is removed
        finally:
            async with self:
                trying = list(self._trying)
                trying.remove(name)
                self._trying = tuple(trying)
        await self._read()

    async def _read(self, about: str = "", message: str = "", *, accepted: bool = False) -> None:
        """Read and show the providers. `message` is the answer to a command for the provider `about`."""
        found = await list_providers(current(), LOCAL_OWNER)
        async with self:
            self._show(found)
            self.providers = tuple(
                replace(item, said=message, edition=item.edition + accepted) if item.name == about else item
                for item in self.providers
            )

    def _show(self, found: Iterable[ProviderSetup]) -> None:
        items = (_describe(setup, trying=setup.name in self._trying) for setup in found)
        self.providers = _arrange(items, self.providers)


def _arrange(found: Iterable[ProviderItem], before: Sequence[ProviderItem]) -> tuple[ProviderItem, ...]:
    """Return the providers in their order: those with a key first.

    A provider that is already shown keeps its place. A new provider gets the place that it would have after a reload.
    """
    marked = (replace(item, offered=item.health == ProviderHealth.NO_KEY) for item in found)
    fresh = sorted(marked, key=lambda item: item.offered)
    named = {item.name: item for item in fresh}
    arranged = [
        replace(named[was.name], said=was.said, edition=was.edition, offered=was.offered)
        for was in before
        if was.name in named
    ]
    places = {item.name for item in arranged}
    for at, item in enumerate(fresh):
        if item.name not in places:
            names = [one.name for one in arranged]
            arranged.insert(names.index(fresh[at - 1].name) + 1 if at else 0, item)
    return tuple(arranged)


async def _save(form: dict[str, Any], name: str) -> str:
    """Store the form. Return the reason if the form is refused, otherwise ""."""
    try:
        await save_provider(
            current(), LOCAL_OWNER, name, key=_text(form, "key") or None, base_url=_text(form, "base_url")
        )
    except InputError as error:
        return describe_fault(error)
    return ""


def _describe(setup: ProviderSetup, *, trying: bool) -> ProviderItem:
    trial = setup.trial
    health = ProviderHealth.TRYING if trying else trial.health
    status = f"Connected, {plural(trial.models, 'model')}" if health is ProviderHealth.ANSWERS else _STATUS[health]
    about = (_ORIGINS[setup.origin], "Key is set" if setup.has_key else "")
    problem = add_next_step(trial.reason, trial.next_step)
    if health is ProviderHealth.ANSWERS and setup.skipped:
        problem = describe_skipped(setup.skipped)
    return ProviderItem(
        name=setup.name,
        label=setup.label,
        about=" · ".join(filter(None, about)),
        health=health.value,
        status=status,
        problem="" if trying else problem,
        takes_setup=setup.name != BUILT_IN,
        has_key=setup.has_key,
        base_url=setup.entered_base_url or "",
        usual_url=setup.base_url,
        key_page=setup.key_page or "",
        removable=setup.entered,
        regions=tuple(RegionItem(name, base_url) for name, base_url in setup.regions),
    )


def _text(form: dict[str, Any], field: str) -> str:
    value = form.get(field, "")
    return value.strip() if isinstance(value, str) else ""
