"""What is in view of a conversation as one page looks at it: composed by the same function as for a send.

    view = ComposedView(wb, owner, "c1", ViewOptions(filter="s>=2"))
    found = await view.compose()                # as asked, or as can be
    refusal = view.take(found)
    view.change(SETTLE_SECONDS)                 # something happened: `keep` composes again, and applies it

Not here: the pairs of the window, and what the page is told (`watcher.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.errors import ConflictError, InputError, InviewError
from app.runs.request.preview import Composed
from app.runs.send.context_selection import DraftContent, ViewOptions, compose_base, compose_view
from app.runs.workbench import Workbench
from app.views.screen.context import RefusalView, show_refusal

SETTLE_SECONDS: Final = 0.02
"""After a change, others of the same action are waited for before what is in view is composed again."""


@dataclass(frozen=True, slots=True)
class Composition:
    """The view options from now on, what is in view of that, and why not what was `asked` for."""

    asked: ViewOptions
    view_options: ViewOptions
    composed: Composed | None
    refusal: InviewError | None = None


@dataclass(eq=False)
class ComposedView:
    """What is in view, as far as it is `composed`. `view_options` are what the page asks for, `draft` what it has
    to send, `asked` how the model is asked this once, `attached` what goes with the draft.

    `turn` grows whenever what a send would carry was composed again. `busy` is held until what was composed is shown.
    """

    wb: Workbench
    owner: str
    conversation_id: str
    view_options: ViewOptions
    draft: str = ""
    asked: Parameters = NO_PARAMETERS
    attached: tuple[Part, ...] = ()
    turn: int = 0
    composed: Composed | None = None
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    _held: ViewOptions | None = None  # how the page looks by now, once that is known
    _refusal: RefusalView | None = None  # why what was asked for cannot be; until something else is asked for
    _outdated: bool = True  # more may have changed than the draft
    _stale: asyncio.Event = field(default_factory=asyncio.Event)
    _due: float = 0.0  # by the loop's clock: not before that is it composed again

    @property
    def seen(self) -> ViewOptions:
        """The view options that a send has to carry so that what is in view is what is sent."""
        view_options = self._held or self.view_options
        if self.composed is None:
            return view_options
        base = self.composed.base
        return replace(
            view_options, filter=base.filter, model=base.profile.model, as_of=base.as_of if base.ages else None
        )

    def use_view_options(self, view_options: ViewOptions) -> None:
        """Use these view options from now on."""
        self.view_options, self._outdated, self._refusal = view_options, True, None
        self._compose_in(0)

    def write(self, draft: str, asked: Parameters) -> None:
        """Note the draft in the composer, and the parameters of the next send."""
        self.draft, self.asked = draft, asked
        self._compose_in(0)

    def attach(self, attached: tuple[Part, ...]) -> None:
        """Note the files that are attached to the draft."""
        if attached != self.attached:
            self.attached = attached
            self._compose_in(0)

    def change(self, seconds: float) -> None:
        """Something happened to the conversation: compose it again after so long."""
        self._outdated = True
        self._compose_in(seconds)

    async def try_view_options(self, view_options: ViewOptions) -> Composition:
        """Use these view options from now on, if that is possible.

        Raises:
            NotFoundError: the conversation is gone.
            InputError: the filter, the model or the time zone cannot be used.
            ConflictError: the conversation changes faster than it can be read.
        """
        composed = await self._compose_view(view_options)
        self.view_options, self._refusal = view_options, None
        return Composition(view_options, view_options, composed)

    async def compose(self) -> Composition:
        """What is in view as asked; if that cannot be, as it was looked at before, or as can be."""
        self._outdated = False  # what is asked for from now on is composed after this
        refusal: InviewError | None = None
        asked = self.view_options
        others = (self._held,) if self._held else (replace(asked, filter=None), replace(asked, filter="", model=None))
        for view_options in (asked, *others):
            try:
                composed = await self._compose_view(view_options)
            except (InputError, ConflictError) as error:
                refusal = refusal or error
            else:
                return Composition(asked, view_options, composed, refusal)
        return Composition(asked, asked, self.composed, refusal)

    def take(self, found: Composition) -> RefusalView | None:
        """Continue from what was found, and return why the request cannot be met.

        `hold` follows unless nothing could be composed: its own model belongs to nobody set up here.
        """
        refusal = self._refusal if found.refusal is None else show_refusal(found.refusal)
        self.turn += 1
        if found.refusal is not None and self.view_options is found.asked:  # else another is asked for by now
            self.view_options = found.view_options
            self._refusal = refusal if isinstance(found.refusal, InputError) else None  # a conflict passes
        return refusal

    def hold(self, view_options: ViewOptions, composed: Composed) -> None:
        """This is in view by now."""
        self._held, self.composed = view_options, composed

    async def keep(self, apply: Callable[[Composition], Awaitable[None]]) -> None:
        """Compose it again whenever it may have changed, and have that applied."""
        clock = asyncio.get_running_loop().time
        while True:
            await self._stale.wait()
            while (early := self._due - clock()) > 0:  # noqa: ASYNC110 - who waits for it may bring it forward
                await asyncio.sleep(min(early, SETTLE_SECONDS))
            async with self.busy:
                self._stale.clear()
                await apply(await self._compose_again())

    async def _compose_again(self) -> Composition:
        """Compose what changed: all of it, or only what the draft decides."""
        if self._outdated or self.composed is None:
            return await self.compose()
        view_options = self.view_options
        composed = await compose_base(self.composed.base, self._content)
        return Composition(view_options, view_options, composed)

    async def _compose_view(self, view_options: ViewOptions) -> Composed:
        return await compose_view(self.wb, self.owner, self.conversation_id, view_options, self._content)

    @property
    def _content(self) -> DraftContent:
        return DraftContent(self.draft, self.asked.reply_schema, self.attached)

    def _compose_in(self, seconds: float) -> None:
        """Have it composed again: at once if a person waits for it, else after so long."""
        due = asyncio.get_running_loop().time() + seconds
        self._due = due if seconds == 0 or not self._stale.is_set() else max(self._due, due)
        self._stale.set()
