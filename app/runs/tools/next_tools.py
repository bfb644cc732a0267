"""The tools of a conversation's next send, in the current tool mode and in the others, and their effect on the cache.

    seen = await look_at_tools(ctx, LOCAL_OWNER, conversation_id, ViewOptions(), "What time is it?")
    seen.now.tools.tokens, [(other.mode, other.composed.tools.tokens) for other in seen.modes]

No tool is called, and nothing is stored or changed. Tools are the first part of a request, so a change of the tools
invalidates the whole cache. If the provider has cached a part of the conversation, the whole request is therefore
planned for each mode.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.conversation import ToolMode
from app.domain.costs.prices import Tariff
from app.domain.request.request import ToolDefinition
from app.runs.app_context import AppContext
from app.runs.request.preview import Composed, Preview
from app.runs.send.commands import preview_send
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.usage.prices import learn_tariffs


@dataclass(frozen=True, slots=True)
class SeenMode:
    """The next send in one tool mode (the rule that selects the tools of a send).

    `planned` is None if the provider has cached nothing that this mode could invalidate.
    """

    mode: ToolMode
    composed: Composed
    planned: Preview | None = None


@dataclass(frozen=True, slots=True)
class SeenTools:
    """The tools of the next send. `now` is the send in the current mode, `modes` has the send in every mode."""

    now: Composed
    modes: tuple[SeenMode, ...]
    tariff: Tariff | None

    @property
    def other(self) -> SeenMode | None:
        own = self.now.tools.definitions
        return next((seen for seen in self.modes if seen.composed.tools.definitions != own), None)


async def look_at_tools(
    ctx: AppContext, owner: str, conversation_id: str, options: ViewOptions, text: str = ""
) -> SeenTools:
    """Return the tools of the next send with these options and this draft, in every tool mode.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        ConflictError: the conversation changes faster than it can be read.
    """
    now = await compose_view(ctx, owner, conversation_id, options, text)
    own = now.base.conversation.tool_mode
    composed = {
        mode: now
        if mode is own
        else await compose_view(ctx, owner, conversation_id, replace(options, tool_mode=mode), text)
        for mode in ToolMode
    }
    tariffs = await learn_tariffs(ctx, owner, {now.base.profile.model})
    send = SendRequest(text, options)
    plans = await _plan(ctx, owner, conversation_id, send, composed, own) if now.tools.decided else {}
    modes = tuple(SeenMode(mode, one, plans.get(one.tools.definitions)) for mode, one in composed.items())
    return SeenTools(now, modes, tariffs[now.base.profile.model])


async def _plan(  # noqa: PLR0913, PLR0917 - the arguments of look_at_tools, and the composition
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    send: SendRequest,
    composed: dict[ToolMode, Composed],
    own: ToolMode,
) -> dict[tuple[ToolDefinition, ...], Preview]:
    """Plan the send for each different list of tools, if the provider has cached a part of this conversation."""
    planned = await preview_send(ctx, owner, conversation_id, send)
    use = planned.plan.cache
    if use is None or not (use.plan.prediction.tokens or use.broken):
        return {}
    plans = {composed[own].tools.definitions: planned}
    for mode, one in composed.items():
        if one.tools.definitions not in plans:
            in_mode = replace(send, options=replace(send.options, tool_mode=mode))
            other = await preview_send(ctx, owner, conversation_id, in_mode)
            plans[one.tools.definitions] = other
    # Each plan has replaced the cached hashes. Restore those of the current mode: the next send will probably use it.
    ctx.sent_pairs.remember(conversation_id, planned.plan.hashed)
    return plans
