"""A look at a conversation's tools: which a send tells of now, which it would in other modes, and what a change breaks.

    seen = await look_at_tools(wb, LOCAL_OWNER, conversation_id, ViewOptions(), "What time is it?")
    seen.now.tools.tokens, [(other.mode, other.composed.tools.tokens) for other in seen.modes]

Nothing is called, stored or changed. Other modes are planned to the end only where the vendor keeps something of the
conversation: tools stand before everything else, so another list of them leaves nothing of what is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.conversation import ToolMode
from app.domain.costs.prices import Tariff
from app.domain.request.request import ToolDefinition
from app.runs.request.preview import Composed, Preview
from app.runs.send.context_selection import DraftContent, ViewOptions, compose_view
from app.runs.send.intents import NewSend, SendOptions
from app.runs.send.plan import preview_send
from app.runs.usage.prices import learn_tariffs
from app.runs.workbench import Workbench


@dataclass(frozen=True, slots=True)
class SeenMode:
    """What a mode would send. `planned` is None if no cached prefix could be broken."""

    mode: ToolMode
    composed: Composed
    planned: Preview | None = None


@dataclass(frozen=True, slots=True)
class SeenTools:
    """`modes` are all there are, the conversation's own among them; `other` one that tells of another list, if any."""

    now: Composed
    modes: tuple[SeenMode, ...]
    tariff: Tariff | None

    @property
    def other(self) -> SeenMode | None:
        own = self.now.tools.definitions
        return next((seen for seen in self.modes if seen.composed.tools.definitions != own), None)


async def look_at_tools(
    wb: Workbench, owner: str, conversation_id: str, view_options: ViewOptions, text: str = ""
) -> SeenTools:
    """The tools of a conversation as it is looked at, with this draft.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used.
        InputError: the text, the model or the time zone cannot be used.
        ConflictError: the conversation changes faster than it can be read.
    """
    now = await compose_view(wb, owner, conversation_id, view_options, DraftContent(text))
    own = now.base.conversation.tool_mode
    composed = {
        mode: now
        if mode is own
        else await compose_view(wb, owner, conversation_id, replace(view_options, tool_mode=mode), DraftContent(text))
        for mode in ToolMode
    }
    tariffs = await learn_tariffs(wb, owner, {now.base.profile.model})
    plans = await _plan(wb, owner, conversation_id, view_options, text, composed, own) if now.tools.decided else {}
    modes = tuple(SeenMode(mode, one, plans.get(one.tools.definitions)) for mode, one in composed.items())
    return SeenTools(now, modes, tariffs[now.base.profile.model])


async def _plan(  # noqa: PLR0913, PLR0917 - as look_at_tools, and what was composed
    wb: Workbench,
    owner: str,
    conversation_id: str,
    view_options: ViewOptions,
    text: str,
    composed: dict[ToolMode, Composed],
    own: ToolMode,
) -> dict[tuple[ToolDefinition, ...], Preview]:
    """The send by every list of tools there is, if the vendor keeps anything of this conversation."""
    planned = await preview_send(wb, owner, NewSend(conversation_id, text), SendOptions(view_options))
    use = planned.plan.cache
    if use is None or not (use.plan.prediction.tokens or use.broken):
        return {}
    plans = {composed[own].tools.definitions: planned}
    for mode, one in composed.items():
        if one.tools.definitions not in plans:
            other = await preview_send(
                wb, owner, NewSend(conversation_id, text), SendOptions(replace(view_options, tool_mode=mode))
            )
            plans[one.tools.definitions] = other
    # The next send is more like this one than like the last of those that were only tried.
    wb.sent_pairs.remember(conversation_id, planned.plan.hashed)
    return plans
