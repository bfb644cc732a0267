"""Commands of the filter bar over HTTP: their effect on the selected pairs, their refusals, and their undo."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation, send


async def run(api: Api, conversation_id: str, line: str, **more: Any) -> dict[str, Any]:
    answer = await api.http.post(f"/conversations/{conversation_id}/commands", json={"line": line, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def pairs(api: Api, conversation_id: str) -> list[dict[str, Any]]:
    answer = await api.http.get(f"/conversations/{conversation_id}/pairs", params={"limit": 500})
    return answer.json()["items"]


async def undo(api: Api, conversation_id: str, done: dict[str, Any]) -> None:
    changes = {"changes": done["undo"]}
    assert (await api.http.post(f"/conversations/{conversation_id}/marks", json=changes)).status_code == 200


async def a_past(api: Api, count: int = 5, **fields: Any) -> str:
    conversation_id = await create_conversation(api, **fields)
    await store_pairs(api, conversation_id, count)
    return conversation_id


@pytest.mark.parametrize(
    ("command", "field", "value", "message"),
    [
        (":star 2", "stars", 2, "Gave 3 pairs 2 stars."),
        (":star 1", "stars", 1, "Gave 3 pairs 1 star."),
        (":flag", "flagged", True, "Flagged 3 pairs."),
        (":in", "mark", "in", "Tagged 3 pairs “include”."),
        (":out", "mark", "out", "Tagged 3 pairs “exclude”."),
    ],
)
async def test_a_command_marks_what_the_filter_selects_and_can_be_undone(
    api: Api, command: str, field: str, value: Any, message: str
):
    conversation_id = await a_past(api)
    before = [pair[field] for pair in await pairs(api, conversation_id)]

    done = await run(api, conversation_id, f"r3 {command}")

    assert (done["outcome"], done["message"], done["count"], len(done["undo"])) == ("done", message, 3, 3)
    assert [pair[field] for pair in await pairs(api, conversation_id)] == [*before[:2], *[value] * 3]
    await undo(api, conversation_id, done)
    assert [pair[field] for pair in await pairs(api, conversation_id)] == before


async def test_undo_names_only_the_pairs_that_were_changed(api: Api):
    conversation_id = await a_past(api)
    await run(api, conversation_id, "r1 :flag")

    done = await run(api, conversation_id, ":flag")
    undone = await run(api, conversation_id, ":unflag --dry-run")

    assert (done["count"], len(done["undo"])) == (5, 4)
    assert (undone["outcome"], undone["message"]) == ("told", "Would unflag 5 pairs. Nothing was changed.")
    assert all(pair["flagged"] for pair in await pairs(api, conversation_id))


async def test_pairs_are_filed_under_a_named_or_the_chosen_topic(api: Api):
    conversation_id = await a_past(api)
    topic = (await api.http.post("/topics", json={"path": "AI > Planning"})).json()
    await api.http.post("/topics", json={"path": "Work > Planning"})

    named = await run(api, conversation_id, "r2 :topic 'ai > planning'")
    chosen = await run(api, conversation_id, "r3 :topic", topic=topic["id"])
    for line, reason in (
        (":topic", "No topic is chosen in the message box. Choose or name one."),
        (":topic 'Nowhere'", 'There is no topic "Nowhere", or several end like this.'),
        (":topic Planning", '"Planning" can mean AI > Planning or Work > Planning. Write more of the path.'),
    ):
        refused = await run(api, conversation_id, line)
        assert refused["outcome"] == "refused"
        assert refused["message"].startswith(reason)

    assert named["message"] == "Filed 2 pairs under AI > Planning."
    assert (chosen["count"], len(chosen["undo"])) == (3, 1)
    assert {topic["path"]: topic["total"] for topic in (await api.http.get("/topics")).json()["items"]} == {
        "AI": 3,
        "AI > Planning": 3,
        "Work": 0,
        "Work > Planning": 0,
    }


async def test_delete_asks_first_and_its_undo_brings_all_back(api: Api):
    conversation_id = await a_past(api)
    before = await pairs(api, conversation_id)

    asked = await run(api, conversation_id, "c'question 2' | c'question 4' :delete")
    done = await run(api, conversation_id, "c'question 2' | c'question 4' :delete", confirmed=True)
    left = [pair["position"] for pair in await pairs(api, conversation_id)]
    await undo(api, conversation_id, done)

    assert (asked["outcome"], asked["message"], asked["undo"]) == ("ask", "Really delete 2 pairs?", [])
    assert (done["outcome"], done["message"]) == ("done", "Deleted 2 pairs.")
    assert left == [1, 3, 5]
    assert [pair["id"] for pair in await pairs(api, conversation_id)] == [pair["id"] for pair in before]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("r3 :delete", "Cannot delete by r3"),
        ("o :delete", "Cannot delete by o"),
        ("@last :delete", "Cannot delete by r1"),
        ("s3 :delete", "The filter selects no pairs."),
        (":delete", "To delete 51 pairs, more than 50, add --force."),
    ],
)
async def test_a_delete_that_could_mean_something_else_is_refused_even_when_confirmed(api: Api, line: str, reason: str):
    conversation_id = await a_past(api, 51)
    await api.http.put("/filters/last", json={"filter": "r1"})

    refused = await run(api, conversation_id, line, confirmed=True)

    assert refused["outcome"] == "refused"
    assert refused["message"].startswith(reason)
    assert len(await pairs(api, conversation_id)) == 51
    assert (await run(api, conversation_id, ":delete --force", confirmed=True))["count"] == 51


async def test_a_running_pair_is_neither_deleted_nor_copied(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/slow 10 /long 100")

    for line in (":delete", ":fork"):
        body = {"line": line, "confirmed": True}
        answer = await api.http.post(f"/conversations/{conversation_id}/commands", json=body)
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:inview:problem:conflict")
    await api.http.post(f"/runs/{started['run_id']}/cancel")


async def test_a_fork_is_a_new_conversation_with_the_selected_pairs(api: Api):
    conversation_id = await a_past(api, title="Plans", system_prompt="Be brief.")
    await answered(api, conversation_id, "/fail auth")
    await run(api, conversation_id, "r2 :star 3")

    done = await run(api, conversation_id, "r3 :fork")

    fork_id = done["conversation_id"]
    fork = (await api.http.get(f"/conversations/{fork_id}")).json()
    assert (fork["title"], fork["parent_id"], fork["pair_count"]) == ("Fork of Plans", conversation_id, 3)
    assert (fork["system_prompt"], fork["filter"]) == ("Be brief.", "")
    ours, theirs = (await pairs(api, conversation_id))[-3:], await pairs(api, fork_id)
    assert [pair["position"] for pair in theirs] == [1, 2, 3]
    own = {"id", "conversation_id", "position", "run_id", "topic_id"}
    assert [without(pair, own) for pair in theirs] == [without(pair, own) for pair in ours]
    assert not {pair["id"] for pair in ours} & {pair["id"] for pair in theirs}
    assert theirs[-1]["error"]["class"] == "auth"
    assert (await api.http.get(f"/runs/{theirs[-1]['run_id']}/events")).status_code == 200
    assert len(await pairs(api, conversation_id)) == 6


def without(pair: dict[str, Any], fields: set[str]) -> dict[str, Any]:
    return {name: value for name, value in pair.items() if name not in fields}


async def test_a_line_without_a_command_is_no_command(api: Api):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(f"/conversations/{conversation_id}/commands", json={"line": "s2"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "line")
    wrong = await api.http.post(f"/conversations/{conversation_id}/commands", json={"line": "s2 :flg"})
    assert (wrong.status_code, wrong.json()["position"]) == (422, 4)


@pytest.mark.parametrize("as_of", [5, "5", "2026-01-31", "2026-01-31T12:00:00"])
async def test_an_instant_is_written_with_its_zone(api: Api, as_of: Any):
    conversation_id = await create_conversation(api)

    body = {"line": ":flag", "as_of": as_of}
    answer = await api.http.post(f"/conversations/{conversation_id}/commands", json=body)
    exported = await api.http.get(f"/conversations/{conversation_id}/export", params={"as_of": as_of})

    assert (answer.status_code, exported.status_code) == (422, 422)
    assert answer.json()["errors"][0]["field"] == exported.json()["errors"][0]["field"] == "as_of"


async def test_ages_are_read_at_the_instant_the_page_was_made(api: Api):
    conversation_id = await a_past(api)

    then = await run(api, conversation_id, "d<1d :flag --dry-run", as_of="2026-01-01T12:00:00Z")
    later = await run(api, conversation_id, "d<1d :flag --dry-run", as_of="2026-02-01T12:00:00+01:00")

    assert (then["count"], later["count"]) == (3 + 2, 0)
