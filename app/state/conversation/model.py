"""The choice of a model: the model of the next send, and the menu of all available models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import ErrorClass, Failure, add_next_step
from app.domain.models.model_profile import ModelProfile
from app.domain.models.provider_trials import describe_trial_failure
from app.providers.base import Provider
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.opening import OpenedConversation, read_opened
from app.runs.runtime.catalogue import ProviderModels
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.abilities import list_capable
from app.runs.settings.provider_commands import list_models
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.views.composer.options import OptionRow
from app.views.settings.model import describe_in_short, describe_skipped

GATHER_SECONDS: Final = 0.2
"""Seconds that the menu of models waits for all providers.

After that it shows the lists that have arrived, and each later one at once.
"""


@dataclass(frozen=True)
class ModelChoice:
    """A model that accepts images. It is offered when the chosen model does not accept them."""

    model: str
    name: str


@dataclass(frozen=True)
class LocalServer:
    """A model server that was found on this machine.

    `model` is the full name of its first model, `name` is the display name of this model.
    """

    label: str
    model: str
    name: str


@dataclass(frozen=True)
class MissingKey:
    """A provider that cannot list its models because it has no key."""

    name: str
    label: str


class ModelState(rx.State):
    """The chosen model, and the menu of models.

    - `chosen`: the model as "provider:model".
    - `chosen_name`: its display name.
    - `chosen_in`: the conversation that the choice applies to; "": a new one.
    - `images`: the chosen model accepts images.
    - `capable`: some models that accept images, if the chosen one does not.
    - `remembered`: the last model chosen in this browser, for new conversations.
    - `rows`: the models of all providers; empty until the first provider has answered. The last rows are the providers
      without models, each with the reason.
    - `keyless`: the providers without a key, whose models cannot be listed.
    - `local`: the model servers that were found on this machine.
    """

    chosen: rx.Field[str] = rx.field("")
    chosen_in: rx.Field[str] = rx.field("")
    chosen_name: rx.Field[str] = rx.field("")
    images: rx.Field[bool] = rx.field(default=True)
    capable: rx.Field[tuple[ModelChoice, ...]] = rx.field(())
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    keyless: rx.Field[tuple[MissingKey, ...]] = rx.field(())
    local: rx.Field[tuple[LocalServer, ...]] = rx.field(())
    remembered: str = rx.LocalStorage("", name="inview.model")

    @rx.event
    async def load(self) -> None:
        """Read and show the model of the conversation on screen or, on the start page, of the next conversation."""
        here = conversation_in(self.router.url.path)
        await show_model(self, await read_opened(current(), LOCAL_OWNER, here, model=self.remembered))

    @rx.event
    async def choose(self, model: str) -> None:
        """Use this model from now on.

        Raises:
            InputError: no provider offers this model.
        """
        ctx = current()
        async with ctx.store.read() as session:
            _, profile = await ctx.catalogue.find(session, LOCAL_OWNER, model)
            providers = await ctx.catalogue.providers(session, LOCAL_OWNER)
        conversation_id = conversation_in(self.router.url.path)
        if conversation_id:
            await change_conversation(
                await context_for(ctx, conversation_id), LOCAL_OWNER, conversation_id, SettingChanges(model=model)
            )
        self.chosen, self.chosen_in, self.chosen_name, self.remembered = model, conversation_id, profile.name, model
        self.images, self.capable = await _describe_abilities(profile, providers)

    @rx.event(background=True)
    async def look(self) -> None:
        """Request the providers' models, and show each answer without waiting for the slowest provider."""
        ctx = current()
        await ctx.catalogue.look_around()
        async with ctx.store.read() as session:
            providers = await ctx.catalogue.providers(session, LOCAL_OWNER)
        keyless = tuple(MissingKey(name, one.row.label) for name, one in providers.items() if not one.ready)
        tasks = {
            name: asyncio.create_task(ctx.catalogue.offers({name: provider}))
            for name, provider in providers.items()
            if provider.ready
        }
        waiting = set(tasks.values())
        await asyncio.wait(waiting, timeout=GATHER_SECONDS)
        while True:
            rows = [row for name, task in tasks.items() for row in _describe_answer(providers[name], task)]
            async with self:
                self.rows, self.keyless = tuple(sorted(rows, key=lambda row: row.name == "")), keyless
            waiting = {task for task in waiting if not task.done()}
            if not waiting:
                return
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

    @rx.event(background=True)
    async def find_local(self) -> None:
        """Look for model servers on this machine."""
        offers = await list_models(current(), LOCAL_OWNER)
        found = [offer for offer in offers if offer.provider.origin == "detected" and offer.models]
        async with self:
            self.local = tuple(
                LocalServer(offer.provider.row.label, offer.models[0].model, offer.models[0].name) for offer in found
            )


async def open_model(state: ModelState, opened: OpenedConversation) -> Any:
    """Show the model as `show_model` does.

    If the model has changed and its provider is not known, show nothing yet: return the event that looks for the
    server on this machine.
    """
    if opened.provider.missing and not _is_shown(state, opened):
        return ModelState.load
    await show_model(state, opened)
    return None


async def show_model(state: ModelState, opened: OpenedConversation) -> None:
    """Show the model of the conversation on screen; on the start page, that of the next conversation."""
    set_changed(state, chosen_in=opened.id)
    if not _is_shown(state, opened):
        # if its provider no longer exists, the name says so, and a send names the next step
        set_changed(state, chosen=opened.model, chosen_name=opened.profile.name)
        images, capable = await _describe_abilities(opened.profile, opened.providers)
        set_changed(state, images=images, capable=capable)


def _is_shown(state: ModelState, opened: OpenedConversation) -> bool:
    return opened.model == state.chosen and bool(state.chosen_name)


async def _describe_abilities(
    profile: ModelProfile, providers: Mapping[str, Provider]
) -> tuple[bool, tuple[ModelChoice, ...]]:
    """Return whether this model accepts images. If it does not, also return some models that do."""
    if profile.images:
        return True, ()
    capable = await list_capable(current(), providers.values(), images=True)
    return False, tuple(ModelChoice(one.model, one.name) for one in capable)


def _describe_answer(provider: Provider, task: asyncio.Task[tuple[ProviderModels, ...]]) -> tuple[OptionRow, ...]:
    if not task.done():
        return (_note(provider.row.label, "Asking …"),)
    return _describe_offer(task.result()[0])


def _describe_failure(why: Failure, provider: Provider) -> str:
    """Describe the failure with the next step that Settings shows. After a rejected key, it is to open Settings."""
    trial = describe_trial_failure(why, own_address=provider.own_address)
    return add_next_step(why.message, why.next_step if why.error_class is ErrorClass.AUTH else trial.next_step)


def _describe_offer(offer: ProviderModels) -> tuple[OptionRow, ...]:
    """Return the rows of a provider's models, or a row that says why there are none."""
    label = offer.provider.row.label
    note = "" if offer.failure is None else _describe_failure(offer.failure, offer.provider)
    if offer.skipped:
        note = describe_skipped(offer.skipped)
    if not offer.models:
        return (_note(label, note or "The server lists no models."),)
    return tuple(_describe_model(profile, label, note) for profile in offer.models)


def _describe_model(profile: ModelProfile, group: str, group_note: str) -> OptionRow:
    return OptionRow(profile.model, profile.name, describe_in_short(profile), group, group_note)


def _note(group: str, note: str) -> OptionRow:
    return OptionRow("", "", group=group, group_note=note)
