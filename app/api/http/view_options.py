"""View options as query parameters: the same fields as in the body of a send."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from app.api.http.bodies import FilterLine, Instant, ModelName, TopicId, ZoneName
from app.runs.send.context_selection import UTC_ZONE, ViewOptions


def _read_options(
    filter: Annotated[FilterLine | None, Query(description="Without it, the conversation's own.")] = None,  # noqa: A002 - the noun's own name, here as everywhere
    model: Annotated[ModelName | None, Query(description="Without it, the conversation's own.")] = None,
    topic: Annotated[TopicId | None, Query(description="The topic chosen, by its id: a bare `t` means it.")] = None,
    zone: Annotated[ZoneName, Query()] = UTC_ZONE,
    as_of: Annotated[Instant | None, Query(description="When ages are read. Without it, now.")] = None,
) -> ViewOptions:
    return ViewOptions(filter, model, topic, zone, as_of)


ViewOptionsQuery = Annotated[ViewOptions, Depends(_read_options)]
