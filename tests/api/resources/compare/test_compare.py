"""Comparisons over HTTP: started, kept, discarded and restored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.talk import answered, create_conversation, follow

MODELS = ["offline:demo", "offline:tiny"]
LONG = "A sentence of eight words stands here again. " * 400


async def compare(api: Api, conversation_id: str, text: str = "/echo Hello") -> dict[str, Any]:
    body = {"text": text, "models": MODELS}
    answer = await api.http.post(f"/conversations/{conversation_id}/compare", json=body)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/api/v1/conversations/{conversation_id}/comparison"
    return answer.json()


async def test_replies_are_compared_and_one_is_kept(api: Api):
    conversation_id = await create_conversation(api)
    place = f"/conversations/{conversation_id}/comparison"
    begun = await compare(api, conversation_id)
    assert [(run["model"], run["sent_pairs"]) for run in begun["runs"]] == [(model, 0) for model in MODELS]
    for run in begun["runs"]:
        await follow(api, run["run_id"])

    now = (await api.http.get(place)).json()
    assert [(pair["model"], pair["reply_text"]) for pair in now["pairs"]] == [(model, "Hello") for model in MODELS]
    assert all(pair["usage"]["output_tokens"] and pair["cost"] != "unknown" for pair in now["pairs"])
    locked = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": "x"})
    assert (locked.status_code, "comparison is open" in locked.json()["detail"]) == (409, True)
    wrong = await api.http.post(f"{place}/keep", json={"model": "offline:other"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "model")

    kept = await api.http.post(f"{place}/keep", json={"model": MODELS[1]})

    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert (pair["id"], pair["model"], pair["version"], pair["versions"]) == (kept.json()["pair_id"], MODELS[1], 2, 2)
    assert (await api.http.get(place)).status_code == 404
    history = await api.http.get(f"/pairs/{pair['id']}/versions")
    assert [one["reply_text"] for one in history.json()["items"]] == ["Hello", "Hello"]


async def test_discarded_comparison_is_gone_until_it_is_reopened(api: Api):
    conversation_id = await create_conversation(api)
    place = f"/conversations/{conversation_id}/comparison"
    begun = await compare(api, conversation_id, "/long 2000 /rate 100")

    assert (await api.http.delete(place)).json() == begun
    assert (await api.http.get(place)).status_code == 404
    assert (await api.http.post(f"{place}/reopen")).json() == begun
    now = (await api.http.get(place)).json()
    assert [pair["lifecycle"] for pair in now["pairs"]] == ["canceled", "canceled"]
    assert (await api.http.post(f"{place}/reopen")).status_code == 404


async def answered_pair(api: Api, text: str = "/echo Hello") -> tuple[str, dict[str, Any]]:
    conversation_id = await create_conversation(api, model=MODELS[0])
    return conversation_id, await answered(api, conversation_id, text)


async def test_pair_is_answered_again_by_several_and_replaced_when_one_is_kept(api: Api):
    conversation_id, pair = await answered_pair(api)
    place = f"/conversations/{conversation_id}/comparison"
    begun = await api.http.post(f"/pairs/{pair['id']}/compare", json={"models": MODELS, "standing": 1})
    assert (begun.status_code, begun.json()["pair_id"]) == (202, pair["id"]), begun.text
    assert begun.headers["Location"] == f"/api/v1{place}"
    for run in begun.json()["runs"]:
        await follow(api, run["run_id"])
    assert await standing(api, conversation_id) == (MODELS[0], 1, 1), "nothing is replaced before one is kept"

    kept = await api.http.post(f"{place}/keep", json={"model": MODELS[0]})

    assert kept.json() == {"pair_id": pair["id"], "replaced": 1, "undo": []}
    assert await standing(api, conversation_id) == (MODELS[0], 2, 3)
    restored = await api.http.post(f"/pairs/{pair['id']}/restore", json={"version": 3, "standing": 2})
    assert restored.status_code == 200
    assert await standing(api, conversation_id) == (MODELS[1], 3, 3)


async def standing(api: Api, conversation_id: str) -> tuple[str, int, int]:
    """Return the model, the current version and the number of versions of the only pair."""
    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    return pair["model"], pair["version"], pair["versions"]


async def test_what_of_a_pair_cannot_be_compared_is_refused(api: Api):
    conversation_id, pair = await answered_pair(api)
    place = f"/pairs/{pair['id']}/compare"
    good = {"models": MODELS}
    for path, body, status, kind in (
        ("/pairs/nothing/compare", good, 404, "not-found"),
        (place, {}, 422, "invalid-input"),
        (place, good | {"models": MODELS[:1]}, 422, "invalid-input"),
        (place, good | {"models": ["no:where", MODELS[0]]}, 422, "invalid-input"),
        (place, good | {"text": "other"}, 422, "invalid-input"),
        (place, good | {"standing": 2}, 409, "pair-changed"),
    ):
        refused = await api.http.post(path, json=body)
        assert (refused.status_code, refused.json()["type"]) == (status, f"urn:inview:problem:{kind}"), refused.text
    later = await answered(api, conversation_id, "/echo later")
    asked = await api.http.post(place, json=good)
    assert (asked.status_code, asked.json()["later"]) == (409, 1)

    begun = await api.http.post(place, json=good | {"later": "discard", "later_count": 1})

    for run in begun.json()["runs"]:
        await follow(api, run["run_id"])
    restoring = await api.http.post(f"/pairs/{pair['id']}/restore", json={"version": 1})
    assert restoring.status_code == 200, "it stands already"
    twice = await api.http.post(place, json=good | {"later": "keep"})
    assert (twice.status_code, "comparison is open" in twice.json()["detail"]) == (409, True)
    kept = (await api.http.post(f"/conversations/{conversation_id}/comparison/keep", json={"model": MODELS[1]})).json()
    assert kept["undo"] == [{"pair_id": later["id"], "deleted": False}]
    branch = (await api.http.post(place, json=good | {"later": "branch"})).json()
    assert (branch["conversation_id"] != conversation_id, branch["pair_id"]) == (True, None)


@pytest.mark.parametrize("again", [False, True])
async def test_each_model_that_does_not_fit_needs_a_choice_of_its_own(api: Api, *, again: bool):
    conversation_id = await create_conversation(api, model=MODELS[0])
    for number in range(3):
        await answered(api, conversation_id, f"/rate 100000\n/echo {number} {LONG}")
    last = await answered(api, conversation_id, "/echo last")
    place, body = f"/conversations/{conversation_id}/compare", {"text": "/echo Hello", "models": MODELS}
    if again:
        place, body = f"/pairs/{last['id']}/compare", {"models": MODELS}
    read = await api.http.get("/preferences")
    limited = await api.http.put("/preferences", json=read.json() | {"send_tokens": 9_000})
    assert limited.status_code == 200, limited.text

    asked = await api.http.post(place, json=body)
    assert (asked.status_code, asked.json()["model"], asked.json()["x"]) == (409, MODELS[0], 1 + (not again))
    fit = {"over_budget": {MODELS[0]: "fit"}}
    asked = await api.http.post(place, json=body | fit)
    assert (asked.status_code, asked.json()["model"]) == (409, MODELS[1])
    assert (await api.http.post(place, json=body | {"over_budget": "fit"})).status_code == 422
    other = await api.http.post(place, json=body | {"over_budget": {"offline:other": "fit"}})
    assert (other.status_code, other.json()["errors"][0]["field"]) == (422, "over_budget")
    assert (await api.http.get(f"/conversations/{conversation_id}/comparison")).status_code == 404

    begun = await api.http.post(place, json=body | {"over_budget": {MODELS[0]: "fit", MODELS[1]: "force"}})

    assert begun.status_code == 202, begun.text
    assert [run["sent_pairs"] for run in begun.json()["runs"]] == [1 + (not again), 3 + (not again)]
