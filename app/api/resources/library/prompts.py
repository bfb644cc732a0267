"""Prompts over HTTP: create, list, read, change, delete, restore, and as a file."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.http.problems import refuse_field
from app.api.resources.transfer.exporting import write_disposition
from app.domain.errors import InputError
from app.domain.prompts.prompts import MAX_FOLDER, MAX_NAME, MAX_PROMPTS, MAX_TEXT, MAX_TITLE
from app.runs.library import prompt_commands
from app.runs.process.ids import now
from app.views.encode import to_readable_json
from app.views.prompt import (
    PROMPTS_FORMAT,
    PROMPTS_VERSION,
    ImportedPromptsView,
    PromptsFile,
    PromptsView,
    PromptView,
    describe_prompt,
    write_prompts,
)

router = APIRouter(prefix="/prompts", tags=["prompts"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)

PromptId = Annotated[str, Path(max_length=64, description="A prompt.")]
Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_NAME,
        description="One word, unique, case aside: “/” and this name insert the prompt.",
    ),
]
Title = Annotated[str, Field(max_length=MAX_TITLE, description="One line that says what it is for.")]
Folder = Annotated[
    str, Field(max_length=MAX_FOLDER, description="Where it is listed, such as “work/letters”; empty: in none.")
]
Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_TEXT,
        description="What is put into a message, with variables as `{{name}}` or `{{name=default}}`.",
    ),
]


class NewPrompt(Body):
    """A prompt to create."""

    name: Name
    title: Title = ""
    folder: Folder = ""
    text: Text


class ChangedPrompt(Body):
    """What is to be different. What is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only the fields that were sent are read; null is not allowed by the type, so the defaults are of that type.
    name: Name = Field(default_factory=str)
    title: Title = ""
    folder: Folder = ""
    text: Text = Field(default_factory=str)


class PromptsToImport(Body):
    """A file of prompts, as `GET /prompts/export` writes it."""

    format: Literal["inview-prompts"] = PROMPTS_FORMAT
    version: Literal[1] = PROMPTS_VERSION
    exported_at: str | None = Field(None, max_length=64)
    prompts: list[NewPrompt] = Field(min_length=1, max_length=MAX_PROMPTS)


@router.get("", summary="List the prompts", responses=says(PromptsView, description="By folder and name."))
async def list_them(bench: Bench, owner: Owner) -> Response:
    return answer(PromptsView(tuple(map(describe_prompt, await prompt_commands.list_prompts(bench, owner)))))


@router.post(
    "",
    summary="Create a prompt",
    status_code=201,
    dependencies=[HasBody],
    responses=says(PromptView, *WITH_BODY, "conflict", status=201, description="Created; `Location` is its address."),
)
async def create(bench: Bench, owner: Owner, body: NewPrompt) -> Response:
    made = await prompt_commands.create_prompt(bench, owner, _fields(body))
    return answer(describe_prompt(made), 201, {"Location": f"/api/v1/prompts/{made.id}"})


@router.get(
    "/export",
    summary="The prompts as a file",
    description="Those of the person, without what others share.",
    responses=says(PromptsFile, description="Taken in again by `POST /prompts/import`."),
)
async def export(bench: Bench, owner: Owner) -> Response:
    own = [one for one in await prompt_commands.list_prompts(bench, owner) if one.owner == owner]
    headers = {"Content-Disposition": write_disposition("prompts.json"), "Cache-Control": "no-store"}
    return Response(to_readable_json(write_prompts(own, now())), 200, headers, JSON)


@router.post(
    "/import",
    summary="Take in prompts of a file",
    description="Each is a new one, but for those that are here word for word; if its name is taken, it gets a number "
    "behind it.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(ImportedPromptsView, *WITH_BODY, "conflict", status=201, description="Those that were created."),
)
async def take_in(bench: Bench, owner: Owner, body: PromptsToImport) -> Response:
    try:
        made = await prompt_commands.import_prompts(bench, owner, list(map(_fields, body.prompts)))
    except InputError as error:
        raise InputError(f"prompts.{error.field}", error.reason) from None
    return answer(ImportedPromptsView(tuple(map(describe_prompt, made)), len(body.prompts) - len(made)), 201)


@router.get("/{prompt_id}", summary="Read a prompt", responses=says(PromptView, "not-found"))
async def read(bench: Bench, owner: Owner, prompt_id: PromptId) -> Response:
    return answer(describe_prompt(await prompt_commands.read_prompt(bench, owner, prompt_id)))


@router.patch(
    "/{prompt_id}",
    summary="Change a prompt",
    dependencies=[HasBody],
    responses=says(
        PromptView, *WITH_BODY, "not-found", "forbidden", "conflict", description="The prompt as it is now."
    ),
)
async def change(bench: Bench, owner: Owner, prompt_id: PromptId, body: ChangedPrompt) -> Response:
    fields = _fields(body)
    if not fields:
        refuse_field("body", "nothing is to be changed. Name at least one field.")
    return answer(describe_prompt(await prompt_commands.change_prompt(bench, owner, prompt_id, fields)))


@router.delete(
    "/{prompt_id}",
    summary="Delete a prompt",
    description="`POST /prompts/{id}/undelete` restores it.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found", "forbidden"),
)
async def delete(bench: Bench, owner: Owner, prompt_id: PromptId) -> Response:
    await prompt_commands.delete_prompt(bench, owner, prompt_id)
    return Response(status_code=204)


@router.post(
    "/{prompt_id}/undelete",
    summary="Restore a prompt",
    responses=says(PromptView, "not-found", "forbidden", "conflict", description="The prompt, listed again."),
)
async def undelete(bench: Bench, owner: Owner, prompt_id: PromptId) -> Response:
    return answer(describe_prompt(await prompt_commands.restore_prompt(bench, owner, prompt_id)))


@router.put(
    "/{prompt_id}/shared",
    summary="Let everybody of the installation use a prompt",
    description="They see it, use it and duplicate it; its owner and admins alone change it or end this.",
    responses=says(PromptView, "not-found", "forbidden"),
)
async def share(bench: Bench, owner: Owner, prompt_id: PromptId) -> Response:
    return answer(describe_prompt(await prompt_commands.share_prompt(bench, owner, prompt_id, shared=True)))


@router.delete(
    "/{prompt_id}/shared",
    summary="Let its owner alone use a prompt",
    responses=says(PromptView, "not-found", "forbidden"),
)
async def unshare(bench: Bench, owner: Owner, prompt_id: PromptId) -> Response:
    return answer(describe_prompt(await prompt_commands.share_prompt(bench, owner, prompt_id, shared=False)))


def _fields(body: NewPrompt | ChangedPrompt) -> prompt_commands.PromptFields:
    return prompt_commands.PromptFields(**body.model_dump(exclude_unset=True))
