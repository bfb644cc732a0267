"""Checks of requests: the header Accept (406), the content type of a body (415), unknown query parameters (422).

APIRouter(dependencies=[Depends(offers(JSON))])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Depends, Request, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from app.api.http.problems import ApiProblemError, refuse_field

JSON = "application/json"
CSV = "text/csv"
EVENT_STREAM = "text/event-stream"
ANYTHING = "*/*"
"""The argument of `offers` for a route whose answers can have any media type."""


def offers(*media_types: str) -> Callable[..., Awaitable[str]]:
    """Return a FastAPI dependency that chooses the media type of the answer by the Accept header.

    Without this header, it chooses the first of `media_types`. If the header accepts none of them, it raises
    ApiProblemError (406).
    """

    async def pick(request: Request) -> str:
        chosen = choose_media_type(request.headers.get("accept"), media_types)
        if chosen is None:
            raise ApiProblemError("not-acceptable", f"This endpoint responds with {' or '.join(media_types)}.")
        return chosen

    return pick


def choose_media_type(accept: str | None, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type that the Accept header prefers (RFC 9110, 12.5.1), or None if it accepts none.

    >>> choose_media_type("application/json;q=0.5, text/*", ("application/json", "text/event-stream"))
    'text/event-stream'
    """
    if accept is None or not accept.strip() or offered == (ANYTHING,):
        return offered[0]
    ranges = [_parse_range(part) for part in accept.split(",")]
    best = max(offered, key=lambda offer: _quality(offer, ranges))
    return best if _quality(best, ranges) > 0 else None


async def require_json_body(request: Request) -> None:
    """Refuse a body without the content type JSON (415).

    A browser lets a page of another site send this type only with the server's permission, and Inview gives none.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != JSON:
        reason = f"The request has {content_type!r}." if content_type else "The request has no Content-Type."
        raise ApiProblemError("unsupported-media-type", f"Send the body with Content-Type: {JSON}. {reason}")


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse a query parameter that the route does not have.

    If a misspelt filter were ignored, the results would be wrong.
    """
    route = request.scope["route"]
    if not isinstance(route, APIRoute):
        raise TypeError(type(route).__name__)
    # All other parameters are of the query. Those in a model (`Annotated[Model, Query()]`) are not marked as such.
    others = (params.Path, params.Header, params.Cookie)
    known = [field.alias for field in get_flat_params(route.dependant) if not isinstance(field.field_info, others)]
    for name in request.query_params:
        if name not in known:
            takes = (
                f"This endpoint has the parameters {', '.join(known)}." if known else "This endpoint has no parameters."
            )
            refuse_field(name, f"is an unknown parameter. {takes}")


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
    """Return the quality (`q`) of the most specific media range that includes the offered type; 0 if none does."""
    for accepted in (offer, f"{offer.partition('/')[0]}/*", "*/*"):
        matching = [quality for media_range, quality in ranges if media_range == accepted]
        if matching:
            return max(matching)
    return 0.0


HasBody = Depends(require_json_body)
"""Dependency of a route that reads a JSON body."""
ReadsJson = Depends(offers(JSON))
"""Dependency of a route that answers with JSON."""
