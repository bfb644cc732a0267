"""The OpenAPI document, generated when it is first requested.

FastAPI would build a validator for every answer when the server starts, once for each route and once for each router
around it. Answers are not validated before they are sent, so a route has only the classes of its answers until the
document is requested (docs/decisions/0046).

Elsewhere: the page that shows the document (`docs_page.py`) and the descriptions of the routes (`answers.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from app.api.http.answers import VIEW


def describe_routes(app: FastAPI, routers: Iterable[APIRouter], prefix: str) -> dict[str, Any]:
    """Make the OpenAPI document of an app's routes with FastAPI. It takes about a second."""
    described = FastAPI(title=app.title, version=app.version, description=app.description)
    for router in routers:
        known = APIRouter()
        known.routes += map(_document_schemas, router.routes)
        described.include_router(known, prefix=prefix)
    return described.openapi()


def _document_schemas(route: BaseRoute) -> APIRoute:
    if not isinstance(route, APIRoute):
        raise TypeError(f"{route!r} cannot be described: a resource's router holds routes of FastAPI alone.")
    documented = copy(route)
    documented.responses = {status: _document_schema(response) for status, response in route.responses.items()}
    return documented


def _document_schema(response: dict[str, Any]) -> dict[str, Any]:
    return {"model" if name == VIEW else name: value for name, value in response.items()}
