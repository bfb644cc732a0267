"""Export and import over HTTP: the exported file, and the result of an imported one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.runs.transfer.import_file import MAX_BYTES
from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation

PAGE = Path(__file__).parents[4] / "docs" / "export-format.md"
JSON = {"Content-Type": "application/json"}


async def a_past(api: Api, count: int = 3, **fields: Any) -> str:
    conversation_id = await create_conversation(api, **fields)
    await store_pairs(api, conversation_id, count)
    return conversation_id


async def test_a_conversation_goes_out_and_comes_in_again(api: Api):
    conversation_id = await a_past(api, title="Plans", system_prompt="Be brief.")
    await answered(api, conversation_id, "/fail auth")
    pairs = f"/conversations/{conversation_id}/pairs"

    file = await api.http.get(f"/conversations/{conversation_id}/export")
    imported = await api.http.post("/import", content=file.content, headers=JSON)

    assert (file.status_code, file.headers["content-type"]) == (200, "application/json")
    assert (file.json()["format"], file.json()["version"]) == ("inview", 1)
    assert imported.status_code == 201, imported.text
    (made,) = imported.json()["conversations"]
    assert (made["title"], made["pair_count"]) == ("Plans", 4)
    here = (await api.http.get(pairs)).json()["items"]
    there = (await api.http.get(f"/conversations/{made['id']}/pairs")).json()["items"]
    own = {"id", "conversation_id", "run_id"}
    assert [{k: v for k, v in pair.items() if k not in own} for pair in there] == [
        {k: v for k, v in pair.items() if k not in own} for pair in here
    ]
    history = (await api.http.get(f"/conversations/{made['id']}/history")).json()["items"]
    assert history[1]["parts"][0]["signature"] == "sig"


async def test_a_file_says_what_is_not_in_it_and_a_replay_stays_marked(api: Api):
    await api.http.put("/preferences", json={"replay": True})
    conversation_id = ""
    for _ in range(2):
        conversation_id = await create_conversation(api, model="offline:demo")
        await answered(api, conversation_id, "/echo again /rate 0")
    models = {"models": ["offline:demo", "offline:tiny"]}
    await api.http.post(f"/conversations/{conversation_id}/compare", json={"text": "/echo x", **models})
    await api.http.post(f"/conversations/{conversation_id}/queue", json={"text": "/echo y"})

    file = await api.http.get(f"/conversations/{conversation_id}/export")
    imported = await api.http.post("/import", content=file.content, headers=JSON)

    (told,) = file.json()["conversations"]
    assert told["left_out"] == ["1 queued text", "an open comparison"]
    (made,) = imported.json()["conversations"]
    pairs = (await api.http.get(f"/conversations/{made['id']}/pairs")).json()["items"]
    assert [pair["replayed"] for pair in pairs] == [True]


@pytest.mark.parametrize(
    ("format_", "media_type", "words"),
    [
        ("md", "text/markdown; charset=utf-8", ["# Plans", "> question 2", "answer 3"]),
        ("html", "text/html; charset=utf-8", ["<h1>Plans</h1>", "<p>question 2</p>", "<p>answer 3</p>"]),
    ],
)
async def test_a_transcript_is_a_file_to_be_read(api: Api, format_: str, media_type: str, words: list[str]):
    conversation_id = await a_past(api, title="Plans")

    file = await api.http.get(f"/conversations/{conversation_id}/export", params={"format": format_})

    assert (file.status_code, file.headers["content-type"]) == (200, media_type)
    assert file.headers["content-disposition"].startswith(f'attachment; filename="Plans.{format_}"')
    assert file.headers["content-security-policy"] == "sandbox"
    assert int(file.headers["content-length"]) == len(file.content)
    assert all(word in file.text for word in words)


async def test_a_filter_says_which_pairs_are_in_the_file(api: Api):
    conversation_id = await a_past(api)
    await api.http.patch(f"/conversations/{conversation_id}", json={"filter": "r1"})
    path = f"/conversations/{conversation_id}/export"

    async def positions(**params: str) -> list[int]:
        file = (await api.http.get(path, params=params)).json()
        return [pair["position"] for pair in file["conversations"][0]["pairs"]]

    assert await positions() == [1, 2, 3]
    assert await positions(filter="r2") == [2, 3]
    refused = await api.http.get(path, params={"filter": "s7"})
    assert (refused.status_code, refused.json()["position"]) == (422, 1)


async def test_the_command_of_a_line_leads_to_its_file(api: Api):
    conversation_id = await a_past(api, title="Plans")
    line = "r2 :export md --filename 'best of' --order topic"

    done = await api.http.post(f"/conversations/{conversation_id}/commands", json={"line": line})
    file = await api.http.get(done.json()["export_url"].removeprefix("/api/v1"))

    assert (done.json()["outcome"], done.json()["count"]) == ("done", 2)
    assert 'filename="best of.md"' in file.headers["content-disposition"]
    assert "question 1" not in file.text
    assert "question 2" in file.text


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("Größe", "attachment; filename=\"Gr__e.md\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.md"),
        ('a/b\\c"d', "attachment; filename=\"a-b-c-d.md\"; filename*=UTF-8''a-b-c-d.md"),
        ("x\r\ny", "attachment; filename=\"x--y.md\"; filename*=UTF-8''x--y.md"),
        ("notes.md", "attachment; filename=\"notes.md\"; filename*=UTF-8''notes.md"),
        ("..", "attachment; filename=\"conversation.md\"; filename*=UTF-8''conversation.md"),
    ],
)
async def test_a_name_is_made_fit_for_a_file(api: Api, name: str, header: str):
    conversation_id = await a_past(api)

    file = await api.http.get(f"/conversations/{conversation_id}/export", params={"format": "md", "filename": name})

    assert file.headers["content-disposition"] == header


async def test_a_faulty_file_says_where_and_stores_nothing(api: Api):
    body = {"title": "x", "pairs": [{"user_text": "Hi", "model": "offline:demo"}, {"user_text": "Hi", "stars": 9}]}

    refused = await api.http.post("/import", json=body)
    no_json = await api.http.post("/import", content=b"{", headers=JSON)

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "$.pairs[1].stars"
    assert (no_json.status_code, no_json.json()["errors"][0]["field"]) == (422, "$")
    assert (await api.http.get("/conversations")).json()["items"] == []


async def test_an_import_accepts_more_than_other_bodies_up_to_its_stated_limit(api: Api):
    filler = "x" * (1024 * 1024)
    body = {"title": "large", "pairs": [{"user_text": filler, "model": "offline:demo"}] * 18}

    taken = await api.http.post("/import", json=body)
    refused = await api.http.post("/import", content=b" " * (MAX_BYTES + 1), headers=JSON)

    assert taken.status_code == 201, taken.text[:500]
    assert refused.status_code == 413


async def test_another_owners_conversation_is_not_exported(api: Api):
    assert (await api.http.get("/conversations/nothing/export")).status_code == 404


async def test_the_file_by_hand_of_the_documentation_can_be_imported(api: Api):
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    imported = await api.http.post("/import", content=example.encode(), headers=JSON)

    assert imported.status_code == 201, imported.text
    (made,) = imported.json()["conversations"]
    pairs = (await api.http.get(f"/conversations/{made['id']}/pairs")).json()["items"]
    assert [(pair["topic"], pair["stars"], pair["lifecycle"]) for pair in pairs] == [
        ("Work > Plans", 2, "succeeded"),
        (None, 0, "canceled"),
    ]
