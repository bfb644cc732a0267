"""Routes of export and import: a file of a conversation, and conversations from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Instant, ModelName
from app.api.http.negotiation import JSON, HasBody, ReadsJson, choose_media_type
from app.api.http.problems import ApiProblemError
from app.api.resources.conversation.conversations import ConversationId
from app.domain.filters.language.commands import Export, ExportFormat, ExportOrder
from app.domain.filters.language.lexer import MAX_LENGTH
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.transfer import importing
from app.runs.transfer.exporting import export_conversation
from app.runs.transfer.import_shapes import ExportShape
from app.runs.transfer.importing import ImportedOne

FILE_SCHEMA = "ExportFile"

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


class ExportQuery(BaseModel):
    """The query of an export: its format, and the view options that select its pairs."""

    format: Annotated[ExportFormat, Field(description="The format of the file.")] = ExportFormat.JSON
    filter: Annotated[str, Field(max_length=MAX_LENGTH, description="A filter. Empty: all pairs.")] = ""
    order: Annotated[ExportOrder, Field(description="The order of the pairs.")] = ExportOrder.TIME
    filename: Annotated[
        str | None, Field(min_length=1, max_length=200, description="The file name. Default: the title.")
    ] = None
    model: Annotated[ModelName | None, Field(description="The model chosen in the message box.")] = None
    topic: Annotated[str | None, Field(max_length=64, description="The topic chosen in the message box.")] = None
    zone: Annotated[str, Field(max_length=64, description="The reader's time zone.")] = UTC_ZONE
    as_of: Annotated[
        Instant | None, Field(description="The time from which ages in a filter are measured. Default: now.")
    ] = None

    def export(self) -> Export:
        return Export(self.format, self.filename, self.order)

    def options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)


@dataclass(frozen=True, slots=True)
class ImportedView:
    """The conversations imported from a file."""

    conversations: tuple[ImportedOne, ...]


@router.get(
    "/conversations/{conversation_id}/export",
    summary="Export a conversation, or the pairs that a filter selects",
    description="`json` is Inview's own format: it is complete and can be imported. `md` and `html` are for reading. "
    "Without a filter the file has every pair, whatever the page shows.",
    response_class=Response,
    responses=_DOCUMENTED | fails("not-found", "conflict"),
)
async def export(
    ctx: Ctx, owner: Owner, request: Request, conversation_id: ConversationId, query: Annotated[ExportQuery, Query()]
) -> Response:
    wanted = query.export()
    media_type = MEDIA_TYPES[wanted.format]
    if choose_media_type(request.headers.get("accept"), (media_type.partition(";")[0],)) is None:
        raise ApiProblemError("not-acceptable", f"For {wanted.format.value}, this endpoint responds with {media_type}.")
    exported = await export_conversation(ctx, owner, conversation_id, wanted, query.options())
    headers = {
        "Content-Disposition": write_disposition(exported.filename),
        "Content-Length": str(exported.size),
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(exported.chunks, 200, headers, media_type)


@router.post(
    "/import",
    summary="Import conversations from a file",
    description="Accepts Inview's own format, as `export` writes it, or one conversation written by hand: see "
    "`docs/export-format.md`. Inview checks the whole file first. If it finds an error, it stores nothing "
    "and returns the error with its place as a JSON path.",
    status_code=201,
    dependencies=[ReadsJson, HasBody],
    responses=says(ImportedView, *WITH_BODY, "conflict", status=201, description="The imported conversations."),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/" + FILE_SCHEMA}}},
        }
    },
)
async def import_them(ctx: Ctx, owner: Owner, request: Request) -> Response:
    body = bytearray()  # `request.body()` would hold two copies in memory for a moment
    async for chunk in request.stream():
        body += chunk
    return answer(ImportedView(await importing.import_file(ctx, owner, body)), 201)


def write_disposition(filename: str) -> str:
    """Return the Content-Disposition header with a file name (RFC 6266).

    The header has the name twice: in ASCII for old clients, and unchanged.
    """
    plain = filename.encode("ascii", "replace").decode().replace("?", "_").replace('"', "'")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def file_schemas() -> dict[str, Any]:
    """Return the schemas of an export file and its parts, by their names in the OpenAPI components."""
    schema = ExportShape.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), FILE_SCHEMA: schema}
