"""Grants over HTTP: share a conversation with a person, list and end that, read what others share, copy it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.resources.conversation.conversations import ConversationId
from app.domain.sharing.grants import Access
from app.runs.transfer.grants import (
    copy_granted,
    end_access,
    give_access,
    list_access,
    list_granted,
    list_people,
    read_granted,
    read_names,
)
from app.views.grant import (
    CopiedView,
    GrantedPageView,
    GrantsView,
    GrantView,
    ReadingView,
    describe_grant,
    describe_granted,
    describe_people,
)

router = APIRouter(tags=["grants"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)

GrantId = Annotated[str, Path(max_length=64, description="A grant.")]


class NewGrant(Body):
    """A person who is to have access."""

    person_id: str = Field(max_length=64, description="One of `people` of the list of grants.")
    access: Access = Field(
        Access.READ, strict=False, description="`continue`: they may also copy it, and go on in their copy."
    )


@router.get(
    "/conversations/{conversation_id}/grants",
    summary="List who has access to a conversation",
    description="Nobody but its owner has, where accounts are off.",
    responses=says(GrantsView, "not-found", description="The persons with access, and all with whom it can be shared."),
)
async def list_of_conversation(bench: Bench, owner: Owner, conversation_id: ConversationId) -> Response:
    given = await list_access(bench, owner, conversation_id)
    names = await read_names(bench)
    people = describe_people(await list_people(bench, owner))
    return answer(GrantsView(tuple(describe_grant(one, names) for one in given), people))


@router.post(
    "/conversations/{conversation_id}/grants",
    summary="Share a conversation with a person",
    description="They read it as it is stored at that time: requests, replies, system prompt, thinking and calls of "
    "tools, secrets of known forms redacted. Given again to the same person, the access is replaced.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(GrantView, *WITH_BODY, "not-found", "conflict", status=201, description="The grant."),
)
async def create(bench: Bench, owner: Owner, conversation_id: ConversationId, body: NewGrant) -> Response:
    given = await give_access(bench, owner, conversation_id, body.person_id, body.access)
    return answer(describe_grant(given, await read_names(bench)), 201)


@router.get(
    "/grants",
    summary="List what others share with you",
    responses=says(GrantedPageView, description="Conversations of others, changed last first."),
)
async def list_them(bench: Bench, owner: Owner) -> Response:
    names = await read_names(bench)
    return answer(GrantedPageView(tuple(describe_granted(one, names) for one in await list_granted(bench, owner))))


@router.get(
    "/grants/{grant_id}",
    summary="Read a conversation that another shares",
    responses=says(ReadingView, "not-found", description="The conversation as it is stored now."),
)
async def read(bench: Bench, owner: Owner, grant_id: GrantId) -> Response:
    found = await read_granted(bench, owner, grant_id)
    granted = describe_granted(found.granted, await read_names(bench))
    shown = found.shown
    return answer(ReadingView(granted, shown.page, shown.pairs, shown.secrets, shown.running))


@router.post(
    "/grants/{grant_id}/copy",
    summary="Copy a conversation that another lets you continue",
    description="The copy is yours: what is sent in it is on your account, and its owner does not see it.",
    status_code=201,
    responses=says(CopiedView, "not-found", "forbidden", "conflict", status=201, description="The copy."),
)
async def copy(bench: Bench, owner: Owner, grant_id: GrantId) -> Response:
    made = await copy_granted(bench, owner, grant_id)
    return answer(CopiedView(made.id, made.title, made.pair_count), 201)


@router.delete(
    "/grants/{grant_id}",
    summary="End a grant",
    description="By the owner of the conversation, or by the person who has access. A copy stays where it is.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Ended."}} | fails("not-found"),
)
async def end(bench: Bench, owner: Owner, grant_id: GrantId) -> Response:
    await end_access(bench, owner, grant_id)
    return Response(status_code=204)
