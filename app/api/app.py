"""The API as one ASGI app: routes, problem documents, limits, and its OpenAPI description. `app.app` mounts it.

It answers every path below `/api`, including those that do not exist. Other modules check Host and Origin
(`web/host_check.py`) and determine the owner of a request (`api/http/access.py`).

    create_api()  →  GET /api/v1/health, /api/v1/openapi.json, /api/v1/docs, …
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.api.http import health
from app.api.http.bodies import MAX_BODY
from app.api.http.body_limit import BodyLimit
from app.api.http.docs_page import PAGE_POLICY, STYLE, describe_api
from app.api.http.event_stream import EVENT_SCHEMA
from app.api.http.negotiation import refuse_unknown_parameters
from app.api.http.openapi import describe_routes
from app.api.http.problems import answer_every_fault, problem_schemas
from app.api.http.rate_headers import RateHeaders
from app.api.http.reads import AuditReads
from app.api.resources.agents import agents
from app.api.resources.attachments import attachments
from app.api.resources.audit import audit
from app.api.resources.compare import compare
from app.api.resources.conversation import branches, conversations, folders, history, lineage, marks, messages, pairs
from app.api.resources.filters import filters, lines
from app.api.resources.send import (
    checkpoints,
    counts,
    nodes,
    queue,
    request_bodies,
    runs,
    send,
    structured,
    verification,
    versions,
)
from app.api.resources.settings import models, preferences
from app.api.resources.tools import insertions, permissions, servers, sign_in, tool_calls, tool_choice
from app.api.resources.topics import topics
from app.api.resources.transfer import transfer
from app.api.resources.trash import trash
from app.api.resources.usage import budgets, caches, calls, keep_warm, usage
from app.domain.attachments.uploads import MAX_UPLOAD_BYTES
from app.runs.sign_in.sign_in_commands import CALLBACK
from app.runs.transfer.import_file import MAX_BYTES

PREFIX = "/api/v1"

RESOURCES = (
    health,
    models,
    conversations,
    folders,
    pairs,
    history,
    messages,
    attachments,
    marks,
    lines,
    send,
    request_bodies,
    queue,
    compare,
    counts,
    caches,
    keep_warm,
    checkpoints,
    nodes,
    branches,
    lineage,
    versions,
    structured,
    runs,
    tool_calls,
    tool_choice,
    permissions,
    audit,
    topics,
    agents,
    trash,
    filters,
    preferences,
    transfer,
    verification,
    usage,
    calls,
    budgets,
    servers,
    insertions,
    sign_in,
)

_DESCRIPTION = """\
Everything the page can do with conversations, a program can do here, with the same rules. JSON in and out, times in
UTC, ids are opaque strings. Lists are paged by cursor: send `next_cursor` as `cursor` until it is null.

Errors are problem documents (RFC 9457) with a stable `type`; for invalid input, `errors` names each field
and the reason.
"""


def create_api() -> FastAPI:
    """Return a new API app. The app context must be open before its first request."""
    app = FastAPI(
        title="Inview API",
        version="1",
        description=_DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for resource in RESOURCES:
        app.include_router(resource.router, prefix=PREFIX, dependencies=[Depends(refuse_unknown_parameters)])
    app.add_middleware(
        BodyLimit, most=MAX_BODY, larger={f"{PREFIX}/import": MAX_BYTES, f"{PREFIX}/attachments": MAX_UPLOAD_BYTES}
    )
    app.add_route(CALLBACK, sign_in.come_back, include_in_schema=False)
    answer_every_fault(app)
    app.add_middleware(AuditReads)
    app.add_middleware(RateHeaders)  # around the others, because it names the client
    _describe(app)
    return app


def _describe(app: FastAPI) -> None:
    @cache
    def describe() -> dict[str, Any]:
        schema = describe_routes(app, (resource.router for resource in RESOURCES), PREFIX)
        schema["components"]["schemas"] |= {**problem_schemas(), **transfer.file_schemas(), "Event": EVENT_SCHEMA}
        return schema

    app.openapi = describe

    async def browse(_request: Request) -> Response:
        page = describe_api(app.openapi(), f"{PREFIX}/docs.css")
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})

    async def style(_request: Request) -> Response:
        return Response(STYLE, media_type="text/css")

    app.add_route(f"{PREFIX}/docs", browse, include_in_schema=False)
    app.add_route(f"{PREFIX}/docs.css", style, include_in_schema=False)
