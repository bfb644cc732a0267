"""Temporary conversations over HTTP: nothing reaches the disk until one is kept."""

from __future__ import annotations

from pathlib import Path

from app.runs.engine.writer import PAUSE_SECONDS, SAVE_SECONDS
from tests.api.served import Api, serve_api
from tests.api.talk import read_events
from tests.runs.clock import MovedClock

SECRET = "Xylophonquartett"


def files_with(data: Path, words: str) -> list[str]:
    return [path.name for path in data.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def a_temporary(api: Api) -> str:
    made = await api.http.post("/conversations", json={"temporary": True, "title": SECRET, "model": "offline:demo"})
    assert made.status_code == 201
    assert made.json()["temporary"] is True
    identifier: str = made.json()["id"]
    return identifier


async def test_nothing_of_a_temporary_conversation_is_on_the_disk_while_a_reply_streams_over_http(
    tmp_path: Path,
) -> None:
    clock = MovedClock()
    async with serve_api(tmp_path, clock) as api:
        await stream_and_search(api, clock, tmp_path)


async def stream_and_search(api: Api, clock: MovedClock, data: Path) -> None:
    conversation = await a_temporary(api)

    text = f"/rate 40\n/echo {SECRET} {'word ' * 80}"
    sent = await api.http.post(
        f"/conversations/{conversation}/send", json={"text": text}, headers={"Accept": "application/json"}
    )
    run = sent.json()["run_id"]
    heard = ""
    async with api.http.stream("GET", f"/runs/{run}/events") as answer:
        async for event in read_events(answer.aiter_bytes()):
            heard += event.data["text"] if event.kind == "text" else ""
            if SECRET in heard:
                break
    await clock.move(3 * (SAVE_SECONDS + PAUSE_SECONDS))
    found = files_with(data, SECRET)
    running = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"][0]["lifecycle"]
    await api.http.post(f"/runs/{run}/cancel")

    assert running == "awaiting"
    assert found == []
    assert files_with(data, SECRET) == []


async def test_it_is_in_no_list_but_its_own(api: Api) -> None:
    conversation = await a_temporary(api)

    listed = (await api.http.get("/conversations")).json()["items"]
    temporary = (await api.http.get("/conversations", params={"temporary": "true"})).json()["items"]

    assert listed == []
    assert [one["id"] for one in temporary] == [conversation]


async def test_there_are_none_before_the_first(api: Api) -> None:
    page = (await api.http.get("/conversations", params={"temporary": "true"})).json()

    assert page == {"items": [], "next_cursor": None, "complete": True}


async def test_a_kept_one_is_like_any_other(api: Api, tmp_path: Path) -> None:
    conversation = await a_temporary(api)

    kept = await api.http.post(f"/conversations/{conversation}/keep")
    again = await api.http.post(f"/conversations/{conversation}/keep")
    listed = (await api.http.get("/conversations")).json()["items"]

    assert kept.status_code == 200
    assert kept.json()["temporary"] is False
    assert again.status_code == 409
    assert [one["id"] for one in listed] == [conversation]
    assert files_with(tmp_path, SECRET) != []


async def test_a_deleted_one_is_gone(api: Api) -> None:
    conversation = await a_temporary(api)

    await api.http.delete(f"/conversations/{conversation}")

    assert (await api.http.get(f"/conversations/{conversation}")).status_code == 404
