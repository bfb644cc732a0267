"""Checks media types and query parameters: 406, 415, and 422 for a parameter that does not exist.

APIRouter(dependencies=[Depends(offers(JSON))])
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, cast

from fastapi import Request, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from app.api.http.problems import ApiProblemError, refuse_field
from app.domain.errors import InputError
from app.domain.half_characters import HALF_CHARACTER, has_half_character

JSON = "application/json"
CSV = "text/csv"
EVENT_STREAM = "text/event-stream"
_MAY_BE_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""Half of a pair of surrogates, escaped or as it is. Whole pairs are among what this finds."""
ANYTHING = "*/*"
"""What a route offers whose answer is of any type."""


def offers(*media_types: str) -> Callable[..., Awaitable[str]]:
    """A dependency that picks among what the route can answer with; the first is meant when a client says nothing."""

    async def pick(request: Request) -> str:
        chosen = choose_media_type(request.headers.get("accept"), media_types)
        if chosen is None:
            raise ApiProblemError("not-acceptable", f"This address answers with {' or '.join(media_types)}.")
        return chosen

    return pick


def choose_media_type(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """The offer a client likes best by its Accept header (RFC 9110, 12.5.1), None when it takes none.

    >>> choose_media_type("application/json;q=0.5, text/*", ("application/json", "text/event-stream"))
    'text/event-stream'
    """
    if accept is None or not accept.strip() or offered == (ANYTHING,):
        return offered[0]
    ranges = [_parse_range(part) for part in accept.split(",")]
    best = max(offered, key=lambda offer: _quality(offer, ranges))
    return best if _quality(best, ranges) > 0 else None


async def require_json_body(request: Request) -> None:
    """Refuse a body that does not say it is JSON: 415. A page of another site cannot send one that does, unasked."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != JSON:
        said = f"It says {content_type!r}." if content_type else "It says nothing of its type."
        raise ApiProblemError("unsupported-media-type", f"Send the body with Content-Type: {JSON}. {said}")


async def refuse_half_characters(request: Request) -> None:
    """Refuse a JSON body with a lone surrogate, also in names of fields. What a route reads itself is left alone."""
    route = request.scope["route"]
    if getattr(route, "body_field", None) is None or not _MAY_BE_HALF.search(await request.body()):
        return
    with suppress(json.JSONDecodeError, UnicodeDecodeError, RecursionError):  # the route says so itself
        body = await request.json()
        if has_half_character(body):
            fields = cast("dict[str, object]", body) if isinstance(body, dict) else {}
            named = (name for name, value in fields.items() if has_half_character(value))
            raise InputError(next((name for name in named if not has_half_character(name)), "body"), HALF_CHARACTER)


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse a query parameter the route does not know: a filter that is not applied shows what was not asked for."""
    route = request.scope["route"]
    if not isinstance(route, APIRoute):
        raise TypeError(type(route).__name__)
    known = [field.alias for field in get_flat_params(route.dependant) if isinstance(field.field_info, params.Query)]
    for name in request.query_params:
        if name not in known:
            takes = f"This address takes {', '.join(known)}." if known else "This address takes no parameters."
            refuse_field(name, f"there is no such parameter. {takes}")


def _parse_range(text: str) -> tuple[str, float]:
    media_range, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return media_range, min(1.0, max(0.0, float(value)))
            except ValueError:
                return media_range, 0.0
    return media_range, 1.0


def _quality(offer: str, ranges: list[tuple[str, float]]) -> float:
    """The quality of the most specific range that covers the offer."""
    for wanted in (offer, f"{offer.partition('/')[0]}/*", "*/*"):
        matching = [quality for media_range, quality in ranges if media_range == wanted]
        if matching:
            return max(matching)
    return 0.0
