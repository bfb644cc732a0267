"""Programs that lie: each lie has a clear outcome, nothing hangs, and valid content is still served."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.domain.tools.tools import ToolFailedError, ToolFault
from app.tools.mcp import sessions
from app.tools.mcp.json_text import write_json
from app.tools.mcp.sessions import Health
from tests.tools.servers import a_session, ask, find_tool, script
from tests.waiting import until

LIAR = script(
    """
def say(asked, **result): write({"id": asked["id"], "result": result})
def text(words): return [{"type": "text", "text": words}]
def act(asked):
    how = asked["params"]["arguments"].get("how")
    if how == "hang": return
    if how == "die": sys.exit(3)
    if how == "garbage": print("{]", flush=True); print("not a message", flush=True); return
    if how == "wrong id": write({"id": 987654, "result": {"content": text("for somebody else")}}); return
    if how == "twice": say(asked, content=text("first")); say(asked, content=text("second")); return
    if how == "no result": say(asked, nothing="at all"); return
    if how == "bad parts": say(asked, content=[{"type": "hologram"}]); return
    if how == "not base64": say(asked, content=[{"type": "image", "data": "%%%", "mimeType": "image/png"}]); return
    if how == "many parts": say(asked, content=text("x") * 500); return
    if how == "huge": say(asked, content=text("x" * 11_000_000)); return
    if how == "deep":
        deep = {}
        for _ in range(400): deep = {"a": deep}
        say(asked, content=[], structuredContent=deep); return
    if how == "refuse": write({"id": asked["id"], "error": {"code": -32000, "message": "I will not"}}); return
    if how == "big number": say(asked, content=[], structuredContent={"n": 2 ** 80}); return
    if how == "flood":
        token = asked["params"]["_meta"]["progressToken"]
        for n in range(200):
            params = {"progressToken": token, "progress": 1, "total": 1}
            write({"method": "notifications/progress", "params": params})
        say(asked, content=text("flooded")); return
    say(asked, content=text("sound"))
TYPED = {"type": "object", "properties": {"n": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["n"]}
def typed(asked):
    if asked["params"]["name"] == "act": return act(asked)
    how = asked["params"]["arguments"].get("how")
    if how == "nothing": return say(asked, content=text("no n"))
    say(asked, content=[], structuredContent={"n": 5 if how == "other" else "a" * 60 + "!"})
greet()
serve(typed, [TOOL, {**TOOL, "name": "typed", "outputSchema": TYPED}])
"""
)
LIES = [
    ("hang", ToolFault.TIMED_OUT, "did not respond within"),
    ("garbage", ToolFault.TIMED_OUT, "did not respond within"),
    ("wrong id", ToolFault.TIMED_OUT, "did not respond within"),
    ("no result", ToolFault.PROTOCOL, "returned an invalid response"),
    ("bad parts", ToolFault.PROTOCOL, "returned an invalid response"),
    ("not base64", ToolFault.PROTOCOL, "bytes that are not base64"),
    ("many parts", ToolFault.TOO_LARGE, "too many parts. At most 200"),
    ("huge", ToolFault.DIED, "sent a line of more than 11 MB"),
    ("deep", ToolFault.TIMED_OUT, "did not respond within"),
    ("refuse", ToolFault.PROTOCOL, "was refused: I will not"),
    ("die", ToolFault.DIED, "ended with code 3"),
]


async def test_every_lie_of_a_program_is_a_clear_fault_and_the_next_call_is_answered() -> None:
    async with a_session(LIAR) as session:
        await session.settle(30)
        for how, fault, words in LIES:
            seconds = 0.1 if fault is ToolFault.TIMED_OUT else 30
            with pytest.raises(ToolFailedError, match=words) as caught:
                await ask(session, "act", how=how, seconds=seconds)
            assert caught.value.fault is fault, how
            sound = await ask(session, "act")
            assert repr(sound.content) == "(Text(text='sound'),)", how
        twice = [await ask(session, "act", how="twice") for _ in range(2)]
        number = await ask(session, "act", how="big number")
        flooded = await ask(session, "act", how="flood")
        for how, words in [("nothing", "there is none"), ("other", "at n: 5 is not of type 'string'")]:
            with pytest.raises(ToolFailedError, match=f"does not match its schema.*{words}"):
                await ask(session, "typed", how=how)
        # A regular expression that takes years is not run.
        slow = await ask(session, "typed", how="slow")
        lines = [line.text for line in session.log.lines()]

    assert repr([outcome.content for outcome in twice]) == "[(Text(text='first'),), (Text(text='first'),)]"
    assert number.structured_json == f'{{"n":{2**80}}}'
    assert repr(flooded.content) == "(Text(text='flooded'),)"
    assert slow.structured_json == f'{{"n":"{"a" * 60}!"}}'
    assert session.restarts == 2
    assert "Not a message: not a message" in lines


async def test_invalid_progress_is_not_shown() -> None:
    server = script(
        """
def act(asked):
    token = asked["params"]["_meta"]["progressToken"]
    for progress in (1, float("nan"), float("inf"), -1, 1e300, 2, 3):
        total = float("inf") if progress == 2 else 4
        params = {"progressToken": token, "progress": progress, "total": total}
        write({"method": "notifications/progress", "params": params})
    write({"id": asked["id"], "result": {"content": []}})
greet()
serve(act, [TOOL])
"""
    )
    told: list[tuple[float, float | None]] = []
    async with a_session(server) as session:
        tool = await find_tool(session, "act")
        await session.call(tool, {}, lambda progress, total, _: told.append((progress, total)), 30.0)

    assert told == [(1.0, 4.0), (2.0, None), (3.0, 4.0)]


async def test_lists_that_lie_lose_what_is_unsound_and_keep_the_rest() -> None:
    server = script(
        """
def tool(name, **schema): return {"name": name, "inputSchema": {"type": "object", **schema}}
TOOLS = [
    tool("sound"), tool("sound"), tool("with blanks/and:signs"), tool("  "), tool("x" * 201),
    tool("large", properties={"a": {"description": "x" * 60_000}}),
    tool("pattern", properties={"a": {"pattern": "("}}),
    tool("number", properties={"a": {"maximum": 2 ** 70}}),
    tool("endless", properties={"a": {"maximum": float("inf")}}),
    tool("beyond", properties={"a": {"maximum": 10 ** 400}}),
]
greet()
serve(None, TOOLS)
"""
    )
    async with a_session(server) as session:
        await session.settle(30)
        names = [tool.name for tool in session.tools]
        cut = "\n".join(session.known.cut if session.known else ())

    assert names[0] == "lab__sound"
    assert names[1].startswith("lab__with_blanks_and_signs_")
    assert names[2:] == ["lab__number"]
    for name, why in [
        ("sound", "another has its name"), ("  ", "it has no name"), ("xxx", "its name is too long"),
        ("large", "its schema is too long"),
        ("pattern", "its schema is not valid"),
        ("endless", "it has NaN or an infinite number"), ("beyond", "has a number beyond"),
    ]:  # fmt: skip
        assert any(name in line and why in line for line in cut.splitlines()), (name, cut)


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ('{"tools": [TOOL], "nextCursor": "again"}', "lists tools without end"),
        ('{"tools": [{**TOOL, "name": str(n)} for n in range(2000)]}', "uses the first 500."),
        ('{"tools": [{**TOOL, "name": str(time.time())}], "nextCursor": str(time.time())}', "uses the first 50."),
        ('{"tools": [{**TOOL, "name": str(time.time())}], "nextCursor": str(time.time()) * 1000}', "uses the first 1."),
    ],
    ids=["the same page again", "a huge list", "a new page each time", "a huge mark of the next page"],
)
async def test_endless_list_is_cut_with_a_visible_note(pages: str, words: str) -> None:
    server = script(
        f"""
greet()
while True:
    asked = read()
    if asked.get("method") == "tools/list": write({{"id": asked["id"], "result": {pages}}})
"""
    )
    async with a_session(server) as session:
        await session.settle(30)
        cut = "\n".join(session.known.cut if session.known else ())

    assert words in cut
    assert 0 < len(session.tools) <= 500


@pytest.mark.parametrize("end", ["{}", '{"nextCursor": None}', '{"nextCursor": ""}'])
async def test_list_in_pages_is_read_to_its_end(end: str) -> None:
    server = script(
        f"""
PAGES = {{None: ("first", {{"nextCursor": "2"}}), "2": ("second", {{"nextCursor": "3"}}), "3": ("third", {end})}}
greet()
while True:
    asked = read()
    if asked.get("method") == "tools/list":
        name, more = PAGES[asked.get("params", {{}}).get("cursor")]
        write({{"id": asked["id"], "result": {{"tools": [{{**TOOL, "name": name}}], **more}}}})
"""
    )
    async with a_session(server) as session:
        await session.settle(30)

    assert [tool.name for tool in session.tools] == ["lab__first", "lab__second", "lab__third"]
    assert session.known is not None
    assert session.known.cut == ()


async def test_every_cut_list_has_a_visible_note() -> None:
    server = script(
        """
many = [{"name": str(n), "uri": f"note://{n}", "uriTemplate": f"note://{n}/{{a}}"} for n in range(400)]
words = [{"name": str(n)} for n in range(700)]
greet({"tools": {}, "prompts": {}, "resources": {}})
while True:
    asked = read()
    match asked.get("method"):
        case "tools/list": write({"id": asked["id"], "result": {"tools": [TOOL]}})
        case "resources/list": write({"id": asked["id"], "result": {"resources": many}})
        case "resources/templates/list": write({"id": asked["id"], "result": {"resourceTemplates": many}})
        case "prompts/list": write({"id": asked["id"], "result": {"prompts": [{"name": "p", "arguments": words}]}})
        case "tools/call": write({"id": asked["id"], "result": {"content": [], "others": words}})
"""
    )
    async with a_session(server) as session:
        await session.settle(30)
        cut = "\n".join(session.known.cut if session.known else ())
        await ask(session, "act")
        log = "\n".join(line.text for line in session.log.lines())

    assert "The server lists 800 resources and templates. Inview uses the first 500." in cut
    assert "The server lists 700 arguments of the prompt 'p'. Inview uses the first 500." in cut
    assert "A response has 700 items in 'others'. Items after the first 500 are left out." in log


async def test_server_that_says_its_list_changed_with_every_list_is_not_asked_endlessly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = script(
        """
lists = 0
greet({"tools": {"listChanged": True}})
while True:
    asked = read()
    if asked.get("method") == "tools/list":
        lists += 1
        write({"id": asked["id"], "result": {"tools": [TOOL, {**TOOL, "name": f"act_{lists}"}]}})
        write({"method": "notifications/tools/list_changed"})
    elif asked.get("method") == "tools/call":
        write({"id": asked["id"], "result": {"content": [{"type": "text", "text": str(lists)}]}})
"""
    )
    monkeypatch.setattr(sessions, "CHANGE_SECONDS", 30.0)
    async with a_session(server) as session:
        await session.settle(30)
        async with asyncio.timeout(30):
            # A change is read once, and then not again before the interval ends, however often it is announced.
            while repr((await ask(session, "act")).content) == "(Text(text='1'),)":
                pass
        answers = {repr((await ask(session, "act")).content) for _ in range(20)}

    assert answers == {"(Text(text='2'),)"}


ASKED = """
def asked():
    while (said := read()).get("method") != "initialize":
        if "id" in said: write({"id": said["id"], "error": {"code": -32601, "message": "not known"}})
    return said["id"]
"""


async def test_titles_and_descriptions_lose_invisible_characters_and_names_with_them_are_left_out() -> None:
    server = script(
        r"""
greet()
hidden = {**TOOL, "title": "Read\u202e elif\x1b[31m", "description": "Reads.\nNever\u2066 deletes.\u200b"}
serve(None, [hidden, {**TOOL, "name": "a\u200bct"}])
"""
    )
    async with a_session(server) as session:
        await session.settle(30)
        (tool,) = session.tools
        cut = session.known.cut if session.known else ()

    assert (tool.title, tool.description) == ("Read elif[31m", "Reads.\nNever deletes.")
    assert any("invisible characters" in words for words in cut)


async def test_little_of_a_long_invisible_text_is_searched() -> None:
    server = script("greet()\nserve(None, [{**TOOL, 'description': 'Acts' + chr(0x200B) * 1_000_000 + '!'}])")
    async with a_session(server) as session:
        await session.settle(30)

    assert [tool.description for tool in session.tools] == ["Acts"]


@pytest.mark.parametrize(
    ("greeting", "words"),
    [
        ("", "did not respond in time"),
        ("print('welcome'); sys.exit(7)", "ended with code 7"),
        ('write({"id": asked(), "result": {"protocolVersion": 5}})', "its response is not a valid InitializeResult: "),
        ('write({"id": asked(), "error": {"code": -1, "message": "go away"}})', "go away"),
        (
            "greet(); read(); write({'id': read()['id'], 'result': {'tools': 'none'}})",
            "not a valid ListToolsResult: tools",
        ),
        (
            "greet(); read(); write({'id': read()['id'], 'result': {'tools': [{'name': 'a', 'inputSchema': 1}]}})",
            "not a valid ListToolsResult: tools.0.inputSchema",
        ),
        ("greet()", "The server took longer than 0.3 seconds to list its tools, resources and prompts"),
    ],
    ids=["says nothing", "ends", "greets with nonsense", "refuses", "lists nonsense", "lists no tools", "never lists"],
)
async def test_program_that_never_gets_ready_says_why(
    monkeypatch: pytest.MonkeyPatch, greeting: str, words: str
) -> None:
    monkeypatch.setattr(sessions, "START_SECONDS", 0.3 if "in time" in words else 30.0)
    monkeypatch.setattr(sessions, "LIST_SECONDS", 0.3 if "to list" in words else 30.0)
    async with a_session(script(f"{ASKED}\n{greeting}\nsys.stdin.read()"), backoff=(60.0,)) as session:
        await session.settle(30)

        assert session.health is Health.WAITING
        assert words in session.problem
        with pytest.raises(ToolFailedError, match=r"The server (could not be reached|took longer)") as caught:
            await ask(session, "act", seconds=0.01)
        assert caught.value.fault is ToolFault.UNAVAILABLE


async def test_a_server_that_was_never_reached_was_never_restarted() -> None:
    async with a_session(script("sys.exit(3)"), backoff=(0.0,)) as session:
        await until(lambda: sum("Trying again" in line.text for line in session.log.lines()) > 2)

        assert session.restarts == 0


def test_deeply_nested_values_are_not_written() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}

    with pytest.raises(ValueError, match="too deep"):
        write_json(deep)
