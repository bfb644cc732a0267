"""The audit trail over HTTP: a page of it, and all of it as a file. For owners and admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response, StreamingResponse

from app.api.http.access import Bench, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.bodies import Instant
from app.api.http.negotiation import JSON, offers
from app.api.http.patterns import ENTRY_CURSOR
from app.runs.people.audit_reading import AuditFormat, export_entries, read_entries, require_reader
from app.store.audit.entries import AuditFilter
from app.views.audit import AuditView, describe_entry

router = APIRouter(tags=["audit"])

_TYPES = {AuditFormat.CSV: "text/csv; charset=utf-8", AuditFormat.JSON_LINES: "application/x-ndjson"}

Cursor = Annotated[str | None, Query(pattern=ENTRY_CURSOR, description="`next_cursor` of the page before.")]


def _wanted(  # noqa: PLR0913, PLR0917 - the filters of the query
    person: Annotated[
        str | None, Query(max_length=64, description="Of this person, by id; empty: not signed in.")
    ] = None,
    action: Annotated[
        str | None,
        Query(max_length=64, description="This action, such as `share.made`, or a group of them, such as `session`."),
    ] = None,
    subject: Annotated[
        str | None, Query(max_length=64, description="What was done to this object, or in this conversation, by id.")
    ] = None,
    kind: Annotated[
        str | None, Query(max_length=64, description="What was done to objects of this kind, such as `conversation`.")
    ] = None,
    since: Annotated[Instant | None, Query(description="From this moment on.")] = None,
    until: Annotated[Instant | None, Query(description="Before this moment.")] = None,
) -> AuditFilter:
    return AuditFilter(person, action, subject, kind, since, until)


Wanted = Annotated[AuditFilter, Depends(_wanted)]


@router.get(
    "/audit",
    summary="Read who did what when",
    description="For owners and admins. Entries have ids and no texts of conversations, and are never changed or "
    "deleted. Readings of one object by one person are entered once a quarter of an hour.",
    dependencies=[Depends(offers(JSON))],
    responses=says(AuditView, "forbidden", description="The newest entry first."),
)
async def read_audit(
    bench: Bench,
    owner: Owner,
    wanted: Wanted,
    *,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many entries.")] = 100,
    cursor: Cursor = None,
) -> Response:
    before = None if cursor is None else int(cursor)
    found = await read_entries(bench, owner, wanted, limit=limit + 1, before=before)
    items = tuple(describe_entry(one.number, one.entry, one.hash) for one in found[:limit])
    return answer(AuditView(items, str(items[-1].id) if len(found) > limit else None))


@router.get(
    "/audit/export",
    summary="Export the audit trail",
    description="For owners and admins: all entries that fit, the oldest first, as JSON lines or CSV.",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                "application/x-ndjson": {"schema": {"type": "string"}},
                "text/csv": {"schema": {"type": "string"}},
            },
        }
    }
    | fails("forbidden"),
)
async def export_audit(
    bench: Bench,
    owner: Owner,
    wanted: Wanted,
    *,
    format_: Annotated[AuditFormat, Query(alias="format", description="`jsonl` or `csv`.")] = AuditFormat.JSON_LINES,
) -> Response:
    await require_reader(bench, owner)
    headers = {"Content-Disposition": f'attachment; filename="inview-audit.{format_}"', "Cache-Control": "no-store"}
    return StreamingResponse(export_entries(bench, wanted, format_), headers=headers, media_type=_TYPES[format_])
