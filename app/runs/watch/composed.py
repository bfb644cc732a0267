"""What is in view of a conversation as one page looks at it: composed by the same function as for a send.

    view = ComposedView(wb, owner, "c1", Look(filter="s>=2"))
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
from app.runs.send.context_selection import ViewOptions, compose_base, compose_view
from app.runs.workbench import Workbench
from app.views.screen.context import RefusalView, show_refusal

SETTLE_SECONDS: Final = 0.02
"""After a change, others of the same action are waited for before what is in view is composed again."""


@dataclass(frozen=True, slots=True)
class Composition:
    """How the page looks from now on, what is in view of that, and why not what was `asked` for.

    `edition` is that of the draft that was composed.
    """

    asked: ViewOptions
    look: ViewOptions
    composed: Composed | None
    edition: int
    refusal: InviewError | None = None


@dataclass(eq=False)
class ComposedView:
    """What is in view, as far as it is `composed`. `look` is how the page wants to look, `draft` what it has to send,
    `asked` how the model is asked this once, `attached` what goes with the draft.

    `edition` is the number that the page gave the draft, 0 for none.
    `turn` grows whenever what a send would carry was composed again. `busy` is held until what was composed is shown.
    """

    wb: Workbench
    owner: str
    conversation_id: str
    look: ViewOptions
    draft: str = ""
    asked: Parameters = NO_PARAMETERS
    attached: tuple[Part, ...] = ()
    edition: int = 0
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
        """The look that a send has to carry so that what is in view is what is sent."""
        look = self._held or self.look
        if self.composed is None:
            return look
        base = self.composed.base
        return replace(look, filter=base.filter, model=base.profile.model, as_of=base.as_of if base.ages else None)

    def look_as(self, look: ViewOptions) -> None:
        """Look at the conversation like this from now on."""
        self.look, self._outdated, self._refusal = look, True, None
        self._compose_in(0)

    def write(self, draft: str, asked: Parameters, edition: int) -> None:
        """This stands in the composer, and how the model is asked this once."""
        self.draft, self.asked, self.edition = draft, asked, edition
        self._compose_in(0)

    def attach(self, attached: tuple[Part, ...]) -> None:
        """This goes with what stands in the composer."""
        if attached != self.attached:
            self.attached = attached
            self._compose_in(0)

    def change(self, seconds: float) -> None:
        """Something happened to the conversation: compose it again after so long."""
        self._outdated = True
        self._compose_in(seconds)

    async def try_look(self, look: ViewOptions) -> Composition:
        """Look at the conversation like this from now on, if that is possible.

        Raises:
            NotFoundError: the conversation is gone.
            InputError: the filter, the model or the time zone cannot be used.
            ConflictError: the conversation changes faster than it can be read.
        """
        edition = self.edition
        composed = await self._compose_view(look)
        self.look, self._refusal = look, None
        return Composition(look, look, composed, edition)

    async def compose(self) -> Composition:
        """What is in view as asked; if that cannot be, as it was looked at before, or as can be."""
        self._outdated = False  # what is asked for from now on is composed after this
        refusal: InviewError | None = None
        asked, edition = self.look, self.edition
        others = (self._held,) if self._held else (replace(asked, filter=None), replace(asked, filter="", model=None))
        for look in (asked, *others):
            try:
                composed = await self._compose_view(look)
            except (InputError, ConflictError) as error:
                refusal = refusal or error
            else:
                return Composition(asked, look, composed, edition, refusal)
        return Composition(asked, asked, self.composed, edition, refusal)

    def take(self, found: Composition) -> RefusalView | None:
        """Go on from what was found, and return why what was asked for cannot be.

        `hold` follows unless nothing could be composed.
        """
        refusal = self._refusal if found.refusal is None else show_refusal(found.refusal)
        self.turn += 1
        if found.refusal is not None and self.look is found.asked:  # else another is asked for by now
            self.look = found.look
            self._refusal = refusal if isinstance(found.refusal, InputError) else None  # a conflict passes
        return refusal

    def hold(self, look: ViewOptions, composed: Composed) -> None:
        """This is in view by now."""
        self._held, self.composed = look, composed

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
        look, schema, edition = self.look, self.asked.reply_schema, self.edition
        composed = await compose_base(self.composed.base, self.draft, schema=schema, attached=self.attached)
        return Composition(look, look, composed, edition)

    async def _compose_view(self, look: ViewOptions) -> Composed:
        schema, attached = self.asked.reply_schema, self.attached
        return await compose_view(
            self.wb, self.owner, self.conversation_id, look, self.draft, schema=schema, attached=attached
        )

    def _compose_in(self, seconds: float) -> None:
        """Have it composed again: at once if a person waits for it, else after so long."""
        due = asyncio.get_running_loop().time() + seconds
        self._due = due if seconds == 0 or not self._stale.is_set() else max(self._due, due)
        self._stale.set()
