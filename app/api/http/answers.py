"""Answers and their description in OpenAPI. `to_json` encodes views, never FastAPI's encoder.

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
    "provider-refused",
)
"""Problems of a route that sends a pair again in the same conversation."""

VIEW = "view"
"""The key of an answer's class in a route's `responses`. `openapi.py` passes the class to FastAPI as `model`."""

Responses = dict[int | str, dict[str, Any]]


def answer(view: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with a view as JSON. It is private and can change, so no cache may store it."""
    return Response(to_json(view), status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def says(view: object, *problems: ProblemName, status: int = 200, description: str = "") -> Responses:
    """Return a route's `responses`: this view on success, and the problems of `fails`."""
    return {status: {VIEW: view, "description": description or "As asked."}, **fails(*problems)}


def fails(*problems: ProblemName) -> Responses:
    """Return a route's `responses` for problems: these, and those of every route that uses the store."""
    return documented(*problems, *ANYWHERE, "not-ready")
