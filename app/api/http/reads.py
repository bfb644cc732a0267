"""Middleware that notes each read of a conversation for the audit trail.

A read is a GET request, or a preview, whose path names a conversation, or a pair, run, call or permission request of
one. Requests that change something also answer with texts. The audit trail has no entry for such a request if nothing
changed, so the answer counts as a read.
An export notes itself (`runs/transfer/exporting.py`).
"""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.access import find_context, owner_of
from app.domain.audit import AuditAction
from app.runs.audit.access_log import Access
from app.runs.runtime.client import current_client

_NAMES: Final = ("conversation_id", "pair_id", "run_id", "call_id", "request_id")
"""The parameters of paths that name a conversation or a part of one."""
_ANSWERED: Final = frozenset({"undelete", "pause", "resume"})
"""The last segment of the paths of POST requests that answer with texts, also if they change nothing."""
REFUSED: Final = 400
"""The first status code of an answer that has no content of a conversation."""


class AuditReads:
    """ASGI middleware; see the module."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "POST", "PATCH"}:
            await self._app(scope, receive, send)
            return

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < REFUSED:
                await _note_read(scope)
            await send(message)

        await self._app(scope, receive, note)


async def _note_read(scope: Scope) -> None:
    given = scope.get("path_params", {})
    name = next((name for name in _NAMES if name in given), None)
    if name is None:
        return
    part = _name_part(scope["route"].path, name)
    if part == "export" or not _is_read(scope["method"], part.rpartition("/")[2]):
        return
    connection, subject = HTTPConnection(scope), str(given[name])
    ctx = await find_context(connection)
    conversation_id = subject if name == "conversation_id" else None
    ctx.accesses.note(await owner_of(connection), Access(AuditAction.READ, subject, conversation_id, part))


def _is_read(method: str, last: str) -> bool:
    """Return True for a read. `last` is the last segment of the part that the path names."""
    if method == "GET" or (method == "POST" and last == "preview"):
        return True
    return (method == "PATCH" or last in _ANSWERED) and not current_client().audited


def _name_part(path: str, name: str) -> str:
    """Return the part that a route reads: the end of its path after the parameter, or the segment before it.

    >>> _name_part("/api/v1/pairs/{pair_id}/snapshot/body", "pair_id"), _name_part("/api/v1/calls/{call_id}", "call_id")
    ('snapshot/body', 'calls')
    """
    before, _, after = path.partition(f"/{{{name}}}")
    return after.strip("/") or before.rpartition("/")[2]
