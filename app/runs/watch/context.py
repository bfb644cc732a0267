"""The page's view of a composition: filter, tokens, tools and settings, without the pairs."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.providers.counts.counting import can_count
from app.runs.app_context import AppContext
from app.runs.request.preview import Composed
from app.runs.send.parameters import Layers, list_settings
from app.views.composer.context import ComparedSendView, ContextView, show_tools
from app.views.request.composition import boundary_of, describe_estimate


def describe_context(
    composed: Composed,
    topic: str | None,
    parameters: Parameters = NO_PARAMETERS,
    compared: tuple[ComparedSendView, ...] = (),
) -> ContextView:
    """Describe a composition with the chosen topic.

    - `parameters`: these apply to this send only.
    - `compared`: the sends to all models, if there are several.
    """
    base, composition = composed.base, composed.composition
    boundary, boundary_reason = boundary_of(composition)
    firsts = [one.first_sent for one in compared] or [_find_first_sent(composed)]
    layers = Layers(
        parameters,
        base.conversation.parameters,
        NO_PARAMETERS if base.agent is None else base.agent.parameters,
        base.conversation.retry_policy,
        base.conversation.retry_limits,
        base.conversation.middleware,
    )
    return ContextView(
        filter=base.filter,
        model=base.profile.model,
        topic=topic,
        description=base.sentence,
        notices=base.notices,
        x=composition.x,
        y=composition.y,
        total=len(base.index),
        boundary=boundary,
        boundary_reason=boundary_reason,
        first_sent=min(filter(None, firsts), default=0),
        estimate=describe_estimate(composition.estimate),
        tools=show_tools(composed.tools),
        as_of=base.as_of.isoformat() if base.timed else "",
        prelude=base.extras.prelude,
        secrets=composed.secrets,
        settings=list_settings(layers, base.provider, base.profile),
        countable=can_count(base.provider),
        system=base.terms.system > 0,
        set_up=not base.provider.missing,
        compared=compared,
    )


def describe_compared_sends(ctx: AppContext, owner: str, several: Sequence[Composed]) -> tuple[ComparedSendView, ...]:
    """Describe the sends of one draft to several models; () if there is only one."""
    if len(several) == 1:
        return ()
    names = ctx.catalogue.names_of(owner, (one.base.profile.model for one in several))
    return tuple(
        ComparedSendView(
            names[one.base.profile.model],
            one.composition.x,
            describe_estimate(one.composition.estimate),
            _find_first_sent(one),
        )
        for one in several
    )


def _find_first_sent(composed: Composed) -> int:
    """Return the position of the oldest pair that is sent, 0 if there is none."""
    first = composed.composition.first_sent
    return 0 if first is None else first.position
