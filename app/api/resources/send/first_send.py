"""First sends over HTTP: a draft that begins its conversation, in one call."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Owner
from app.api.http.answers import WITH_BODY, fails, says
from app.api.http.bodies import FirstDraft, choice_of
from app.api.http.event_stream import events_documented
from app.api.http.idempotency import SentKey
from app.api.http.negotiation import EVENT_STREAM, JSON, offers, require_json_body
from app.api.resources.send.send import answer_started, describe_started
from app.runs import first_send
from app.runs.first_send import BegunConversation, FirstSend
from app.runs.send.commands import Alongside
from app.runs.send.context_selection import ViewOptions
from app.runs.send.idempotency import send_once
from app.runs.send.intents import SendOptions
from app.runs.workbench import bench_of, current
from app.views.run import FirstRunView

router = APIRouter(tags=["sending"], dependencies=[Depends(require_json_body)])


@router.post(
    "/send",
    summary="Begin a conversation with a draft and stream the reply",
    description="As `POST /conversations` and `POST /conversations/{id}/send` in one call: where the send is refused, "
    "there is no conversation either. `Content-Location` is the conversation.",
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(FirstRunView, status=202, description="Started; `Location` is where its events are.")
    | fails(*WITH_BODY, "not-found", "conflict", "over-budget", "budget-spent", "provider-refused"),
)
async def send_first(
    owner: Owner, body: FirstDraft, media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))], key: SentKey
) -> Response:
    first = FirstSend(body.begins(), body.text, await body.attached(owner))
    options = SendOptions(ViewOptions(topic=body.topic), await body.asked(), choice_of(body.over_budget))

    async def start(alongside: Alongside | None) -> BegunConversation:
        return await first_send.send_first(current(), owner, first, options, alongside)

    begun = await start(None) if key is None else await send_once(current(), owner, key, start)
    started = describe_started(begun.started)
    view = FirstRunView(
        run_id=started.run_id,
        pair_id=started.pair_id,
        content_hash=started.content_hash,
        events=started.events,
        conversation_id=begun.conversation_id,
    )
    answered = answer_started(await bench_of(current(), begun.conversation_id), owner, begun.started, media_type, view)
    answered.headers["Content-Location"] = f"/api/v1/conversations/{begun.conversation_id}"
    return answered
