"""The models that the next draft goes to side by side, if several were chosen in the composer.

    class ComposerState(NextModels, rx.State):
        ...

Not here: a comparison that was started (`app/state/compare`, `app/state/comparison.py`).
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.compare.comparisons import MAX_MODELS
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.message_box import MessageBox, make_order
from app.state.composer.views import OrderKind
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.views.usage.figures import join_words

WRITE_FIRST: Final = "Write a request first. Then choose the models to compare."
_MAX_MODEL: Final = 300


class NextModels(MessageBox, mixin=True):
    """The part of the composer's state that is about the models that a draft goes to.

    - `compared`: names the models that the next draft goes to, if several were chosen before it was written; "" for
      none.
    """

    compared: rx.Field[str] = rx.field("")
    # the id of an order to send a draft, and the models that the draft goes to
    _ordered: tuple[str, tuple[str, ...]] = ("", ())
    _next_models: tuple[str, ...] = ()  # the models that `compared` names

    async def _come_to_page(self) -> None:
        """Clear the data of the previous page."""
        raise NotImplementedError

    @rx.event
    async def compare(self, models: list[str]) -> None:
        """Send the draft to these models, side by side. Without a draft, the next draft goes to them."""
        await self._come_to_page()
        if all(text_in(one, _MAX_MODEL) for one in models) and len(models) <= MAX_MODELS:
            self.order = make_order(OrderKind.SEND, "")
            self._ordered = self.order.id, tuple(models)

    @rx.event
    async def compare_next(self, models: list[str]) -> None:
        """Send the next draft to these models, side by side. A draft in the text area is not sent yet."""
        await self._come_to_page()
        if all(text_in(one, _MAX_MODEL) for one in models) and len(models) <= MAX_MODELS:
            self._compare_next(tuple(models))
            self.order = make_order(OrderKind.FOCUS, "")

    @rx.event
    async def require_text(self) -> None:
        """Show that a comparison needs a text, and focus the text area."""
        await self._come_to_page()
        self.fault, self.fault_provider = WRITE_FIRST, ""
        self.order = make_order(OrderKind.FOCUS, "")

    @rx.event
    async def end_compare(self) -> None:
        """Send the next draft to the chosen model alone."""
        self._compare_next(())
        self.order = make_order(OrderKind.FOCUS, "")

    def _note_nothing_to_send(self, order_id: str) -> None:
        if models := self._models_of(order_id):
            self._compare_next(models)
            self.order = make_order(OrderKind.FOCUS, "")

    def _models_of(self, order_id: object) -> tuple[str, ...]:
        """Return the models that the order with this id sends the draft to; (): the chosen model alone."""
        known, models = self._ordered
        return models if known == order_id else ()

    def _compare_next(self, models: tuple[str, ...]) -> None:
        """Send the next draft to these models; (): to the chosen model alone."""
        self._next_models = models
        if (watcher := watcher_of(self)) is not None:
            watcher.compare(models)
        names = current().catalogue.names_of(LOCAL_OWNER, models).values() if models else ()
        set_changed(self, compared=join_words(names) if models else "")

    @property
    def next_models(self) -> tuple[str, ...]:
        """The models that the next draft goes to, which `compared` names; (): the chosen model alone."""
        return self._next_models
