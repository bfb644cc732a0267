"""The tooltip of counter and estimate: it asks for figures while it is open."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.errors import InviewError
from app.runs.cache.cache_state import look_at_cache
from app.runs.cache.cache_views import describe_planned_cache
from app.runs.caller import caller
from app.runs.send.exact_counts import count_exactly
from app.runs.send.intents import NewSend, SendOptions
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.composer.parameters import once_in
from app.state.composer.split import describe_cached, describe_exact
from app.state.composer.state import ComposerState
from app.state.composer.view_options import view_options_of
from app.state.composer.views import CachedCostView
from app.state.faults import describe_fault


class TooltipState(rx.State):
    """`cached` is what the send costs with the provider's cache; `exact` is what the provider counted, or why it did
    not.
    """

    cached: rx.Field[CachedCostView | None] = rx.field(None)
    counting: rx.Field[bool] = rx.field(default=False)
    exact: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def look(self) -> None:
        """Work out what the send costs with what the provider keeps of the conversation. An old count is forgotten."""
        async with self:
            self.exact = ""
            conversation_id = conversation_in(self.router.url.path)
            estimate = (await self.get_state(ComposerState)).estimate
            view_options, asked = await view_options_of(self, conversation_id), await once_in(self, conversation_id)
        if not conversation_id or estimate is None:
            return
        bench = await bench_of(current(), conversation_id)
        try:
            state = await look_at_cache(bench, caller(), conversation_id, view_options, parameters=asked)
        except InviewError:
            cached = None  # the send says what is wrong
        else:
            cache = None if state.next is None else describe_planned_cache(state.next, state.tariff)
            cached = describe_cached(estimate, cache)
        async with self:
            self.cached = cached

    @rx.event(background=True)
    async def count(self) -> None:
        """Ask the provider for the exact count."""
        async with self:
            if self.counting:
                return
            conversation_id = conversation_in(self.router.url.path)
            view_options = await view_options_of(self, conversation_id)
            composer = await self.get_state(ComposerState)
            text, estimate = composer.text, composer.estimate
            asked = replace(await once_in(self, conversation_id), reply_schema=composer.schema or None)
            self.counting = True
        try:
            counted = await count_exactly(
                await bench_of(current(), conversation_id),
                caller(),
                NewSend(conversation_id, text),
                SendOptions(view_options, asked),
            )
            said = describe_exact(counted.tokens, counted.estimated_tokens if estimate is None else estimate.tokens)
        except InviewError as error:
            said = describe_fault(error)
        async with self:
            self.counting, self.exact = False, said
