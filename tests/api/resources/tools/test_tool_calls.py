"""The full records of a reply's calls over HTTP."""

from __future__ import annotations

from app.domain.conversation.parts import File, Text
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.store.tools.tool_calls import save_tool_calls
from tests.api.served import Api
from tests.api.talk import create_conversation, follow, send
from tests.builders import EPOCH


async def test_records_of_a_reply_hold_what_the_reply_does_not(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/rate 0\nHello")
    await follow(api, started["run_id"])
    whole = ToolCallRecord(
        "c1", 1, "files__read", '{"path":"/a"}', EPOCH, "f1", "files", "read", "Read a file", '{"path":"/b"}', EPOCH,
        structured_json='{"size":3}', content=(Text("all of it"), File("ab" * 32, "text/plain", "a.txt")),
    )  # fmt: skip
    refused = ToolCallRecord("c2", 2, "nobody", "{}", EPOCH, is_error=True, fault=CallFault.UNKNOWN)
    async with api.ctx.store.write() as session:
        await save_tool_calls(session, started["run_id"], (whole, refused))

    answer = await api.http.get(f"/pairs/{started['pair_id']}/tool-calls")

    first, second = answer.json()["items"]
    assert (first["server"], first["tool"], first["title"]) == ("files", "read", "Read a file")
    assert (first["asked_json"], first["run_json"]) == ('{"path":"/a"}', '{"path":"/b"}')
    assert [piece["type"] for piece in first["content"]] == ["text", "file"]
    assert (first["structured_json"], first["fault"]) == ('{"size":3}', None)
    assert (second["server"], second["is_error"], second["fault"], second["content"]) == (None, True, "unknown", None)


async def test_large_results_are_left_out_of_the_list_and_each_is_read_alone(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/rate 0\nHello")
    await follow(api, started["run_id"])
    text = "x" * 3_000_000
    calls = [
        ToolCallRecord("c2", 2, "b", "{}", EPOCH, content=(Text(text),)),
        ToolCallRecord("c1", 1, "a", "{}", EPOCH, structured_json=f'"{text}"', content=(Text("short"),)),
        ToolCallRecord("c3", 3, "c", "{}", EPOCH, structured_json='{"size":3}', content=(Text("short"),)),
    ]
    async with api.ctx.store.write() as session:
        await save_tool_calls(session, started["run_id"], calls)

    listed = await api.http.get(f"/pairs/{started['pair_id']}/tool-calls")
    alone = [await api.http.get(f"/pairs/{started['pair_id']}/tool-calls/{number}") for number in (1, 2, 4)]

    items = listed.json()["items"]
    assert len(listed.content) < 4_000_000 + 10_000
    assert [(one["number"], one["name"], one["cut"]) for one in items] == [
        (1, "a", True),
        (2, "b", False),
        (3, "c", False),
    ]
    assert (items[0]["structured_json"], items[0]["content"]) == (None, None)
    assert (items[1]["content"][0]["text"], items[2]["structured_json"]) == (text, '{"size":3}')
    assert (alone[0].json()["structured_json"], alone[0].json()["cut"]) == (f'"{text}"', False)
    assert alone[0].json()["content"][0]["text"] == "short"
    assert alone[1].json() == items[1]
    assert alone[2].status_code == 404


async def test_pair_without_calls_has_none_and_an_unknown_pair_is_not_found(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/rate 0\nHello")
    await follow(api, started["run_id"])

    none = await api.http.get(f"/pairs/{started['pair_id']}/tool-calls")
    unknown = await api.http.get("/pairs/nobody/tool-calls")

    assert (none.status_code, none.json()) == (200, {"items": []})
    assert unknown.status_code == 404
