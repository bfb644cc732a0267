"""Settings → Titles and stored replies: the model that writes titles, and the replay of repeated requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import reflex as rx

from app.domain.errors import InputError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import current
from app.runs.runtime.catalogue import ProviderModels
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.runs.settings.provider_commands import list_models
from app.state.messages.error_messages import describe_fault
from app.state.settings.preferences import prefer


@dataclass(frozen=True)
class TitleModel:
    """A model that can write titles. `value` is its full name, "provider:model"; `name` is the text in the menu."""

    value: str
    name: str


class TitlesState(rx.State):
    """The section “Titles and stored replies” of the settings. `said` is the message after the last change.

    `models` are the models that can write titles, with the chosen model even if no provider offers it.
    """

    models: rx.Field[tuple[TitleModel, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def load(self) -> None:
        """Show the chosen model at once, and all models as soon as the providers have answered."""
        chosen = (await read_preferences(current(), LOCAL_OWNER)).title_model
        async with self:
            self.said, self.models = "", describe_models((), chosen)
        offers = await list_models(current(), LOCAL_OWNER)
        async with self:
            self.models = describe_models(offers, chosen)

    @rx.event
    async def name_conversations(self, on: bool) -> None:
        """Set whether a model writes titles for new conversations.

        Off: they have no title until a person writes one.
        """
        await self._change(lambda known: replace(known, titles=on is True))

    @rx.event
    async def choose_model(self, model: str) -> None:
        """Use this model for titles; "": the model of the conversation."""
        await self._change(lambda known: replace(known, title_model=str(model) or None))

    @rx.event
    async def replay(self, on: bool) -> None:
        """Answer repeated requests with the stored reply, or ask the model every time."""
        await self._change(lambda known: replace(known, replay=on is True))

    async def _change(self, change: Callable[[Preferences], Preferences]) -> None:
        try:
            await prefer(self, change)
        except InputError as error:
            self.said = describe_fault(error)
        else:
            self.said = "Saved."


def describe_models(offers: Iterable[ProviderModels], chosen: str | None) -> tuple[TitleModel, ...]:
    """Return all models that providers offer, and the chosen one even if none offers it."""
    names = {profile.model: profile.name for offer in offers for profile in offer.models}
    if chosen and chosen not in names:
        names[chosen] = chosen
    return tuple(TitleModel(model, _name(model, name)) for model, name in names.items())


def _name(model: str, name: str) -> str:
    return model if name == model else f"{name} ({model.partition(':')[0]})"
