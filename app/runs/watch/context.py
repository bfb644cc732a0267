"""What the page shows of a composition beside the pairs."""

from __future__ import annotations

from app.runs.preview import Composed
from app.views.composition import boundary_of, describe_estimate
from app.views.screen.context import ContextView, show_tools


def show_context(composed: Composed, topic: str | None) -> ContextView:
    """The composition, looked at with this topic chosen."""
    base, composition = composed.base, composed.composition
    boundary, boundary_reason = boundary_of(composition)
    first = composition.first_sent
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
        first_sent=0 if first is None else first.position,
        estimate=describe_estimate(composition.estimate),
        tools=show_tools(composed.tools),
        as_of=base.as_of.isoformat() if base.ages else "",
        prelude=base.beside.prelude,
        secrets=composed.secrets,
    )
