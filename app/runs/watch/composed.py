"""The view of a conversation for one page, composed by the same function as for a send.

    view = ComposedView(ctx, owner, "c1", ViewOptions(filter="s>=2"))
    found = await view.compose()                # with the requested options, or with others that work
    refusal = view.take(found)
    view.change(SETTLE_SECONDS)                 # after a change: `keep` composes again and applies the result

Not here: the loaded pairs, and the updates of the page (`watcher.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.errors import ConflictError, InputError, InviewError
from app.runs.app_context import AppContext
from app.runs.request.preview import Composed
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ViewOptions, read_base
from app.views.composer.context import RefusalView, show_refusal

MINUTE: Final = 60.0
"""Seconds between two compositions of a view whose text about the person has the current time."""
SETTLE_SECONDS: Final = 0.02
"""Delay before the view is composed again after a change, so that further changes of the same action are included."""


@dataclass(frozen=True, slots=True)
class ComposedResult:
    """The result of a composition.

    - `requested`: the requested options.
    - `options`: the options that were used, which differ if the requested ones could not be used.
    - `composed`: the view; None if nothing could be composed.
    - `edition`: the number of the draft that was composed.
    - `refusal`: the reason why the requested options could not be used.
    - `others`: the compositions of the same draft for the other models that get it.
    """

    requested: ViewOptions
    options: ViewOptions
    composed: Composed | None
    edition: int
    refusal: InviewError | None = None
    others: tuple[Composed, ...] = ()


@dataclass(eq=False)
class ComposedView:
    """The choices of one page, and the view that is composed from them.

    - `options`: the requested view options.
    - `draft`, `attached`: the content of the composer.
    - `parameters`: parameters for the next send only.
    - `edition`: the number that the page gave the draft; 0: none.
    - `turn`: the number of compositions so far.
    - `models`: the models that get the draft. The view is composed for the first of these models that can be used or,
      if none can, for the model of the options.
    - `composed`: the view on the page; None until it is ready.
    - `others`: the compositions for the other models.
    - `busy`: a lock, held from the start of a composition until the page shows its result.
    """

    ctx: AppContext
    owner: str
    conversation_id: str
    options: ViewOptions
    draft: str = ""
    parameters: Parameters = NO_PARAMETERS
    attached: tuple[Part, ...] = ()
    edition: int = 0
    models: tuple[str, ...] = ()
    turn: int = 0
    composed: Composed | None = None
    others: tuple[Composed, ...] = ()
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    _held: ViewOptions | None = None  # the options of the view that is shown, once known
    _refusal: RefusalView | None = None  # why the last requested options cannot be used, until others are requested
    _outdated: bool = True  # False if only the draft may have changed
    _stale: asyncio.Event = field(default_factory=asyncio.Event)
    _due: float = 0.0  # the view is not composed before this time of the event loop's clock

    @property
    def seen(self) -> ViewOptions:
        """The view options of the page, with the filter, the model and the time that apply.

        A send with these options has the same pairs in view, also after the conversation's filter or model changed.
        """
        options = self._held or self.options
        if self.composed is None:
            return options
        base = self.composed.base
        return replace(options, filter=base.filter, model=base.profile.model, as_of=base.as_of if base.timed else None)

    def set_options(self, options: ViewOptions) -> None:
        """Use these view options from now on."""
        self.options, self._outdated, self._refusal = options, True, None
        self._compose_in(0)

    def write(self, draft: str, parameters: Parameters, edition: int) -> None:
        """Set the draft, its number `edition`, and the parameters for the next send only."""
        self.draft, self.parameters, self.edition = draft, parameters, edition
        self._compose_in(0)

    def attach(self, attached: tuple[Part, ...]) -> None:
        """Set the attachments of the draft."""
        if attached != self.attached:
            self.attached = attached
            self._compose_in(0)

    def compare(self, models: tuple[str, ...]) -> None:
        """Set the models that the draft goes to; (): the model of the view options."""
        if models != self.models:
            self.models, self._outdated = models, True
            self._compose_in(0)

    def change(self, seconds: float) -> None:
        """Compose the view again after this many seconds, because the conversation changed."""
        self._outdated = True
        self._compose_in(seconds)

    async def try_options(self, options: ViewOptions) -> ComposedResult:
        """Use these view options from now on, if they work.

        Raises:
            NotFoundError: the conversation was deleted.
            InputError: the filter, the model or the time zone cannot be used.
            ConflictError: the conversation changes faster than it can be read.
        """
        edition = self.edition
        composed, *others = await self._compose_view(options)
        self.options, self._refusal = options, None
        return ComposedResult(options, options, composed, edition, others=tuple(others))

    async def compose(self) -> ComposedResult:
        """Compose the view with the requested options.

        If that is impossible, use the options of the view that is shown. If no view is shown yet, use the
        conversation's filter. If that is impossible too, use no filter and the conversation's model.
        """
        self._outdated = False  # a change from now on needs another composition
        refusal: InviewError | None = None
        requested, edition = self.options, self.edition
        others = (
            (self._held,)
            if self._held
            else (replace(requested, filter=None), replace(requested, filter="", model=None))
        )
        for options in (requested, *others):
            try:
                composed, *compared = await self._compose_view(options)
            except (InputError, ConflictError) as error:
                refusal = refusal or error
            else:
                return ComposedResult(requested, options, composed, edition, refusal, tuple(compared))
        return ComposedResult(requested, requested, self.composed, edition, refusal)

    def take(self, found: ComposedResult) -> RefusalView | None:
        """Use the result of a composition for the page from now on.

        Return the reason why the requested options cannot be used, or None if they can.

        If other options were composed instead, they become the requested options. The caller calls `hold` next, unless
        nothing could be composed.
        """
        refusal = self._refusal if found.refusal is None else show_refusal(found.refusal)
        self.turn += 1
        self.others = found.others
        # Change the options only if the page did not request others meanwhile.
        if found.refusal is not None and self.options is found.requested:
            self.options = found.options
            self._refusal = refusal if isinstance(found.refusal, InputError) else None  # a conflict is temporary
        return refusal

    def hold(self, options: ViewOptions, composed: Composed) -> None:
        """Store the view that the page shows from now on, with its options."""
        self._held, self.composed = options, composed

    async def keep(self, apply: Callable[[ComposedResult], Awaitable[None]]) -> None:
        """Compose the view again whenever it may have changed, and call `apply` with the result. Never returns."""
        clock = asyncio.get_running_loop().time
        while True:
            await self._wait()
            while (early := self._due - clock()) > 0:  # noqa: ASYNC110 - `change` may set an earlier time meanwhile
                await asyncio.sleep(min(early, SETTLE_SECONDS))
            async with self.busy:
                self._stale.clear()
                await apply(await self._compose_again())

    async def _wait(self) -> None:
        """Wait until the view may have changed: at most a minute if it has the time of day."""
        timed = self.composed is not None and self.composed.base.extras.timed
        try:
            async with asyncio.timeout(MINUTE if timed else None):
                await self._stale.wait()
        except TimeoutError:
            self.change(0)

    async def _compose_again(self) -> ComposedResult:
        """Compose the whole view again, or only the part that depends on the draft if nothing else has changed."""
        if self._outdated or self.composed is None:
            return await self.compose()
        options, schema, edition, attached = self.options, self.parameters.reply_schema, self.edition, self.attached
        draft, bases = self.draft, [one.base for one in (self.composed, *self.others)]
        composed, *others = [await compose_base(base, draft, schema=schema, attached=attached) for base in bases]
        return ComposedResult(options, options, composed, edition, others=tuple(others))

    async def _compose_view(self, options: ViewOptions) -> tuple[Composed, ...]:
        """Compose the view for each model that gets the draft.

        A model that cannot be used is left out; a send to it reports the reason. If no model is left, compose the view
        for the model of the options.
        """
        found: list[Composed] = []
        for model in self.models:
            with suppress(InputError, ConflictError):
                found.append(await self._compose_for(replace(options, model=model)))
        return tuple(found) or (await self._compose_for(options),)

    async def _compose_for(self, options: ViewOptions) -> Composed:
        schema, attached = self.parameters.reply_schema, self.attached
        base = await read_base(self.ctx, self.owner, self.conversation_id, options)
        return await compose_base(base, self.draft, schema=schema, attached=attached)

    def _compose_in(self, seconds: float) -> None:
        """Schedule a composition. 0 seconds: a person waits for it, so it is made at once."""
        due = asyncio.get_running_loop().time() + seconds
        self._due = due if seconds == 0 or not self._stale.is_set() else max(self._due, due)
        self._stale.set()
