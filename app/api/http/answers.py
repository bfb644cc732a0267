"""Answers and how OpenAPI is told of them: a view becomes JSON by `to_json`, never by FastAPI's own encoder.

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
"""A media type that is not on offer, a parameter nobody knows, a fault of ours."""
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
"""What may keep a pair from being sent again where it stands."""

VIEW = "view"
"""Where a route's `responses` keep the class of an answer until `openapi.py` hands it to FastAPI as its `model`."""

Responses = dict[int | str, dict[str, Any]]


def answer(view: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The view as JSON. It is somebody's own and true for now: no cache keeps it."""
    return Response(to_json(view), status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def says(view: object, *problems: ProblemName, status: int = 200, description: str = "") -> Responses:
    """For a route's `responses`: this view when all is well, else one of `fails`."""
    return {status: {VIEW: view, "description": description or "As asked."}, **fails(*problems)}


def fails(*problems: ProblemName) -> Responses:
    """For a route's `responses`: these problems, and those any route with the store behind it may have."""
    return documented(*problems, *ANYWHERE, "not-ready")
