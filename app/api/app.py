"""The API as one ASGI app: routes, problems, limits, and its own description. `app.app` puts it beside the page.

It answers for every path below `/api`, also for those that do not exist. Who may ask at all (Host, Origin) is the
gate's business; whose objects a request sees is `api/http/access.py`'s.

    create_api()  →  GET /api/v1/health, /api/v1/openapi.json, /api/v1/docs, …
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.requests import Request
from starlette.responses import Response

from app.api.gateway.routes import CHAT, MESSAGES, add_gateway
from app.api.http import health, metrics
from app.api.http.audit import audit_request, audited
from app.api.http.bodies import MAX_BODY
from app.api.http.body_limit import BodyLimit
from app.api.http.docs_page import PAGE_POLICY, STYLE, describe_api
from app.api.http.event_stream import EVENT_SCHEMA
from app.api.http.negotiation import refuse_half_characters, refuse_unknown_parameters
from app.api.http.openapi import describe_routes
from app.api.http.problems import answer_every_fault, problem_schemas
from app.api.http.sign_in_gate import PROVIDER, PROVIDER_BACK, SECURITY, SIGN_IN, SIGN_IN_CODE, SIGN_OUT
from app.api.resources.conversation import (
    attachments,
    branches,
    conversations,
    found_pairs,
    history,
    lineage,
    marks,
    pairs,
    raw,
)
from app.api.resources.library import (
    agents,
    filters,
    folders,
    lines,
    models,
    preferences,
    prompts,
    retention,
    topics,
    trash,
)
from app.api.resources.people import allowances, audit, passkeys, provider, security, tokens
from app.api.resources.people import sign_in as signing_in
from app.api.resources.send import (
    checkpoints,
    compare,
    counts,
    first_send,
    nodes,
    queue,
    request_bodies,
    runs,
    send,
    sent_calls,
    structured,
    verification,
    versions,
)
from app.api.resources.tools import insertions, permissions, servers, sign_in, tool_calls, tool_choice
from app.api.resources.transfer import exporting, grants, imports, shares
from app.api.resources.usage import budgets, caches, keep_warm, usage
from app.domain.conversation.uploads import MAX_UPLOAD_BYTES
from app.domain.people.tokens import METRICS
from app.runs.people.welcome import WELCOME
from app.runs.tools.sign_in_commands import CALLBACK
from app.runs.transfer.exports.own_json import MAX_FILE_BYTES
from app.runs.transfer.exports.sharing import PREFIX as SHARED
from app.runs.transfer.imports.job import MAX_FILE
from app.views.passkey_pages import SCRIPT
from app.views.sign_in_pages import PASSKEY

PREFIX = "/api/v1"
MAX_GATEWAY_BODY = 32 * 1024 * 1024
"""Bytes: as much as Anthropic takes."""

RESOURCES = (
    health,
    models,
    conversations,
    pairs,
    history,
    attachments,
    marks,
    raw,
    lines,
    send,
    first_send,
    request_bodies,
    queue,
    compare,
    counts,
    caches,
    keep_warm,
    checkpoints,
    nodes,
    branches,
    found_pairs,
    lineage,
    versions,
    structured,
    runs,
    sent_calls,
    tool_calls,
    tool_choice,
    permissions,
    topics,
    folders,
    agents,
    prompts,
    trash,
    retention,
    filters,
    preferences,
    exporting,
    shares,
    grants,
    imports,
    verification,
    usage,
    budgets,
    servers,
    insertions,
    sign_in,
    tokens,
    allowances,
    audit,
)

_DESCRIPTION = """\
Everything the page can do with conversations, a program can do here, with the same rules. JSON in and out, times in
UTC, ids are opaque texts. Lists page by cursor: hand `next_cursor` back as `cursor` until it is null.

Faults are problem documents (RFC 9457) with a stable `type`; for input, `errors` names each field and the reason.
"""


NO_TELEMETRY: Final[TelemetryConfig] = {"auto_configure": False, "tracing": False, "metrics": False, "logs": False}
"""No variable but INVIEW_TRACES_URL has anything sent (decision 0120): FASTAPI_OTEL_AUTO_CONFIGURE is not obeyed."""


def create_api() -> FastAPI:
    """The API. The workbench must be open when the first request comes."""
    app = FastAPI(
        title="Inview API",
        version="1",
        description=_DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=NO_TELEMETRY,
    )
    for resource in RESOURCES:
        app.include_router(
            resource.router,
            prefix=PREFIX,
            dependencies=[
                Depends(refuse_unknown_parameters),
                Depends(refuse_half_characters),
                Depends(audit_request),
            ],
        )
    app.add_middleware(
        BodyLimit,
        most=MAX_BODY,
        larger={
            f"{PREFIX}/import": MAX_FILE_BYTES,
            f"{PREFIX}/imports": MAX_FILE,
            f"{PREFIX}/attachments": MAX_UPLOAD_BYTES,
            CHAT: MAX_GATEWAY_BODY,
            MESSAGES: MAX_GATEWAY_BODY,
        },
    )
    app.add_route(SIGN_IN, signing_in.enter, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(SIGN_IN_CODE, signing_in.enter_code, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(PASSKEY, passkeys.enter, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(SCRIPT, passkeys.script, methods=["GET"], include_in_schema=False)
    app.add_route(PROVIDER, provider.go, methods=["GET"], include_in_schema=False)
    app.add_route(PROVIDER_BACK, provider.back, methods=["GET"], include_in_schema=False)
    app.add_route(SECURITY, security.security, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(SIGN_OUT, signing_in.leave, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(WELCOME, signing_in.welcome, methods=["GET", "POST"], include_in_schema=False)
    app.add_route(CALLBACK, audited(CALLBACK, sign_in.come_back), include_in_schema=False)
    app.add_route(f"{SHARED}{{token:path}}", shares.show, methods=["GET"], include_in_schema=False)
    app.add_route(METRICS, metrics.show, methods=["GET"], include_in_schema=False)
    add_gateway(app)
    answer_every_fault(app)
    _describe(app)
    return app


def _describe(app: FastAPI) -> None:
    @cache
    def describe() -> dict[str, Any]:
        schema = describe_routes(app, (resource.router for resource in RESOURCES), PREFIX)
        schema["components"]["schemas"] |= {**problem_schemas(), **exporting.file_schemas(), "Event": EVENT_SCHEMA}
        return schema

    app.openapi = describe

    async def browse(_request: Request) -> Response:
        page = describe_api(app.openapi(), f"{PREFIX}/docs.css")
        return Response(page, media_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})

    async def style(_request: Request) -> Response:
        return Response(STYLE, media_type="text/css")

    app.add_route(f"{PREFIX}/docs", browse, include_in_schema=False)
    app.add_route(f"{PREFIX}/docs.css", style, include_in_schema=False)
