"""Routes that list the nodes of a conversation (lines between its pairs, never sent) and that generate its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import ToTitle
from app.api.http.event_stream import events_documented
from app.api.http.negotiation import EVENT_STREAM, JSON, HasBody, ReadsJson, offers
from app.api.resources.conversation.conversations import ConversationId
from app.api.resources.send.send import answer_started, describe_started
from app.runs.child_calls import titles
from app.runs.usage.prices import learn_tariffs
from app.store.conversation.child_calls import load_child_calls
from app.store.conversation.conversations import load_conversation
from app.store.conversation.nodes import load_accounting
from app.views.conversation.node import NodeView, describe_nodes
from app.views.conversation.run import DerivedRunView

router = APIRouter(prefix="/conversations", tags=["nodes"])


@dataclass(frozen=True, slots=True)
class NodesView:
    """The nodes of a conversation, in the same order as on the page."""

    items: tuple[NodeView, ...]


@router.get(
    "/{conversation_id}/nodes",
    summary="List the nodes between the pairs",
    description="Title and summary calls with their result and usage, and the amount spent so far each time messages "
    "left the conversation. Nodes are never sent.",
    dependencies=[ReadsJson],
    responses=says(NodesView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        accounting = await load_accounting(session, owner, conversation_id)
        children = await load_child_calls(session, owner, conversation_id)
    tariffs = await learn_tariffs(ctx, owner, {call.made.model for call in children if call.made is not None})
    return answer(NodesView(describe_nodes(accounting, children, tariffs)))


@router.post(
    "/{conversation_id}/title",
    summary="Generate a title",
    description="Sends the request of a send, with a request for a title instead of the draft, in a `tool` "
    "conversation. The reply becomes the title, unless a person set one in the meantime. A title that a "
    "person set is never replaced (409). If the call fails or returns no text, nothing changes. Responds "
    "like `send`.",
    dependencies=[HasBody],
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(DerivedRunView, status=202, description="Started. `Location` is the address of its events.")
    | fails(*WITH_BODY, "not-found", "conflict", "rate-limited", "provider-refused"),
)
async def ask_title(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    body: ToTitle,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    child = await titles.ask_title(ctx, owner, conversation_id, body.options())
    started = describe_started(child.started)
    view = DerivedRunView(
        run_id=started.run_id,
        pair_id=started.pair_id,
        content_hash=started.content_hash,
        events=started.events,
        conversation_id=child.conversation_id,
    )
    return answer_started(ctx, owner, child.started, media_type, view)
