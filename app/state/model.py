"""The choice of a model: the one that the composer would send to, and the others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InputError, NotFoundError
from app.domain.model_profile import ModelProfile
from app.domain.people.allowances import allows
from app.language.translation import translate
from app.providers.base import Provider
from app.runs.caller import caller
from app.runs.library.abilities import list_capable
from app.runs.process.catalogue import DEFAULT_MODEL, Offer
from app.runs.send.commands import change_conversation
from app.runs.usage.allowances import read_allowance, require_model
from app.runs.workbench import Workbench, bench_of, current
from app.state.address import conversation_in
from app.store.conversation.conversations import load_conversation
from app.views.model import describe_in_short, describe_skipped
from app.views.screen.failure import translate_next_step
from app.views.screen.options import OptionRow

GATHER_SECONDS: Final = 0.2
"""How long the menu waits for all providers before it shows those that have answered."""


@dataclass(frozen=True)
class ModelChoice:
    """A model that can be chosen instead."""

    model: str
    name: str


class ModelState(rx.State):
    """`chosen` is "provider:model", in the conversation `chosen_in` ("": for a new one).

    `images`, `files`: it takes images, and PDFs as files; else `capable`, `capable_of_files` are some that do.

    `rows` are what else there is, by provider: empty until the first has answered.
    `remembered` is the last one chosen in this browser, for new conversations.
    """

    chosen: rx.Field[str] = rx.field("")
    chosen_in: rx.Field[str] = rx.field("")
    chosen_name: rx.Field[str] = rx.field("")
    images: rx.Field[bool] = rx.field(default=True)
    capable: rx.Field[tuple[ModelChoice, ...]] = rx.field(())
    files: rx.Field[bool] = rx.field(default=True)
    capable_of_files: rx.Field[tuple[ModelChoice, ...]] = rx.field(())
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    remembered: str = rx.LocalStorage("", name="inview.model")
    _begun_with: str = ""  # the model of the new conversation on screen, which is not remembered for others

    @rx.event
    async def load(self) -> None:
        """The model of the conversation on screen, or the one for a new conversation."""
        wb = current()
        model = await self._model_here(wb)
        self.chosen_in = conversation_in(self.router.url.path)
        if model != self.chosen or not self.chosen_name:
            self.chosen, self.chosen_name = model, await _name(wb, model)
            await _show_abilities(self, wb, model)

    @rx.event
    async def choose(self, model: str) -> None:
        """Send to this one from now on.

        Raises:
            InputError: no provider here offers it.
            ModelNotAllowedError: the role of the person may not use it.
        """
        wb = current()
        await require_model(wb, caller(), model)
        async with wb.store.read() as session:
            _, profile = await wb.catalogue.find(session, caller(), model)
        conversation_id = conversation_in(self.router.url.path)
        if conversation_id:
            await change_conversation(await bench_of(wb, conversation_id), caller(), conversation_id, model=model)
        self._begun_with = ""
        self.chosen, self.chosen_in, self.chosen_name, self.remembered = model, conversation_id, profile.name, model
        await _show_abilities(self, wb, model)

    @rx.event(background=True)
    async def look(self) -> None:
        """Ask the providers for their models. Each answer is shown when it comes, without waiting for the slowest."""
        wb = current()
        await wb.catalogue.look_around()
        async with wb.store.read() as session:
            providers = await wb.catalogue.providers(session, caller())
        asked = {
            name: asyncio.create_task(wb.catalogue.offers({name: provider}))
            for name, provider in providers.items()
            if provider.ready
        }
        waiting = set(asked.values())
        await asyncio.wait(waiting, timeout=GATHER_SECONDS)
        while True:
            allowed = (await read_allowance(wb, caller())).models
            rows = [row for name, task in asked.items() for row in _describe_answer(providers[name], task)]
            rows = [row for row in rows if not row.value or allows(allowed, row.value)]
            async with self:
                self.rows = (*rows, *_not_set_up(providers.values()))
            waiting = {task for task in waiting if not task.done()}
            if not waiting:
                return
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)

    async def _model_here(self, wb: Workbench) -> str:
        conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return self._begun_with or self.remembered or DEFAULT_MODEL
        self._begun_with = ""
        try:
            async with (await bench_of(wb, conversation_id)).store.read() as session:
                conversation = await load_conversation(session, caller(), conversation_id)
        except NotFoundError:
            return DEFAULT_MODEL  # the page says that the conversation is missing
        return conversation.model or DEFAULT_MODEL


async def begin_with_model(state: rx.State, model: str) -> None:
    """Let the new conversation on screen begin with this model. The one that is remembered for others stays.

    Raises:
        InputError: no provider here offers it.
    """
    wb, models = current(), await state.get_state(ModelState)
    async with wb.store.read() as session:
        _, profile = await wb.catalogue.find(session, caller(), model)
    models.chosen, models.chosen_in, models.chosen_name = model, "", profile.name
    await _show_abilities(models, wb, model)
    models._begun_with = model  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def _name(wb: Workbench, model: str) -> str:
    try:
        async with wb.store.read() as session:
            return (await wb.catalogue.find(session, caller(), model))[1].name
    except InputError:
        return model  # its provider is gone: the name says which, sending says what to do


async def _show_abilities(models: ModelState, wb: Workbench, model: str) -> None:
    """What this model takes, and else some that do. Of a model that nobody here offers nothing is said."""
    images, files = True, True
    with suppress(InputError):
        async with wb.store.read() as session:
            _, profile = await wb.catalogue.find(session, caller(), model)
        images, files = profile.images, profile.files
    capable = () if images else await list_capable(wb, caller(), images=True)
    capable_of_files = () if files else await list_capable(wb, caller(), files=True)
    models.images, models.capable = images, _name_all(capable)
    models.files, models.capable_of_files = files, _name_all(capable_of_files)


def _name_all(profiles: Sequence[ModelProfile]) -> tuple[ModelChoice, ...]:
    return tuple(ModelChoice(one.model, one.name) for one in profiles)


def _describe_answer(provider: Provider, task: asyncio.Task[tuple[Offer, ...]]) -> tuple[OptionRow, ...]:
    if not task.done():
        return (_note(provider.row.label, translate("common.asking")),)
    return _describe_offer(task.result()[0])


def _describe_offer(offer: Offer) -> tuple[OptionRow, ...]:
    """Its models; or what to do where there is nothing to choose."""
    label = offer.provider.row.label
    note = "" if offer.failure is None else f"{offer.failure.message} {translate_next_step(offer.failure.next_step)}"
    if offer.skipped:
        note = describe_skipped(offer.skipped)
    if not offer.models:
        return (_note(label, note or translate("model.it_lists_no_models")),)
    return tuple(_describe_model(profile, label, note) for profile in offer.models)


def _describe_model(profile: ModelProfile, group: str, group_note: str) -> OptionRow:
    return OptionRow(profile.model, profile.name, describe_in_short(profile), group, group_note)


def _note(group: str, note: str) -> OptionRow:
    return OptionRow("", "", group=group, group_note=note)


def _not_set_up(providers: Iterable[Provider]) -> list[OptionRow]:
    """One row for everybody who still wants a key."""
    labels = ", ".join(provider.row.label for provider in providers if not provider.ready)
    return [_note(translate("model.not_set_up_yet"), translate("model.missing_key", labels=labels))] if labels else []
