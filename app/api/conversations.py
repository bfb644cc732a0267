"""Conversations over HTTP: create, list, read, change, delete."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from app.api.access import Bench, Owner
from app.api.answers import answer, says
from app.api.bodies import ChangedConversation, NewConversation
from app.api.cursors import CURSOR_LENGTH, MAX_LIMIT, read_cursor, write_cursor
from app.api.negotiation import JSON, offers, require_json_body
from app.api.problems import documented, refuse_field
from app.domain.conversation import ConversationKind, ConversationStatus
from app.runs import commands
from app.store.conversations import Cursor, Listed, Wanted, describe_listed, list_conversations
from app.views.conversation import ConversationView, describe_conversation

router = APIRouter(prefix="/conversations", tags=["conversations"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)

ConversationId = Annotated[str, Path(max_length=64, description="A conversation.")]


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Some conversations, the one changed last first."""

    items: tuple[ConversationView, ...]
    next_cursor: str | None


@router.get(
    "",
    summary="List conversations",
    responses=says(ConversationPage, "not-acceptable", "invalid-input", description="Those changed last, first."),
)
async def list_them(  # noqa: PLR0913 - FastAPI takes each parameter of the query as one of ours
    bench: Bench,
    owner: Owner,
    *,
    kind: Annotated[ConversationKind | None, Query(description="Only this kind.")] = None,
    status: Annotated[ConversationStatus | None, Query(description="Only these.")] = None,
    text: Annotated[str, Query(max_length=1000, description="Only those with these words in title or pairs.")] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")] = 50,
    cursor: Annotated[str | None, Query(max_length=CURSOR_LENGTH, description="A `next_cursor`.")] = None,
) -> Response:
    place = None if cursor is None else _read_place(cursor)
    async with bench.store.read() as session:
        wanted = Wanted(kind=kind, status=status, text=text)
        listed = await list_conversations(session, owner, limit=limit + 1, cursor=place, wanted=wanted)
    items = listed[:limit]
    more = len(listed) > limit
    return answer(ConversationPage(tuple(map(_describe, items)), _write_place(items[-1]) if more else None))


@router.post(
    "",
    summary="Create a conversation",
    status_code=201,
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        "malformed-body", "not-acceptable", "body-too-large", "unsupported-media-type", "invalid-input",
        status=201,
        description="Created; `Location` is its address.",
    ),
)  # fmt: skip
async def create(bench: Bench, owner: Owner, body: NewConversation) -> Response:
    made = await commands.create_conversation(
        bench, owner, title=body.title, model=body.model, system_prompt=body.system_prompt
    )
    view = describe_conversation(made, pair_count=0, snippet="")
    return answer(view, 201, {"Location": f"/api/v1/conversations/{made.id}"})


@router.get(
    "/{conversation_id}",
    summary="Read a conversation's metadata",
    responses=says(ConversationView, "not-found", "not-acceptable", "invalid-input"),
)
async def read(bench: Bench, owner: Owner, conversation_id: ConversationId) -> Response:
    async with bench.store.read() as session:
        return answer(_describe(await describe_listed(session, owner, conversation_id)))


@router.patch(
    "/{conversation_id}",
    summary="Change title, model or system prompt",
    dependencies=[HasBody],
    responses=says(
        ConversationView,
        "malformed-body", "not-found", "not-acceptable", "body-too-large", "unsupported-media-type", "invalid-input",
        description="The conversation as it is now.",
    ),
)  # fmt: skip
async def change(bench: Bench, owner: Owner, conversation_id: ConversationId, body: ChangedConversation) -> Response:
    changes = body.model_dump(exclude_unset=True)
    if not changes:
        refuse_field("body", "nothing is to be changed. Name at least one field.")
    await commands.change_conversation(bench, owner, conversation_id, **changes)
    return await read(bench, owner, conversation_id)


@router.delete(
    "/{conversation_id}",
    summary="Delete a conversation with all its pairs",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Gone. A reply that was running is stopped."}}
    | documented("not-found", "not-acceptable", "invalid-input"),
)
async def delete(bench: Bench, owner: Owner, conversation_id: ConversationId) -> Response:
    await commands.delete_conversation(bench, owner, conversation_id)
    return Response(status_code=204)


def _describe(listed: Listed) -> ConversationView:
    return describe_conversation(listed.conversation, pair_count=listed.pair_count, snippet=listed.snippet)


def _write_place(listed: Listed) -> str:
    return write_cursor(f"{listed.conversation.updated_at.isoformat()} {listed.conversation.id}")


def _read_place(cursor: str) -> Cursor:
    updated_at, _, conversation_id = read_cursor(cursor).partition(" ")
    try:
        place = datetime.fromisoformat(updated_at)
    except ValueError:
        place = None
    if place is None or place.tzinfo is None or not conversation_id:
        refuse_field("cursor", "this is not a cursor of this list. Take it from `next_cursor`.")
    return Cursor(place, conversation_id)
