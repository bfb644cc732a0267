"""Makes the answers of routes, and describes them in OpenAPI. `to_json` encodes views; FastAPI's encoder is not used.

@router.get("/{id}", responses=says(ConversationView, "not-found"))
async def read(…) -> Response:
    return answer(view)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from app.api.http.negotiation import JSON
from app.api.http.problems import documented
from app.views.encode import to_json
from app.views.problem import ProblemName

ANYWHERE: tuple[ProblemName, ...] = ("not-acceptable", "invalid-input", "internal")
"""Problems of every route: an unsupported media type, an unknown parameter, an internal error."""
WITH_BODY: tuple[ProblemName, ...] = (
    "malformed-body",
    "body-too-slow",
    "body-too-large",
    "too-many-bodies",
    "unsupported-media-type",
)
IN_PLACE: tuple[ProblemName, ...] = (
    *WITH_BODY,
    "not-found",
    "conflict",
    "pair-changed",
    "send-locked",
    "later-pairs",
    "budget-spent",
    "rate-limited",
    "provider-refused",
)
"""Problems of a route that sends a pair again in the same conversation."""

VIEW = "view"
"""The key in a route's `responses` that has the class of the answer. `openapi.py` passes it to FastAPI as `model`."""

Responses = dict[int | str, dict[str, Any]]


def answer(view: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a view as a JSON response. No cache may store the response, because it is private and can change."""
    return Response(to_json(view), status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def says(view: object, *problems: ProblemName, status: int = 200, description: str = "") -> Responses:
    """Return the OpenAPI `responses` of a route: the successful answer and the problems.

    The successful answer has this `status` and the class `view`. The problems are `problems`, and those that `fails`
    adds.
    """
    return {status: {VIEW: view, "description": description or "As asked."}, **fails(*problems)}


def fails(*problems: ProblemName) -> Responses:
    """Return the OpenAPI `responses` of a route: for `problems`, and for the problems that any use of the store has."""
    return documented(*problems, *ANYWHERE, "not-ready")
