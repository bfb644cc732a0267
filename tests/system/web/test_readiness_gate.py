"""The page is sent before the application is ready; other requests wait, and are then answered normally."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope, Send

from app.web.readiness_gate import ReadinessGate


class Visitor:
    """One request for a path, and its answers."""

    def __init__(self, door: ReadinessGate, path: str) -> None:
        self.answers: list[str] = []
        self.task = asyncio.create_task(door({"type": "http", "path": path}, self._receive, self._send))

    async def _receive(self) -> Message:
        return {"type": "http.request"}

    async def _send(self, message: Message) -> None:
        self.answers.append(message["type"])


def says(word: str):
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": word})

    return application


async def test_page_goes_out_at_once_and_all_else_when_the_door_opens():
    door = ReadinessGate(says("page"))
    front, api, reflex = (Visitor(door, path) for path in ("/", "/api/v1/health", "/_event/?EIO=4"))

    await front.task
    assert (front.answers, api.answers, reflex.answers) == (["page"], [], [])

    door.open(says("house"))
    await asyncio.gather(api.task, reflex.task)
    assert (api.answers, reflex.answers) == (["house"], ["house"])

    late = Visitor(door, "/api/v1/models")
    await late.task
    assert late.answers == ["house"]


async def test_a_request_that_is_cancelled_while_waiting_cancels_no_other():
    door = ReadinessGate(says("page"))
    gone, patient = Visitor(door, "/api/v1/health"), Visitor(door, "/api/v1/health")
    await asyncio.sleep(0)
    gone.task.cancel()
    await asyncio.wait({gone.task})

    door.open(says("house"))
    await patient.task
    assert (gone.answers, patient.answers) == ([], ["house"])
