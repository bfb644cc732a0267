"""The client against the real API, and against a server that breaks its streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime

import pytest
from inview_client import AsyncClient, Event, InviewError, StreamLostError, models, requests
from inview_client import client as clients
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.api.served import Api, serve

OFFLINE = "offline:demo"


@pytest.fixture
async def client(api: Api) -> AsyncGenerator[AsyncClient]:
    async with AsyncClient(f"http://{api.host}/") as client:
        yield client


async def test_a_send_gives_its_events_to_the_end(client: AsyncClient):
    conversation = await client.call(requests.post_conversations(models.ConversationOfPairs(model=OFFLINE)))

    events = [event async for event in client.send(conversation.id, models.DraftToSend(text="/echo a\n\nb: ü"))]

    assert "".join(event.text for event in events) == "a\n\nb: ü"
    assert [event.kind for event in events if event.is_last] == ["done"]
    assert events[-1].is_last


async def test_a_key_gives_a_repeated_send_the_same_run(client: AsyncClient):
    conversation = await client.call(requests.post_conversations(models.ConversationOfPairs(model=OFFLINE)))
    draft = models.DraftToSend(text="/echo Once")

    first, again = [
        await client.call(requests.post_conversation_send(conversation.id, draft, idempotency_key="k"))
        for _ in range(2)
    ]

    assert first.run_id == again.run_id


async def test_a_change_sends_what_was_set_and_null_where_it_says_so(client: AsyncClient):
    begun = await client.call(requests.post_send(models.FirstDraft(text="/echo x", model=OFFLINE)))
    await client.call(requests.patch_pair(begun.pair_id, models.ChangedPair(stars=2, mark="in")))

    changed = await client.call(requests.patch_pair(begun.pair_id, models.ChangedPair(mark=None)))

    assert (changed.stars, changed.mark) == (2, None)


async def test_a_query_leaves_out_what_is_none_and_repeats_what_is_several():
    request = requests.get_conversation_pairs(
        "c", limit=5, attachments=["a", "b"], as_of=datetime(2026, 1, 2, tzinfo=UTC)
    )

    assert request.params() == [
        ("attachments", "a"),
        ("attachments", "b"),
        ("limit", "5"),
        ("as_of", "2026-01-02T00:00:00+00:00"),
    ]
    assert requests.get_conversations(pinned=False).params() == [("pinned", "false")]


async def test_an_upload_and_its_bytes_are_bytes(client: AsyncClient):
    upload = await client.call(requests.post_attachments(b"plain words", name="a note.txt"))

    assert await client.call(requests.get_attachment(upload.id)) == b"plain words"
    assert await client.call(requests.delete_attachment(upload.id)) is None


async def test_a_refusal_says_its_kind_and_reason(client: AsyncClient):
    with pytest.raises(InviewError, match="404") as refused:
        await client.call(requests.get_conversation("no-such"))

    assert (refused.value.status, refused.value.kind) == (404, "not-found")


async def test_a_token_is_sent(api: Api):
    async with AsyncClient(f"http://{api.host}", "inv_unknown") as client:
        with pytest.raises(InviewError) as refused:
            await client.call(requests.get_models())

    assert refused.value.status == 401


class Breaking:
    """Serves a run of five events; each connection breaks or ends after `pieces` of them."""

    def __init__(self, *, pieces: int, breaks: bool) -> None:
        self.pieces = pieces
        self.breaks = breaks
        self.asked: list[int] = []
        self.app = Starlette(routes=[Route("/api/v1/runs/{run_id}/events", self.answer)])

    async def answer(self, request: Request) -> StreamingResponse:
        after = int(request.query_params["after"])
        self.asked.append(after)
        return StreamingResponse(self._pieces(after), media_type="text/event-stream")

    async def _pieces(self, after: int) -> AsyncGenerator[bytes]:
        yield b": still here\n\n"
        for number in range(after + 1, min(after + self.pieces, 5) + 1):
            kind = b"done" if number == 5 else b"text"
            yield b'id: %d\nevent: %b\ndata: {"text":"%d"}\n\n' % (number, kind, number)
        if self.breaks:
            raise ConnectionResetError


@pytest.mark.parametrize("breaks", [True, False])
async def test_following_goes_on_where_a_connection_broke_or_ended_and_gives_each_event_once(
    breaks: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(clients, "_WAITS", (0.0,) * clients.ATTEMPTS)
    breaking = Breaking(pieces=2, breaks=breaks)

    async with serve(breaking.app) as served, AsyncClient(f"http://{served.host}") as client:
        events = [event async for event in client.follow("r")]

    assert [event.id for event in events] == [1, 2, 3, 4, 5]
    assert events[0] == Event(1, "text", {"text": "1"})
    assert breaking.asked == [0, 2, 4]


async def test_following_ends_with_its_place_where_no_connection_brings_anything(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clients, "_WAITS", (0.0,) * clients.ATTEMPTS)
    breaking = Breaking(pieces=0, breaks=True)

    async with serve(breaking.app) as served, AsyncClient(f"http://{served.host}") as client:
        with pytest.raises(StreamLostError) as lost:
            _ = [event async for event in client.follow("r", after=3)]

    assert (lost.value.run_id, lost.value.after) == ("r", 3)
    assert breaking.asked == [3] * clients.ATTEMPTS
