"""View options as query parameters: the same fields as in the body of a send."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from app.api.http.bodies import FilterLine, Instant, ModelName, TopicId, ZoneName
from app.runs.send.context_selection import UTC_ZONE, ViewOptions


def _read_options(
    filter: Annotated[FilterLine | None, Query(description="Default: the value of the conversation.")] = None,  # noqa: A002 - the query parameter has this name
    model: Annotated[ModelName | None, Query(description="Default: the value of the conversation.")] = None,
    topic: Annotated[TopicId | None, Query(description="The id of the topic that a `t` without a name means.")] = None,
    zone: Annotated[ZoneName, Query()] = UTC_ZONE,
    as_of: Annotated[
        Instant | None, Query(description="The time from which ages in a filter are measured. Default: now.")
    ] = None,
) -> ViewOptions:
    return ViewOptions(filter, model, topic, zone, as_of)


ViewOptionsQuery = Annotated[ViewOptions, Depends(_read_options)]
