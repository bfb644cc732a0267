"""Text about the user in all requests of a conversation: the same in previews, sends, stored pairs and verification."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import orjson
import pytest

from app.domain.privacy.user_context import MAX_FIRST_REQUEST
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from tests.api.peer import Peer, serve_peer
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, follow, send

KEY = "AKIAIOSFODNN7EXAMPLE"
MARK = "[redacted: AWS access key]"
ABOUT = {"about_me": "I am Ada.", "redact": True}
CARD = "About the person you talk to:\nI am Ada."


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


@pytest.fixture
async def api(tmp_path: Path, peer: Peer) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_TITLES="off", **peer.environment) as served:
        yield served


async def test_what_is_previewed_is_sent_noted_and_verified_whatever_is_preferred_later(api: Api, peer: Peer) -> None:
    peer.script = lambda: [(0, "content", f"{KEY}, you say.")]
    await api.http.put("/preferences", json=ABOUT)
    conversation_id = await create_conversation(api, model="peer:m", system_prompt=f"Deploy as {KEY}.")
    runs: list[str] = []
    for text in (f"Mine is {KEY}", "And?"):
        shown = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": text})).json()
        started = await send(api, conversation_id, text)
        await follow(api, started["run_id"])
        runs.append(started["run_id"])
        assert shown["body"] == orjson.loads(peer.bodies[-1])
        assert shown["content_hash"] == started["content_hash"]
    said = [message["content"] for message in orjson.loads(peer.bodies[-1])["messages"]]
    assert said == [f"Deploy as {MARK}.\n\n{CARD}", f"Mine is {MARK}", f"{MARK}, you say.", "And?"]
    places = [(one["place"], one["pair_id"] is None, one["count"]) for one in shown["redacted"]]
    assert places == [("system", True, 1), ("request", False, 1), ("reply", False, 1)]

    await api.http.put("/preferences", json={})

    page = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()
    assert (page["prelude"], page["items"][0]["user_text"]) == (None, f"Mine is {KEY}")
    assert [(len(pair["secrets"]), len(pair["redacted"])) for pair in page["items"]] == [(0, 2), (0, 3)]
    assert [(await verify_run(api.ctx, LOCAL_OWNER, run_id)).matches for run_id in runs] == [True, True]


async def test_the_card_and_marks_are_part_of_the_estimate(api: Api) -> None:
    conversation_id = await create_conversation(api, model="peer:m")
    asked = {"draft": f"id {KEY}"}
    plain = (await api.http.get(f"/conversations/{conversation_id}/pairs", params=asked)).json()

    await api.http.put("/preferences", json=ABOUT)
    page = (await api.http.get(f"/conversations/{conversation_id}/pairs", params=asked)).json()

    assert (plain["prelude"], plain["secrets"]) == (None, [])
    assert (page["prelude"], page["secrets"]) == (CARD, ["AWS access key"])
    assert page["estimate"]["system"] > plain["estimate"]["system"] + 5
    assert page["estimate"]["draft"] != plain["estimate"]["draft"]


async def test_text_about_the_user_can_be_read_and_switched_off_without_being_deleted(api: Api) -> None:
    await api.http.put("/preferences", json=ABOUT | {"tell_about_me": False, "date_zone": "UTC"})

    text = (await api.http.get("/preferences/prelude")).json()["text"]
    looked = (await api.http.post("/preferences/redaction", json={"text": f"{KEY} and {KEY}"})).json()

    assert text.startswith("Today is ")
    assert looked == {"text": f"{MARK} and {MARK}", "kinds": ["AWS access key", "AWS access key"]}


async def test_time_of_a_preview_is_sent_if_the_send_has_its_instant(api: Api, peer: Peer) -> None:
    await api.http.put("/preferences", json={"date_zone": "Europe/Berlin", "tell_time": True, "user_name": "Ada"})
    conversation_id = await create_conversation(api, model="peer:m")
    place, early = f"/conversations/{conversation_id}/preview", {"text": "Hello", "as_of": "2026-11-22T13:05:59Z"}

    shown = (await api.http.post(place, json=early)).json()
    other = (await api.http.post(place, json={"text": "Hello", "as_of": "2026-11-22T13:06:00Z"})).json()
    started = await send(api, conversation_id, "Hello", as_of=shown["as_of"])
    await follow(api, started["run_id"])

    assert shown["system"] == "User: Ada\n\nToday is Sunday, 22 November 2026. The time is 14:05 (Europe/Berlin)."
    assert other["system"].endswith("The time is 14:06 (Europe/Berlin).")
    assert shown["body"] == orjson.loads(peer.bodies[-1])
    assert shown["content_hash"] == started["content_hash"]
    assert (await verify_run(api.ctx, LOCAL_OWNER, started["run_id"])).matches


async def test_first_request_is_sent_with_each_later_one_also_if_it_is_not_in_view(api: Api, peer: Peer) -> None:
    peer.script = lambda: [(0, "content", "Yes.")]
    await api.http.put("/preferences", json={"tell_first_request": True})
    conversation_id = await create_conversation(api, model="peer:m")
    place = f"/conversations/{conversation_id}/preview"
    for text in ("Plan a trip.", "To Rome."):
        await follow(api, (await send(api, conversation_id, text))["run_id"])
    bodies = [orjson.loads(body)["messages"] for body in peer.bodies]
    card = {"role": "system", "content": "The first request of this conversation:\nPlan a trip."}

    assert [body[0] for body in bodies] == [{"role": "user", "content": "Plan a trip."}, card]
    hidden = (await api.http.post(place, json={"text": "By train.", "filter": "r1"})).json()
    assert hidden["system"] == card["content"]
    assert len(hidden["messages"]) == 3
    first, second = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    for pair, system in ((first, ""), (second, card["content"])):
        again = (await api.http.post(f"/pairs/{pair['id']}/preview", json={"text": "Plan it."})).json()
        assert again["system"] == system


async def test_no_part_of_a_secret_is_sent_with_the_first_request(api: Api, peer: Peer) -> None:
    peer.script = lambda: [(0, "content", "Yes.")]
    await api.http.put("/preferences", json={"tell_first_request": True, "redact": True})
    conversation_id = await create_conversation(api, model="peer:m")
    first = f"{'x' * (MAX_FIRST_REQUEST - 10)} {KEY} and more"
    for text in (first, "Go on."):
        await follow(api, (await send(api, conversation_id, text))["run_id"])

    assert len(peer.bodies) == 2
    assert all(KEY[:9].encode() not in body for body in peer.bodies)


async def test_folder_of_a_conversation_is_its_project_in_the_preview_the_estimate_and_the_send(
    api: Api, peer: Peer
) -> None:
    work, home = [(await api.http.post("/folders", json={"name": name})).json()["id"] for name in ("Work", "Home")]
    conversation_id = await create_conversation(api, model="peer:m", folder_id=work)
    place = f"/conversations/{conversation_id}"

    async def look() -> tuple[str, int]:
        shown = (await api.http.post(f"{place}/preview", json={"text": "Hello"})).json()
        page = (await api.http.get(f"{place}/pairs", params={"draft": "Hello"})).json()
        started = await send(api, conversation_id, "Hello")
        await follow(api, started["run_id"])
        assert (page["prelude"] or "") == shown["system"]
        assert shown["body"] == orjson.loads(peer.bodies[-1])
        assert shown["content_hash"] == started["content_hash"]
        assert (await verify_run(api.ctx, LOCAL_OWNER, started["run_id"])).matches
        return shown["system"], page["estimate"]["system"]

    off, none = await look()
    await api.http.put("/preferences", json={"tell_project": True})
    on, some = await look()
    assert (off, on) == ("", "Project: Work")
    assert some > none
    await api.http.patch(place, json={"folder_id": home})
    assert (await look())[0] == "Project: Home"
    await api.http.patch(f"/folders/{home}", json={"name": "House"})
    assert (await look())[0] == "Project: House"
    await api.http.delete(f"/folders/{home}")
    assert await look() == ("", none)
    await api.http.post(f"/folders/{home}/undelete")
    assert (await look())[0] == "Project: House"
    first = (await api.http.get(f"{place}/pairs")).json()["items"][0]
    again = (await api.http.post(f"/pairs/{first['id']}/preview", json={"text": "Hello"})).json()
    assert again["system"] == "Project: House"
    await api.http.patch(place, json={"middleware": {"user_context": False}})
    assert await look() == ("", none)


async def test_choice_of_a_conversation_decides_what_is_previewed_counted_and_sent(api: Api, peer: Peer) -> None:
    await api.http.put("/preferences", json=ABOUT)
    conversation_id = await create_conversation(api, model="peer:m")
    place, text = f"/conversations/{conversation_id}", f"Mine is {KEY}"

    async def look() -> tuple[str, list[str], int]:
        shown = (await api.http.post(f"{place}/preview", json={"text": text})).json()
        page = (await api.http.get(f"{place}/pairs", params={"draft": text})).json()
        started = await send(api, conversation_id, text)
        await follow(api, started["run_id"])
        assert (page["prelude"] or "") == shown["system"]
        assert shown["body"] == orjson.loads(peer.bodies[-1])
        assert (await verify_run(api.ctx, LOCAL_OWNER, started["run_id"])).matches
        said = [message["content"] for message in shown["body"]["messages"]]
        return shown["system"], [said[0], said[-1]], page["estimate"]["system"]

    usual = await look()
    await api.http.patch(place, json={"middleware": {"user_context": False, "redaction": False}})
    without = await look()
    await api.http.put("/preferences", json={})
    await api.http.patch(place, json={"middleware": {"redaction": True}})
    redacted = await look()

    assert usual[:2] == (CARD, [CARD, f"Mine is {MARK}"])
    assert without[:2] == ("", [text, text])
    assert redacted[:2] == ("", [f"Mine is {MARK}", f"Mine is {MARK}"])
    assert usual[2] > without[2] == redacted[2]
