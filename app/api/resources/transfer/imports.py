"""Imports over HTTP: a file is handed in and described; then it is imported, undone or dropped."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from app.api.http.access import Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.negotiation import JSON, offers
from app.api.http.patterns import IMPORT_ID
from app.api.resources.conversation.attachments import BYTES, require_bytes
from app.runs.process.ids import new_id
from app.runs.transfer.imports.staging import (
    carry_out_import,
    drop_import,
    read_import,
    receive_import,
    undo_import,
)
from app.runs.workbench import current
from app.views.imports import ImportView

router = APIRouter(prefix="/imports", tags=["export and import"])

ImportId = Annotated[str, Path(pattern=IMPORT_ID, description="The id of the import.")]


@router.post(
    "",
    summary="Hand in an export to be imported",
    description="The body is the file itself: an export of ChatGPT or Claude (the zip archive, or its "
    "`conversations.json`), of Open WebUI, of MaiChat (`:export json`), or Inview's own. It is read and described, and "
    "nothing is stored: `POST /imports/{id}/commit` does that. The file is kept for a day. A file that cannot be read "
    "is told by `status` `failed` and `message`.",
    status_code=201,
    dependencies=[Depends(offers(JSON)), Depends(require_bytes)],
    responses=says(ImportView, *WITH_BODY, "conflict", status=201, description="What the file would bring."),
    openapi_extra={
        "requestBody": {"required": True, "content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def hand_in(
    owner: Owner,
    request: Request,
    *,
    name: Annotated[str, Query(max_length=1_000, description="The name of the file.")] = "",
    id: Annotated[  # noqa: A002 - the noun's own name, here as everywhere
        str | None, Query(pattern=IMPORT_ID, description="An id of your own choice, by which the progress can be read.")
    ] = None,
) -> Response:
    announced = request.headers.get("content-length", "0")
    size = int(announced) if announced.isdigit() else 0
    view = await receive_import(current(), owner, id or new_id(), name, request.stream(), size)
    return answer(view, 201, {"Location": f"/api/v1/imports/{view.id}"})


@router.get(
    "/{import_id}",
    summary="How far an import is",
    dependencies=[Depends(offers(JSON))],
    responses=says(ImportView, "not-found", description="The import."),
)
async def read(owner: Owner, import_id: ImportId) -> Response:
    return answer(await read_import(current(), owner, import_id))


@router.post(
    "/{import_id}/commit",
    summary="Import what is not here yet",
    description="Answers once it is over. A conversation is stored whole or not at all. What is here already and has "
    "not changed is not brought again.",
    dependencies=[Depends(offers(JSON))],
    responses=says(ImportView, "not-found", "conflict", description="What came of it."),
)
async def commit(owner: Owner, import_id: ImportId) -> Response:
    return answer(await carry_out_import(current(), owner, import_id))


@router.post(
    "/{import_id}/undo",
    summary="Move what an import brought to the trash",
    dependencies=[Depends(offers(JSON))],
    responses=says(ImportView, "not-found", description="The import."),
)
async def undo(owner: Owner, import_id: ImportId) -> Response:
    return answer(await undo_import(current(), owner, import_id))


@router.delete(
    "/{import_id}",
    summary="Forget a file that is not to be imported",
    status_code=204,
    response_class=Response,
    responses=fails("not-found", "conflict"),
)
async def drop(owner: Owner, import_id: ImportId) -> Response:
    await drop_import(current(), owner, import_id)
    return Response(status_code=204)
