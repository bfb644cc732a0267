"""Answers to gateway calls: one JSON document or a stream of events; a program that goes away stops the reply.

answer = await answer_call(request, OpenAiChat())
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus
from time import time

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.api.gateway.anthropic_messages import AnthropicMessages
from app.api.gateway.dialect import Dialect, Reply, answer_json
from app.api.gateway.faults import Fault, describe_canceled, describe_failure, describe_fault, describe_invalid
from app.api.http.access import owner_of
from app.api.http.negotiation import EVENT_STREAM, JSON
from app.domain.conversation.parts import Part
from app.domain.errors import InviewError
from app.domain.run.reply_deltas import list_deltas
from app.domain.run.state import Canceled, Failed, RunState
from app.runs.gateway.calls import begin_call, count_call
from app.runs.send.commands import stop_run
from app.runs.watch.broadcast import follow_states
from app.runs.workbench import Workbench, current


async def answer_count(request: Request, dialect: AnthropicMessages) -> Response:
    """Count what a request would send."""
    if (refused := _refuse_other_bodies(request, dialect)) is not None:
        return refused
    try:
        tokens = await count_call(current(), await owner_of(request), dialect.read_count(await request.body()))
    except ValidationError as error:
        return dialect.refuse(describe_invalid(error))
    except InviewError as error:
        return dialect.refuse(describe_fault(error))
    return answer_json({"input_tokens": tokens}, HTTPStatus.OK, {"Cache-Control": "no-store"})


def _refuse_other_bodies(request: Request, dialect: Dialect) -> Response | None:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type == JSON:
        return None
    said = f"Send the body with Content-Type: {JSON}."
    return dialect.refuse(Fault(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", said))


async def answer_call(request: Request, dialect: Dialect) -> Response:
    """Start what a request asks for. The answer follows the reply, and stops it when the program goes away."""
    if (refused := _refuse_other_bodies(request, dialect)) is not None:
        return refused
    wb, owner = current(), await owner_of(request)
    try:
        read = dialect.read(await request.body())
        begun = await begin_call(wb, owner, read.call)
    except ValidationError as error:
        return dialect.refuse(describe_invalid(error))
    except InviewError as error:
        return dialect.refuse(describe_fault(error))
    return _Answer(wb, owner, Reply(begun, read, int(time())), dialect)


class _Answer(Response):
    """The reply on its way to a program."""

    def __init__(self, wb: Workbench, owner: str, reply: Reply, dialect: Dialect) -> None:
        super().__init__()
        self._wb, self._owner, self._reply, self._dialect = wb, owner, reply, dialect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        run_id = self._reply.begun.started.run_id
        gone = asyncio.create_task(_wait_until_gone(receive), name=f"program that waits for run {run_id}")
        answering = asyncio.create_task(self._answer(scope, receive, send), name=f"answer of run {run_id}")
        try:
            await asyncio.wait({gone, answering}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            gone.cancel()
            answering.cancel()
            await asyncio.gather(gone, answering, return_exceptions=True)
            await stop_run(self._wb, run_id)  # nothing happens if it is over

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait for the first words, so that what fails before them has a status of its own."""
        async with aclosing(follow_states(self._wb, self._owner, self._reply.begun.started.run_id)) as states:
            streams = self._reply.read.stream
            async for state in states:
                if state.outcome is not None or (streams and self._reply.parts(state)):
                    break
            else:
                raise ValueError("a run ended without an outcome")
            if (fault := _fault_of(state)) is not None and not (streams and self._reply.parts(state)):
                await self._dialect.refuse(fault)(scope, receive, send)
            elif streams:
                await self._stream(state, states, send)
            else:
                written = self._dialect.write(self._reply, state)
                await answer_json(written, HTTPStatus.OK, self._headers())(scope, receive, send)

    async def _stream(self, first: RunState, states: AsyncGenerator[RunState, None], send: Send) -> None:
        headers = {**self._headers(), "Content-Type": EVENT_STREAM, "X-Accel-Buffering": "no"}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": raw})
        encoder, sent = self._dialect.new_encoder(self._reply), tuple[Part, ...]()
        state, events = first, [*encoder.begin()]
        while True:
            parts = self._reply.parts(state)
            events += [event for delta in list_deltas(sent, parts) for event in encoder.grow(delta)]
            sent = parts
            if state.outcome is not None:
                break
            if events:
                await send({"type": "http.response.body", "body": b"".join(events), "more_body": True})
            state, events = await anext(states), []
        fault = _fault_of(state)
        events += encoder.end(state) if fault is None else encoder.fail(fault)
        await send({"type": "http.response.body", "body": b"".join(events)})

    def _headers(self) -> dict[str, str]:
        begun = self._reply.begun
        names = {"X-Inview-Run": begun.started.run_id, "X-Inview-Conversation": begun.conversation_id}
        return {"Cache-Control": "no-store", **names}


def _fault_of(state: RunState) -> Fault | None:
    match state.outcome:
        case Failed(reason):
            return describe_failure(reason)
        case Canceled():
            return describe_canceled()
        case _:
            return None


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
