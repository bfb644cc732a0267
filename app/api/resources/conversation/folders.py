"""Routes of folders: list, create, read, change, delete, restore. A conversation has its folder as `folder_id`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, Metadata
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.problems import refuse_field
from app.domain.conversation.folders import MAX_NAME
from app.domain.conversation.metadata import encode_metadata
from app.runs.conversation import folder_commands
from app.runs.conversation.folder_commands import Contents, FolderChanges
from app.store.conversation.folders import FolderOf
from app.views.conversation.folder import FoldersView, FolderView, describe_folder

router = APIRouter(prefix="/folders", tags=["folders"], dependencies=[ReadsJson])

FolderId = Annotated[str, Path(max_length=64, description="A folder.")]
FolderName = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME, description="The name, on one line. Unique, ignoring case.")
]


class NewFolder(Body):
    """A new folder."""

    name: FolderName
    metadata: Metadata = Field(default_factory=dict[str, Any])


class ChangedFolder(Body):
    """The new values of a folder. A missing field is not changed; `metadata` is replaced as a whole."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only fields that were sent are read, so these defaults are never used.
    name: FolderName = Field(default_factory=str)
    metadata: Metadata = Field(default_factory=dict[str, Any])


@router.get("", summary="List the folders", responses=says(FoldersView, description="By name."))
async def list_them(ctx: Ctx, owner: Owner) -> Response:
    return answer(FoldersView(tuple(map(_describe, await folder_commands.list_folders(ctx, owner)))))


@router.post(
    "",
    summary="Create a folder",
    status_code=201,
    dependencies=[HasBody],
    responses=says(FolderView, *WITH_BODY, "conflict", status=201, description="Created. `Location` is its address."),
)
async def create(ctx: Ctx, owner: Owner, body: NewFolder) -> Response:
    made = await folder_commands.create_folder(ctx, owner, body.name, encode_metadata("metadata", body.metadata))
    return answer(_describe(made), 201, {"Location": f"/api/v1/folders/{made.folder.id}"})


@router.get("/{folder_id}", summary="Read a folder", responses=says(FolderView, "not-found"))
async def read(ctx: Ctx, owner: Owner, folder_id: FolderId) -> Response:
    return answer(_describe(await folder_commands.read_folder(ctx, owner, folder_id)))


@router.patch(
    "/{folder_id}",
    summary="Rename a folder, or change its metadata",
    dependencies=[HasBody],
    responses=says(FolderView, *WITH_BODY, "not-found", "conflict", description="The updated folder."),
)
async def change(ctx: Ctx, owner: Owner, folder_id: FolderId, body: ChangedFolder) -> Response:
    sent = body.model_fields_set
    if not sent:
        refuse_field("body", "has no changes. Give at least one field.")
    changes: FolderChanges = {}
    if "name" in sent:
        changes["name"] = body.name
    if "metadata" in sent:
        changes["metadata_json"] = encode_metadata("metadata", body.metadata)
    return answer(_describe(await folder_commands.change_folder(ctx, owner, folder_id, changes)))


@router.delete(
    "/{folder_id}",
    summary="Delete a folder",
    description="Its conversations are kept, in no folder, or moved to the trash. `POST /folders/{id}/undelete` undoes "
    "both.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found"),
)
async def delete(
    ctx: Ctx,
    owner: Owner,
    folder_id: FolderId,
    *,
    conversations: Annotated[
        Contents, Query(description="`keep` its conversations, or move them to the `trash`.")
    ] = Contents.KEEP,
) -> Response:
    await folder_commands.delete_folder(ctx, owner, folder_id, conversations)
    return Response(status_code=204)


@router.post(
    "/{folder_id}/undelete",
    summary="Restore a folder",
    responses=says(
        FolderView,
        "not-found",
        "conflict",
        description="Restored, with the conversations that were in it or went to the trash with it.",
    ),
)
async def undelete(ctx: Ctx, owner: Owner, folder_id: FolderId) -> Response:
    return answer(_describe(await folder_commands.restore_folder(ctx, owner, folder_id)))


def _describe(found: FolderOf) -> FolderView:
    return describe_folder(found.folder, found.count)
