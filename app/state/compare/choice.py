"""The dialog that chooses the two to four models that a request is sent to.

The models of the last comparison are ticked.

    await tab.send(ComparisonChoiceState.ask)
    await tab.send(ComparisonChoiceState.tick, model="offline:tiny", ticked=True)
    await tab.send(ComparisonChoiceState.start)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.compare.comparisons import LEAST_MODELS, MAX_MODELS
from app.domain.errors import InviewError
from app.domain.models.model_profile import ModelProfile, split_model_name
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import list_models
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.messages.error_messages import describe_fault
from app.state.reply.pair_lookup import find_pair
from app.state.reply.resend import ResendState
from app.state.tab.inputs import json_in, text_in
from app.state.tab.visit import VisitedState

MAX_MODEL: Final = 300
MAX_QUERY: Final = 2_000
_LOOKING: Final = "Loading models…"


@dataclass(frozen=True, slots=True)
class ComparisonChoiceView:
    """The texts of the dialog that chooses the models of a comparison.

    `pair_id` is the pair that is answered again, "" if the draft is sent.

    `waits`: nothing is sent when the models are chosen; the person sends the draft later.
    """

    label: str
    explained: str
    pair_id: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True)
class ComparableRow:
    """A model in the dialog of a comparison. `held`: it cannot be ticked, because enough models are ticked already."""

    model: str
    name: str
    provider: str
    ticked: bool
    held: bool


_NEW_REQUEST: Final = ComparisonChoiceView(
    "Compare models",
    "Two to four models answer side by side, each at its own price. You keep one reply; the others stay as versions of "
    "it.",
)
_NEXT_REQUEST: Final = ComparisonChoiceView(
    "Compare models",
    "Two to four models answer your next message side by side, each at its own price. The message waits until you send "
    "it.",
    waits=True,
)
_AGAIN: Final = (
    "Two to four models answer side by side, each at its own price. You keep one reply or leave the pair as it is; "
    "the current reply stays as a version."
)


class ComparisonChoiceState(VisitedState, rx.State):
    """The dialog that chooses the models of a comparison. It is open while `choosing` is set.

    - `rows`: the models that match the search.
    - `none`: no model matches.
    - `said`: the number of ticked models, or the reason why there are no models.
    - `ready`: a comparison can be made with this number of models.
    - `remembered`: the models of the last comparison in this browser, as JSON.
    """

    choosing: rx.Field[ComparisonChoiceView | None] = rx.field(None)
    rows: rx.Field[tuple[ComparableRow, ...]] = rx.field(())
    none: rx.Field[bool] = rx.field(default=False)
    said: rx.Field[str] = rx.field("")
    ready: rx.Field[bool] = rx.field(default=False)
    remembered: str = rx.LocalStorage("", name="inview.compared")
    _models: tuple[ModelProfile, ...] = ()
    _ticked: tuple[str, ...] = ()
    _query: str = ""

    @rx.event
    async def ask(self) -> rx.event.EventType[()]:
        """Open the dialog to choose the models for the draft. The model that is chosen in the composer is ticked."""
        chosen = (await self.get_state(ModelState)).chosen
        await self._open(_NEW_REQUEST, chosen)
        return ComparisonChoiceState.look

    @rx.event
    async def ask_for_next(self) -> rx.event.EventType[()]:
        """Open the dialog to choose the models for the next message. The choice alone sends nothing."""
        chosen = (await self.get_state(ModelState)).chosen
        await self._open(_NEXT_REQUEST, chosen)
        return ComparisonChoiceState.look

    @rx.event
    async def ask_for_pair(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Open the dialog to choose models that answer a pair of this page again. The pair's own model is ticked."""
        if (pair := await find_pair(self, pair_id)) is None:
            return None
        label = f"Regenerate pair {pair.position} with several models"
        await self._open(ComparisonChoiceView(label, _AGAIN, pair.id), pair.model)
        return ComparisonChoiceState.look

    @rx.event
    async def close(self) -> None:
        """Close the dialog that chooses models, without a comparison."""
        self.choosing = None

    @rx.event(background=True)
    async def look(self) -> None:
        """Request the models from the providers, and list them for the comparison."""
        try:
            offers = await list_models(current(), LOCAL_OWNER)
        except InviewError as error:
            async with self:
                self.said = describe_fault(error)
            return
        async with self:
            self._models = tuple(profile for offer in offers for profile in offer.models)
            offered = {profile.model for profile in self._models}
            self._ticked = tuple(model for model in self._ticked if model in offered)
            self._list()

    @rx.event
    async def search(self, query: str) -> None:
        """List only the models that have all these words in their names."""
        self._query = text_in(query, MAX_QUERY) or ""
        if self._models:
            self._list()

    @rx.event
    async def tick(self, model: str, ticked: bool) -> None:
        """Tick a model or, if `ticked` is False, untick it."""
        valid_model = text_in(model, MAX_MODEL)
        if all(profile.model != valid_model for profile in self._models) or valid_model is None:
            return
        others = tuple(one for one in self._ticked if one != valid_model)
        self._ticked = (*others, valid_model) if ticked is True else others
        self._list()

    @rx.event
    async def start(self) -> rx.event.EventType[()] | None:
        """Send the request to the ticked models, if a comparison can be made with their number.

        If the dialog is about the next message, nothing is sent: the message box gets the models.
        """
        choosing, models = self.choosing, list(self._ticked)
        if choosing is None or not self.ready:
            return None
        self.choosing, self.remembered = None, json.dumps(models)
        if choosing.pair_id:
            return cast("EventSpec", ResendState.compare(choosing.pair_id, models))
        if choosing.waits:
            return cast("EventSpec", ComposerState.compare_next(models))
        return cast("EventSpec", ComposerState.compare(models))

    async def _end_visit(self) -> None:
        self.choosing = None

    async def _open(self, choosing: ComparisonChoiceView, model: str) -> None:
        await self._come()
        models = dict.fromkeys(filter(None, (model, *read_remembered(self.remembered))))
        self.choosing, self._ticked, self._query, self._models = choosing, tuple(models)[:MAX_MODELS], "", ()
        self.rows, self.none, self.ready, self.said = (), False, False, _LOOKING

    def _list(self) -> None:
        words = self._query.lower().split()
        full = len(self._ticked) >= MAX_MODELS
        self.rows = tuple(
            _describe(profile, ticked=profile.model in self._ticked, full=full)
            for profile in self._models
            if all(word in f"{profile.model} {profile.name}".lower() for word in words)
        )
        count = len(self._ticked)
        self.none = not self.rows
        self.ready = LEAST_MODELS <= count <= MAX_MODELS
        self.said = f"{count} chosen{'.' if self.ready else f': choose {LEAST_MODELS} to {MAX_MODELS}.'}"


def _describe(profile: ModelProfile, *, ticked: bool, full: bool) -> ComparableRow:
    provider = split_model_name(profile.model)[0]
    return ComparableRow(profile.model, profile.name, provider, ticked, full and not ticked)


def read_remembered(remembered: str) -> tuple[str, ...]:
    """Return the models of the last comparison from `remembered`, the text that the browser stored.

    The result is empty if the text does not have the format that this module writes.
    """
    stored = json_in(remembered)
    models = cast("list[object]", stored) if isinstance(stored, list) else []
    return tuple(model for one in models[:MAX_MODELS] if (model := text_in(one, MAX_MODEL)))
