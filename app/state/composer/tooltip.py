"""The tooltip of two figures: the counter of pairs, and the estimate of tokens.

It is computed only while it is open.
"""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.errors import InviewError, ProviderError
from app.runs.app_context import context_for, current
from app.runs.attachments.uploads import load_attached
from app.runs.cache.cache_state import look_at_cache
from app.runs.cache.cache_views import describe_planned_cache
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.exact_counts import count_exactly
from app.runs.send.send_request import SendRequest
from app.state.composer.files import ids_of
from app.state.composer.message_box import show_count
from app.state.composer.parameters import send_parameters_of
from app.state.composer.split import describe_cached, describe_exact, describe_uncounted
from app.state.composer.state import ComposerState
from app.state.composer.view_options import options_of
from app.state.composer.views import CachedCostView, SplitView
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.state.tab.tab_watchers import moment_of
from app.views.request.composition import EstimateView, describe_estimate


class TooltipState(rx.State):
    """The tooltip of the estimate. `cached` is the cost of the send with the provider's cache.

    - `counting`: the provider's count was requested and has not arrived.
    - `exact`: a text with that count, or with the reason why there is none.
    - `_counted`: the figures that the composer showed when the count arrived. If it shows other figures now, `exact` is
      outdated.
    """

    cached: rx.Field[CachedCostView | None] = rx.field(None)
    counting: rx.Field[bool] = rx.field(default=False)
    exact: rx.Field[str] = rx.field("")
    _counted: SplitView | None = None

    @rx.event(background=True)
    async def look(self) -> None:
        """Compute the cost of the send with the provider's cache.

        Remove the provider's exact token count if the send has changed since the count.
        """
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            composer = await self.get_state(ComposerState)
            estimate = composer.estimate
            if composer.split is None or composer.split != self._counted:
                self.exact = ""
            options, parameters = (
                await options_of(self, conversation_id),
                await send_parameters_of(self, conversation_id),
            )
            compared = bool(composer.next_models)
        if not conversation_id or estimate is None:
            return
        if compared:  # the cost is that of several models, whose caches differ
            async with self:
                self.cached = None
            return
        ctx = await context_for(current(), conversation_id)
        try:
            state = await look_at_cache(ctx, LOCAL_OWNER, conversation_id, options, parameters=parameters)
        except InviewError:
            cached = None  # the error is shown when the draft is sent
        else:
            cache = None if state.next is None else describe_planned_cache(state.next, state.tariff)
            cached = describe_cached(estimate, cache)
        async with self:
            self.cached = cached

    @rx.event(background=True)
    async def count(self) -> None:
        """Request the provider's exact count, and show it if the content of the send has not changed meanwhile."""
        async with self:
            if self.counting:
                return
            conversation_id = conversation_in(self.router.url.path)
            options = await options_of(self, conversation_id)
            composer = await self.get_state(ComposerState)
            text, files = composer.text, composer.files
            parameters = replace(await send_parameters_of(self, conversation_id), reply_schema=composer.schema or None)
            moment = moment_of(self)
            self.counting, self._counted = True, None
        exact: EstimateView | None = None
        try:
            ctx = await context_for(current(), conversation_id)
            attached = await load_attached(current(), LOCAL_OWNER, ids_of(files))
            send = SendRequest(text, options, parameters, attached=attached)
            counted = await count_exactly(ctx, LOCAL_OWNER, conversation_id, send)
            message = describe_exact(counted.tokens, counted.estimated_tokens)
            exact = describe_estimate(counted.estimate)
        except ProviderError as error:
            message = describe_uncounted(error.failure)
        except InviewError as error:
            message = describe_fault(error)
        async with self:
            self.counting, self.exact = False, message
            context = None if moment is None or moment_of(self) != moment else moment.screen.context
            if exact is not None and context is not None:
                composer = await self.get_state(ComposerState)
                show_count(composer, context, exact)
                self._counted = composer.split
