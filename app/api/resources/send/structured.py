"""Routes of structured replies: check a reply against its schema, and check a schema."""

from __future__ import annotations

import json
from dataclasses import dataclass

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import VIEW, WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, JsonSchema
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.marks import PairId
from app.domain.structured.structured_replies import is_strict, write_schema
from app.runs.send.structured_replies import Structured, read_structured, require_schema
from app.views.encode import raw_json
from app.views.structured.structured import StructuredView, describe_fault

router = APIRouter(tags=["structured replies"], dependencies=[ReadsJson])


class SchemaToCheck(Body):
    """A JSON schema for a reply."""

    reply_schema: JsonSchema = Field(alias="schema", description="The schema.")


@dataclass(frozen=True, slots=True)
class CheckedSchemaView:
    """The result of the check of a schema that can be sent.

    `strict`: the schema has the form with which OpenAI guarantees that every reply matches the schema.
    """

    characters: int
    strict: bool


@router.get(
    "/pairs/{pair_id}/structured",
    summary="Read a structured reply as JSON",
    description="Also works while the reply is running: then it has only the errors that later text cannot fix. "
    "To have the errors fixed, send `repair` with the same `schema`.",
    responses=says(StructuredView, "not-found", "conflict"),
)
async def read(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    return answer(_describe(await read_structured(ctx, owner, pair_id)))


@router.post(
    "/schemas/check",
    summary="Check whether a schema can be sent",
    description="An unsuitable schema is refused as `invalid-input`, with the place of the error.",
    dependencies=[HasBody],
    responses={200: {VIEW: CheckedSchemaView, "description": "The schema can be sent."}} | fails(*WITH_BODY),
)
async def check(body: SchemaToCheck) -> Response:
    schema = write_schema(body.reply_schema)
    await require_schema(schema)
    return answer(CheckedSchemaView(len(schema), is_strict(schema)))


def _describe(structured: Structured) -> StructuredView:
    # The schema and the value are passed as text, because orjson cannot write integers of more than 64 bits.
    return StructuredView(
        pair_id=structured.pair_id,
        schema=raw_json(structured.schema_json.encode()),
        running=structured.running,
        found=structured.found,
        valid=structured.found and not structured.running and not structured.faults,
        value=raw_json(json.dumps(structured.value, ensure_ascii=False, separators=(",", ":")).encode()),
        open_path=structured.open_path,
        errors=tuple(map(describe_fault, structured.faults)),
        repair=structured.repair,
    )
