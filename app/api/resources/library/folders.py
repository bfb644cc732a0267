"""Folders of the list of conversations over HTTP. Which one a conversation is in: `PATCH /conversations/{id}`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, take_whole
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.http.patterns import NAME
from app.domain.conversation.placement import MAX_FOLDER_NAME, Folder
from app.domain.retention import MAX_DAYS
from app.runs.library import folder_commands

router = APIRouter(prefix="/folders", tags=["folders"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)

FolderPath = Annotated[str, Path(max_length=64, description="A folder.")]
FolderName = Annotated[str, Field(pattern=NAME, max_length=MAX_FOLDER_NAME, description="One line.")]
KeptDays = Annotated[
    int | None,
    Field(
        ge=0,
        le=MAX_DAYS,
        description="After so many days without anything new its conversations go to the trash; 0: never, null: as "
        "conversations outside.",
    ),
    BeforeValidator(take_whole),
]


class NamedFolder(Body):
    """What a folder is called."""

    name: FolderName


class ChangedFolder(Body):
    """What is to be changed of a folder."""

    name: FolderName | None = None
    retention_days: KeptDays = None


@dataclass(frozen=True, slots=True)
class FoldersView:
    """All folders, in alphabetical order."""

    items: tuple[Folder, ...]


@router.get("", summary="List the folders", responses=says(FoldersView))
async def list_them(bench: Bench, owner: Owner) -> Response:
    return answer(FoldersView(await folder_commands.list_folders(bench, owner)))


@router.post(
    "",
    summary="Create a folder",
    status_code=201,
    dependencies=[HasBody],
    responses=says(Folder, *WITH_BODY, "conflict", status=201, description="The folder."),
)
async def create(bench: Bench, owner: Owner, body: NamedFolder) -> Response:
    return answer(await folder_commands.create_folder(bench, owner, body.name), 201)


@router.patch(
    "/{folder_id}",
    summary="Change a folder",
    dependencies=[HasBody],
    responses=says(Folder, *WITH_BODY, "not-found", description="The folder as it is now."),
)
async def change(bench: Bench, owner: Owner, folder_id: FolderPath, body: ChangedFolder) -> Response:
    if body.name is not None:
        await folder_commands.rename_folder(bench, owner, folder_id, body.name)
    if "retention_days" in body.model_fields_set:
        await folder_commands.keep_folder_for(bench, owner, folder_id, body.retention_days)
    return answer(await folder_commands.read_folder(bench, owner, folder_id))


@router.delete(
    "/{folder_id}",
    summary="Delete a folder",
    description="Its conversations stay, in no folder.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Gone."}} | fails("not-found"),
)
async def delete(bench: Bench, owner: Owner, folder_id: FolderPath) -> Response:
    await folder_commands.delete_folder(bench, owner, folder_id)
    return Response(status_code=204)
