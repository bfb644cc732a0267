"""The menu of models that can answer a pair again. The pair's own model is first, so that Enter selects it.

    await tab.send(AnswerAgainState.ask, pair_id="p1")
    await tab.send(AnswerAgainState.choose, model="offline:tiny")

At first, the menu has the entries that need no provider: the pair's own model, the model selected in the message box,
and an entry that opens the dialog for several models. The models of the providers are added below them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.domain.models.model_profile import ModelProfile, split_model_name
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import list_models
from app.state.compare.choice import ComparisonChoiceState
from app.state.conversation.model import ModelState
from app.state.messages.error_messages import describe_fault
from app.state.reply.pair_lookup import find_pair
from app.state.reply.resend import MAX_MODEL, ResendState
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState
from app.views.composer.options import OptionRow

SEVERAL: Final = ""
"""The key of the menu entry for several models. No model has this name."""
_SEVERAL: Final = OptionRow(SEVERAL, "Several models, side by side…", "compare")
_LOOKING: Final = "Loading models…"
_EXPLAINED: Final = "The pairs in view above it are sent along; the current reply stays as a version."


@dataclass(frozen=True, slots=True)
class AnswerAgainView:
    """The pair that is answered again, by the model that a person chooses in the menu. `label` is the menu's name."""

    pair_id: str
    label: str


class AnswerAgainState(VisitedState, rx.State):
    """The menu of models for a pair, which is open while `asking` is set.

    `rows` are the entries of the menu. `said` is the text below them: a hint, or the reason why the models cannot be
    listed.
    """

    asking: rx.Field[AnswerAgainView | None] = rx.field(None)
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    _own: str = ""
    _below: str = ""  # the name of the model that is chosen in the composer

    @rx.event
    async def ask(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Open the menu for a pair. An unknown pair changes nothing."""
        if (pair := await find_pair(self, pair_id)) is None:
            return None
        models = await self.get_state(ModelState)
        self._own = pair.model
        self._below = models.chosen if models.chosen_in == pair.conversation_id else ""
        await self._come()
        self.asking = AnswerAgainView(pair.id, f"Regenerate pair {pair.position}")
        self.rows, self.said = self._list(()), _LOOKING
        return AnswerAgainState.look

    @rx.event
    async def close(self) -> None:
        """Close the menu of models without a choice."""
        self.asking = None

    @rx.event(background=True)
    async def look(self) -> None:
        """Request the providers' models, and add them to the menu."""
        try:
            offers = await list_models(current(), LOCAL_OWNER)
        except InviewError as error:
            async with self:
                self.said = describe_fault(error)
            return
        async with self:
            self.rows = self._list(tuple(profile for offer in offers for profile in offer.models))
            self.said = _EXPLAINED

    @rx.event
    async def choose(self, model: str) -> rx.event.EventType[()] | None:
        """Let this model answer the pair. `SEVERAL` opens the dialog for several models instead."""
        asking, valid_model = self.asking, text_in(model, MAX_MODEL)
        if asking is None or valid_model is None:
            return None
        self.asking = None
        if valid_model == SEVERAL:
            return cast("EventSpec", ComparisonChoiceState.ask_for_pair(asking.pair_id))
        return cast("EventSpec", ResendState.answer_again(asking.pair_id, valid_model))

    async def _end_visit(self) -> None:
        self.asking = None

    def _list(self, models: tuple[ModelProfile, ...]) -> tuple[OptionRow, ...]:
        names = {profile.model: profile.name for profile in models}
        notes = {self._below: "selected in the message box", self._own: "same as before"}
        first = tuple(dict.fromkeys(filter(None, (self._own, self._below))))
        known = (OptionRow(model, names.get(model, model), notes[model]) for model in first)
        others = (
            OptionRow(profile.model, profile.name, split_model_name(profile.model)[0])
            for profile in models
            if profile.model not in first
        )
        return (*known, _SEVERAL, *others)
