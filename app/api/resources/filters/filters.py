"""Routes of saved filters and of the history of applied filters."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.send.request_bodies import BYTES, answer_file
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.filters.saved_rules import MAX_NAME
from app.runs.filters import filter_commands
from app.store.transfer.raw_rows import load_raw_filter
from app.views.encode import to_json
from app.views.filters.filters import FiltersView, SavedFilterView, describe_filters, describe_saved

router = APIRouter(prefix="/filters", tags=["filters"], dependencies=[ReadsJson])

RowNumber = Annotated[int, Path(ge=0, le=2**53, description="The `number` of a saved filter with `damage`.")]
EntryNumber = Annotated[int, Path(ge=0, le=2**53, description="The `number` of an entry of `damaged_history`.")]
FilterName = Annotated[str, Path(max_length=MAX_NAME, description="A saved filter's name, without the `@`.")]


class FilterToSave(Body):
    """A filter to save under a name."""

    filter: str = Field(min_length=1, max_length=MAX_LENGTH, examples=["s>=2 !e"])


class RenamedFilter(Body):
    """The new name of a saved filter."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="Letters, digits, `-` and `_`.")


@router.get("", summary="List saved filters and the history", responses=says(FiltersView))
async def list_them(ctx: Ctx, owner: Owner) -> Response:
    known = await filter_commands.list_filters(ctx, owner)
    return answer(describe_filters(known.rows, known.history, known.damaged))


@router.get(
    "/rows/{number}/raw",
    summary="Download the stored row of a saved filter",
    description="Works even if Inview cannot read the row. Bytes are base64. For a filter with `damage`.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
)
async def read_raw(ctx: Ctx, owner: Owner, number: RowNumber) -> Response:
    async with ctx.store.read() as session:
        rows = await load_raw_filter(session, owner, number)
    return answer_file(to_json(rows), f"filter-{number}-raw.json")


@router.delete(
    "/rows/{number}",
    summary="Delete a saved filter that cannot be read",
    description="`number` is the number of a filter with `damage` in the list.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found", "conflict"),
)
async def delete_damaged(ctx: Ctx, owner: Owner, number: RowNumber) -> Response:
    await filter_commands.delete_damaged_filter(ctx, owner, number)
    return Response(status_code=204)


@router.delete(
    "/history/{number}",
    summary="Delete an entry of the filter history that cannot be read",
    description="`number` is the number of an entry of `damaged_history` in the list.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found"),
)
async def delete_entry(ctx: Ctx, owner: Owner, number: EntryNumber) -> Response:
    await filter_commands.delete_damaged_entry(ctx, owner, number)
    return Response(status_code=204)


@router.get("/{name}", summary="Read a saved filter", responses=says(SavedFilterView, "not-found"))
async def read(ctx: Ctx, owner: Owner, name: FilterName) -> Response:
    return answer(describe_saved(name, await filter_commands.find_filter(ctx, owner, name)))


@router.put(
    "/{name}",
    summary="Save a filter",
    description="Replaces a saved filter of the same name.",
    dependencies=[HasBody],
    responses=says(SavedFilterView, *WITH_BODY, "not-found", "conflict", description="Saved."),
)
async def save(ctx: Ctx, owner: Owner, name: FilterName, body: FilterToSave) -> Response:
    await filter_commands.save_filter(ctx, owner, name, body.filter)
    return answer(describe_saved(name, body.filter))


@router.patch(
    "/{name}",
    summary="Rename a saved filter",
    description="Filters and conversations that use it are updated to the new name.",
    dependencies=[HasBody],
    responses=says(SavedFilterView, *WITH_BODY, "not-found", "conflict", description="Renamed."),
)
async def rename(ctx: Ctx, owner: Owner, name: FilterName, body: RenamedFilter) -> Response:
    await filter_commands.rename_filter(ctx, owner, name, body.name)
    return answer(describe_saved(body.name, await filter_commands.find_filter(ctx, owner, body.name)))


@router.delete(
    "/{name}",
    summary="Delete a saved filter that nothing uses",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found", "conflict"),
)
async def delete(ctx: Ctx, owner: Owner, name: FilterName) -> Response:
    await filter_commands.delete_filter(ctx, owner, name)
    return Response(status_code=204)
