"""A send carries exactly the request that a preview or an estimate counted, or is refused with the new figures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation, follow, send

DRAFT = {"text": "/long 3 /rate 0"}


async def two_pairs(api: Api) -> tuple[str, list[str]]:
    place = await create_conversation(api, model="offline:demo")
    return place, [(await answered(api, place, f"/echo {number}"))["id"] for number in (1, 2)]


async def preview(api: Api, place: str, **more: object) -> dict[str, Any]:
    return (await api.http.post(f"/conversations/{place}/preview", json={**DRAFT, **more})).json()


async def test_a_send_of_fewer_pairs_than_were_previewed_is_refused_with_the_new_figures(api: Api) -> None:
    place, (first, _) = await two_pairs(api)
    previewed = await preview(api, place)
    await api.http.delete(f"/pairs/{first}")

    body = {**DRAFT, "selection": previewed["selection"]}
    refused = await api.http.post(f"/conversations/{place}/send", json=body, headers=AT_ONCE)

    now = await preview(api, place)
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (409, "urn:inview:problem:selection-changed")
    assert (problem["x"], problem["y"]) == (now["x"], now["y"]) == (1, 1)
    assert (problem["tokens"], problem["selection"]) == (now["estimate"]["tokens"], now["selection"])
    await send(api, place, **DRAFT, selection=problem["selection"])


async def test_a_send_of_more_pairs_than_were_counted_is_refused(api: Api) -> None:
    place, (first, _) = await two_pairs(api)
    await api.http.patch(f"/pairs/{first}", json={"mark": "out"})
    listed = (await api.http.get(f"/conversations/{place}/pairs", params={"filter": "!out"})).json()
    await api.http.patch(f"/pairs/{first}", json={"mark": None})

    body = {**DRAFT, "filter": "!out", "selection": listed["selection"]}
    refused = await api.http.post(f"/conversations/{place}/send", json=body, headers=AT_ONCE)

    assert refused.json()["type"] == "urn:inview:problem:selection-changed"
    assert "2 of the 2 pairs" in refused.json()["detail"]
    assert "instead of the 1 pair counted before" in refused.json()["detail"]


async def test_a_pair_with_another_text_is_another_pair(api: Api) -> None:
    place, (_, second) = await two_pairs(api)
    previewed = await preview(api, place)
    resent = await api.http.post(f"/pairs/{second}/resend", json={"text": "/echo another text"}, headers=AT_ONCE)
    await follow(api, resent.json()["run_id"])

    body = {**DRAFT, "selection": previewed["selection"]}
    refused = await api.http.post(f"/conversations/{place}/send", json=body, headers=AT_ONCE)

    assert refused.status_code == 409


async def test_a_pair_whose_reply_was_on_when_it_was_counted_may_be_there_when_it_is_over(api: Api) -> None:
    place, _ = await two_pairs(api)
    started = await send(api, place, "/long 40 /rate 200")
    listed = (await api.http.get(f"/conversations/{place}/pairs")).json()
    await follow(api, started["run_id"])

    await send(api, place, **DRAFT, selection=listed["selection"])

    sent = (await api.http.get(f"/conversations/{place}/pairs")).json()
    assert sent["y"] >= 3


async def test_a_pair_sent_again_carries_what_its_preview_counted(api: Api) -> None:
    _, (first, second) = await two_pairs(api)
    previewed = (await api.http.post(f"/pairs/{second}/preview", json={})).json()
    await api.http.delete(f"/pairs/{first}")

    body = {"selection": previewed["selection"]}
    refused = await api.http.post(f"/pairs/{second}/resend", json=body, headers=AT_ONCE)

    assert refused.json()["type"] == "urn:inview:problem:selection-changed"


@pytest.mark.parametrize("selection", ["", "x", "2", "+", "99.0"])
async def test_an_unknown_selection_selects_none_of_these_pairs(api: Api, selection: str) -> None:
    place, _ = await two_pairs(api)

    body = {**DRAFT, "selection": selection}
    refused = await api.http.post(f"/conversations/{place}/send", json=body, headers=AT_ONCE)

    assert refused.json()["type"] == "urn:inview:problem:selection-changed"


COMPARED = ["offline:demo", "offline:tiny"]


async def two_previews(api: Api, place: str) -> dict[str, str]:
    return {model: (await preview(api, place, model=model))["selection"] for model in COMPARED}


async def test_a_comparison_carries_what_was_previewed_for_each_model(api: Api) -> None:
    place, (first, _) = await two_pairs(api)
    selections = await two_previews(api, place)
    body = {**DRAFT, "models": COMPARED, "selections": selections}
    await api.http.delete(f"/pairs/{first}")

    refused = await api.http.post(f"/conversations/{place}/compare", json=body)

    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (409, "urn:inview:problem:selection-changed")
    assert (problem["model"], problem["x"], problem["y"]) == ("offline:demo", 1, 1)
    assert (await api.http.get(f"/conversations/{place}/comparison")).status_code == 404
    again = {**body, "selections": await two_previews(api, place)}
    assert (await api.http.post(f"/conversations/{place}/compare", json=again)).status_code == 202


@pytest.mark.parametrize("counted", [*COMPARED, "offline:thinker"])
async def test_it_is_enough_that_one_was_counted_asked_or_not(api: Api, counted: str) -> None:
    place, (first, second) = await two_pairs(api)
    selections = {counted: (await preview(api, place, model=counted))["selection"]}
    of_second = (await api.http.post(f"/pairs/{second}/preview", json={"model": counted})).json()["selection"]
    await api.http.delete(f"/pairs/{first}")

    body = {**DRAFT, "models": COMPARED, "selections": selections}
    refused = await api.http.post(f"/conversations/{place}/compare", json=body)
    body = {"models": COMPARED, "selections": {counted: of_second}}
    refused_again = await api.http.post(f"/pairs/{second}/compare", json=body)

    assert (refused.status_code, refused.json()["model"]) == (409, counted)
    assert (refused_again.status_code, refused_again.json()["model"]) == (409, counted)


async def test_a_pair_compared_again_carries_what_was_previewed_for_each_model(api: Api) -> None:
    _, (_, second) = await two_pairs(api)
    told = {
        model: (await api.http.post(f"/pairs/{second}/preview", json={"model": model})).json()["selection"]
        for model in COMPARED
    }

    begun = await api.http.post(f"/pairs/{second}/compare", json={"models": COMPARED, "selections": told})

    assert begun.status_code == 202, begun.text
