"""The OpenAPI document, generated when it is first requested.

If a route named the classes of its answers to FastAPI, FastAPI would build a validator for every answer when the server
starts, once for each route and once for each router around it. Inview does not validate answers before it sends them.
So a route stores these classes under a key that FastAPI does not read (`answers.VIEW`), and FastAPI gets them only for
this document (docs/decisions/0046).

`docs_page.py` shows the document as a page. `answers.py` describes the answers of the routes.
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
    """Make the OpenAPI document of an app's routes with FastAPI. This takes about a second."""
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
