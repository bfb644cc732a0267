"""Audits each request: looks up its rule, and stores the entry with what the request stores.

app.include_router(router, dependencies=[Depends(audit_request)])
app.add_route("/v1/messages", audited("/v1/messages", message))
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.api.http.audit_rules import RULES
from app.domain.people.audit_actions import NAMES_FIELDS, Audited, AuditRule
from app.runs.people.audit import REFUSED, Access, finish, note_access

MAX_ID: Final = 64
"""Characters of an id that the audit trail gets: a caller sent it."""


async def audit_request(request: Request) -> AsyncGenerator[None]:
    """Leave the entry of a request to a described route; what failed or stored nothing is entered as that."""
    route = request.scope["route"]
    through = f"{'GET' if request.method == 'HEAD' else request.method} {route.path}"
    rule = RULES[through]
    asked = await note_access(rule, await _describe(request, rule, through))
    try:
        yield
    except Exception:
        finish(asked, REFUSED)
        raise
    finish(asked)


def audited(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a route beside the described ones, which leaves its entry."""
    rule = RULES[path]

    async def serve(request: Request) -> Response:
        asked = await note_access(rule, await _describe(request, rule, path))
        try:
            return await endpoint(request)
        finally:
            finish(asked)

    return serve


async def _describe(request: Request, rule: AuditRule, through: str) -> Access:
    if not isinstance(rule, Audited):
        return Access(through)
    found = {name: str(value)[:MAX_ID] for name, value in request.path_params.items()}
    fields = await _read_fields(request) if rule.action in NAMES_FIELDS else ()
    return Access(through, found.get(rule.argument, ""), found.get("conversation_id"), fields)


async def _read_fields(request: Request) -> tuple[str, ...]:
    """The names of the fields of a JSON body, without values. The framework has read it already."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        return ()
    with suppress(json.JSONDecodeError, UnicodeDecodeError):  # the route says so itself
        body = await request.json()
        if isinstance(body, dict):
            return tuple(str(name)[:MAX_ID] for name in body)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON
    return ()
