"""Export and import over HTTP: a file of a conversation, and conversations from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import ConversationsToExport, Instant, ModelName
from app.api.http.negotiation import JSON, choose_media_type, offers, require_json_body
from app.api.http.problems import ApiProblemError
from app.api.resources.conversation.conversations import ConversationId
from app.domain.filters.language.commands import ExportFormat, ExportOrder
from app.domain.filters.parser.lexer import MAX_LENGTH
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.transfer.exports.bulk import BulkExport, read_bulk_export, write_bulk_export
from app.runs.transfer.exports.exporting import Exported, export_conversation
from app.runs.transfer.imports import storing
from app.runs.transfer.imports.shapes import ExportShape
from app.runs.transfer.imports.storing import ImportedOne
from app.runs.workbench import current
from app.views.transcript_html import PRINT_POLICY

FILE_SCHEMA = "ExportFile"
ZIP = "application/zip"
ExportId = Annotated[str, Path(max_length=64, description="The id of a file.")]

router = APIRouter(tags=["export and import"])

MEDIA_TYPES: Mapping[ExportFormat, str] = MappingProxyType(
    {
        ExportFormat.JSON: JSON,
        ExportFormat.MARKDOWN: "text/markdown; charset=utf-8",
        ExportFormat.HTML: "text/html; charset=utf-8",
    }
)
_DOCUMENTED = {
    200: {
        "description": "The file, as an attachment.",
        "content": {
            JSON: {"schema": {"type": "object"}},
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }
}


@dataclass(frozen=True, slots=True)
class ImportedView:
    """What came of a file."""

    conversations: tuple[ImportedOne, ...]


@router.get(
    "/conversations/{conversation_id}/export",
    summary="Export a conversation, or what a filter selects of it",
    description="`json` is Inview's own format, which loses nothing and can be imported; `md` and `html` are to be "
    "read. Without a filter every pair is in it, whatever the page shows. `html` with `print=true` is shown in place "
    "and opens the browser's print dialog.",
    response_class=Response,
    responses=_DOCUMENTED | fails("not-found", "conflict"),
)
async def export(  # noqa: PLR0913 - FastAPI takes each parameter of the query as one of ours
    bench: Bench,
    owner: Owner,
    request: Request,
    conversation_id: ConversationId,
    *,
    format: Annotated[ExportFormat, Query(description="What it is written as.")] = ExportFormat.JSON,  # noqa: A002 - the name that programs use
    filter: Annotated[str, Query(max_length=MAX_LENGTH, description="Which pairs. Empty: all.")] = "",  # noqa: A002 - the noun's own name, here as everywhere
    order: Annotated[ExportOrder, Query(description="How it is arranged.")] = ExportOrder.TIME,
    filename: Annotated[str | None, Query(min_length=1, max_length=200, description="Without it, the title.")] = None,
    model: Annotated[ModelName | None, Query(description="The model chosen in the composer.")] = None,
    topic: Annotated[str | None, Query(max_length=64, description="The topic chosen in the composer.")] = None,
    zone: Annotated[str, Query(max_length=64, description="The reader's time zone.")] = UTC_ZONE,
    as_of: Annotated[Instant | None, Query(description="When ages are read. Without it, now.")] = None,
    print: Annotated[bool, Query(description="With `html`: a page that prints itself, no attachment.")] = False,  # noqa: A002 - the name that people expect
) -> Response:
    media_type = MEDIA_TYPES[format]
    if choose_media_type(request.headers.get("accept"), (media_type.partition(";")[0],)) is None:
        raise ApiProblemError("not-acceptable", f"As {format.value}, this address answers with {media_type}.")
    view_options = ViewOptions(filter, model, topic, zone, as_of)
    printed = print and format is ExportFormat.HTML
    exported = await export_conversation(
        bench, owner, conversation_id, format, view_options, order=order, filename=filename, printed=printed
    )
    headers = _describe_attachment(exported)
    if printed:
        headers["Content-Disposition"] = "inline"
        headers["Content-Security-Policy"] = f"sandbox allow-scripts allow-modals; {PRINT_POLICY}"
    return StreamingResponse(exported.chunks, 200, headers, media_type)


@router.post(
    "/exports",
    summary="Export several conversations as one file",
    description="`json` is one file of Inview's own format, which loses nothing and can be imported; `md` and `html` "
    "are zip archives of files to be read. Answers once the file is written, which can be downloaded for an hour.",
    status_code=201,
    dependencies=[Depends(offers(JSON)), Depends(require_json_body)],
    responses=says(BulkExport, *WITH_BODY, "not-found", "conflict", status=201, description="The file at `Location`."),
)
async def export_several(bench: Bench, owner: Owner, body: ConversationsToExport) -> Response:
    made = await write_bulk_export(bench, owner, body.conversation_ids, ExportFormat(body.format), lambda _: None)
    return answer(made, 201, {"Location": f"/api/v1/exports/{made.id}"})


@router.get(
    "/exports/{export_id}",
    summary="Download a file of several conversations",
    response_class=Response,
    responses={
        200: {
            "description": "The file, as an attachment.",
            "content": {
                JSON: {"schema": {"type": "object"}},
                ZIP: {"schema": {"type": "string", "format": "binary"}},
            },
        }
    }
    | fails("not-found"),
)
async def download(owner: Owner, request: Request, export_id: ExportId) -> Response:
    exported = await read_bulk_export(current(), owner, export_id)
    media_type = JSON if exported.filename.endswith(".json") else ZIP
    if choose_media_type(request.headers.get("accept"), (media_type,)) is None:
        raise ApiProblemError("not-acceptable", f"This address answers with {media_type}.")
    return StreamingResponse(exported.chunks, 200, _describe_attachment(exported), media_type)


def _describe_attachment(exported: Exported) -> dict[str, str]:
    return {
        "Content-Disposition": write_disposition(exported.filename),
        "Content-Length": str(exported.size),
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }


@router.post(
    "/import",
    summary="Import conversations from a file",
    description="Inview's own format, as `export` writes it, or one conversation written by hand: see "
    "`docs/export-format.md`. The file is checked whole first; a fault is told with its place as a JSON path, and "
    "nothing is stored then.",
    status_code=201,
    dependencies=[Depends(offers(JSON)), Depends(require_json_body)],
    responses=says(ImportedView, *WITH_BODY, "conflict", status=201, description="The conversations as they are here."),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/" + FILE_SCHEMA}}},
        }
    },
)
async def import_them(bench: Bench, owner: Owner, request: Request) -> Response:
    body = bytearray()  # `request.body()` holds it twice for a moment
    async for chunk in request.stream():
        body += chunk
    return answer(ImportedView(await storing.import_file(bench, owner, body)), 201)


def write_disposition(filename: str) -> str:
    """The header that names a file (RFC 6266): plain for old readers, exact for all others."""
    plain = filename.encode("ascii", "replace").decode().replace("?", "_").replace('"', "'")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def file_schemas() -> dict[str, Any]:
    """The schema of a file and of all in it, by their names among OpenAPI's components."""
    schema = ExportShape.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), FILE_SCHEMA: schema}
