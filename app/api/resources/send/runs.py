"""Routes of runs: follow a run from any position of its event log, cancel it, retry at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.event_stream import answer_events, events_documented
from app.api.http.negotiation import EVENT_STREAM, ReadsJson, offers
from app.runs.send import stopping
from app.runs.watch.broadcast import follow, load_state
from app.views.conversation.run import RunView, describe_run

router = APIRouter(prefix="/runs", tags=["runs"])

RunId = Annotated[str, Path(max_length=64, description="A run.")]
LARGEST_POSITION = 2**53 - 1  # the largest integer that every JSON reader represents exactly


def read_position(
    *,
    after: Annotated[int, Query(ge=0, le=LARGEST_POSITION, description="The last received position.")] = 0,
    last_event_id: Annotated[
        int,
        Header(ge=0, le=LARGEST_POSITION, description="The last received position, as browsers send it automatically."),
    ] = 0,
) -> int:
    return max(after, last_event_id)


@router.get(
    "/{run_id}/events",
    summary="Stream the events of a run from any position",
    description="The stream ends after its last event: exactly one of `done`, `error`, `cancelled`. A finished run has "
    "the same events of the log. The stream begins after the larger of `after` and `Last-Event-ID`.",
    response_class=Response,
    responses=events_documented("The run's log.") | fails("not-found"),
    dependencies=[Depends(offers(EVENT_STREAM))],
)
async def events(
    ctx: Ctx,
    owner: Owner,
    run_id: RunId,
    after: Annotated[int, Depends(read_position)],
    *,
    values: Annotated[
        bool,
        Query(description="Also send `value` events, with the JSON value in the text of the reply while it arrives."),
    ] = False,
) -> Response:
    await load_state(ctx, owner, run_id)  # answers with 404 for an unknown run, before the stream starts
    return answer_events(follow(ctx, owner, run_id, after, values=values))


@router.post(
    "/{run_id}/cancel",
    summary="Stop a run and keep what was received",
    description="Responds once the end is stored. A finished run does not change.",
    responses=says(RunView, "not-found", description="The stopped run."),
    dependencies=[ReadsJson],
)
async def cancel(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    await stopping.cancel_run(ctx, owner, run_id)
    return answer(describe_run(await load_state(ctx, owner, run_id)))


@router.post(
    "/{run_id}/retry",
    summary="Start the next attempt of a run now",
    description="Skips the wait that the `retry` event announced. 409: the run is not waiting for an attempt.",
    responses=says(RunView, "not-found", "conflict", description="The run with its next attempt."),
    dependencies=[ReadsJson],
)
async def retry(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    await stopping.hurry_run(ctx, owner, run_id)
    return answer(describe_run(await load_state(ctx, owner, run_id)))
