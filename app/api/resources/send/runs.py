"""Routes of runs: follow a run from any position of its event log, cancel it, retry at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.event_stream import answer_events, events_documented
from app.api.http.negotiation import EVENT_STREAM, ReadsJson, offers
from app.runs.send import commands
from app.runs.watch.broadcast import follow, load_state
from app.views.conversation.run import RunView, describe_run

router = APIRouter(prefix="/runs", tags=["runs"])

RunId = Annotated[str, Path(max_length=64, description="A run.")]
LARGEST_POSITION = 2**53 - 1  # the largest integer that every JSON reader represents exactly


@router.get(
    "/{run_id}/events",
    summary="Follow a run's events from any position",
    description="The stream ends after its last event: exactly one of `done`, `error`, `cancelled`. A run that is over "
    "is told in the same words. Begins after the larger of `after` and `Last-Event-ID`.",
    response_class=Response,
    responses=events_documented("The run's log.") | fails("not-found"),
    dependencies=[Depends(offers(EVENT_STREAM))],
)
async def events(
    ctx: Ctx,
    owner: Owner,
    run_id: RunId,
    *,
    after: Annotated[int, Query(ge=0, le=LARGEST_POSITION, description="The position last seen.")] = 0,
    last_event_id: Annotated[
        int, Header(ge=0, le=LARGEST_POSITION, description="The same, as a browser sends it by itself.")
    ] = 0,
) -> Response:
    await load_state(ctx, owner, run_id)  # answers 404 for an unknown run, before the stream starts
    return answer_events(follow(ctx, owner, run_id, max(after, last_event_id)))


@router.post(
    "/{run_id}/cancel",
    summary="Stop a run; what was received stays",
    description="Answers once the end is stored. A run that is over already stays as it ended.",
    responses=says(RunView, "not-found", description="The run as it ended."),
    dependencies=[ReadsJson],
)
async def cancel(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    await commands.cancel_run(ctx, owner, run_id)
    return answer(describe_run(await load_state(ctx, owner, run_id)))


@router.post(
    "/{run_id}/retry",
    summary="Make the next attempt of a run now",
    description="Instead of waiting as long as its `retry` event said. 409: it waits for none.",
    responses=says(RunView, "not-found", "conflict", description="The run, on its next attempt."),
    dependencies=[ReadsJson],
)
async def retry(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    await commands.hurry_run(ctx, owner, run_id)
    return answer(describe_run(await load_state(ctx, owner, run_id)))
