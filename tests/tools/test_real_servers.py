"""Third-party servers: everything (stdio and HTTP), filesystem, memory, time and git, each in a separate process."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.domain.attachments.attachments import look_at
from app.domain.conversation.parts import File, Image, Text
from app.domain.tools.tools import ToolFailedError, ToolFault, ToolOutcome
from app.tools.mcp.sessions import Health, ServerSession
from tests.tools.servers import (
    a_session,
    ask,
    everything,
    everything_over_http,
    find_tool,
    needs_npm,
    npm_server,
    python_server,
)

pytestmark = pytest.mark.third_party


def text_of(outcome: ToolOutcome) -> str:
    return "\n".join(part.text for part in outcome.content if isinstance(part, Text))


@asynccontextmanager
async def over_http():
    async with everything_over_http() as (way, _), a_session(way) as session:
        yield session


WAYS: dict[str, Any] = {"stdio": lambda: a_session(everything()), "http": over_http}


@needs_npm
@pytest.mark.parametrize("way", WAYS)
async def test_every_tool_of_everything_answers(way: str) -> None:
    opening: AbstractAsyncContextManager[ServerSession] = WAYS[way]()
    async with opening as session:
        told: list[tuple[float, float | None]] = []
        await session.settle(30)
        assert session.known is not None
        answers = {
            tool.tool_name: await session.call(
                tool, _arguments(tool.tool_name), lambda done, total, _: told.append((done, total)), 30
            )
            for tool in session.tools
        }

    assert len(answers) >= 12
    assert text_of(answers["echo"]) == "Echo: hello"
    assert text_of(answers["get-sum"]) == "The sum of 2 and 3 is 5."
    assert json.loads(answers["get-structured-content"].structured_json or "") == {
        "conditions": "Light rain / drizzle", "humidity": 82, "temperature": 36,
    }  # fmt: skip
    (image,) = [part for part in answers["get-tiny-image"].content if isinstance(part, Image)]
    (bytes_of_it,) = answers["get-tiny-image"].attachments
    assert (image.attachment_id, image.media_type) == (bytes_of_it.id, "image/png")
    assert look_at(bytes_of_it.data) is not None
    assert any(isinstance(part, File) for part in answers["get-resource-reference"].content)
    assert "demo://resource" in text_of(answers["get-resource-links"])
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert {one.uri for one in session.known.resources if one.is_template}
    assert "simple-prompt" in {prompt.name for prompt in session.known.prompts}
    # Nothing of this process's environment but a few harmless variables.
    assert set(json.loads(text_of(answers["get-env"]))) <= {
        "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "PORT", "LC_CTYPE",
    }  # fmt: skip


def _arguments(tool: str) -> dict[str, Any]:
    return {
        "echo": {"message": "hello"},
        "get-annotated-message": {"messageType": "success", "includeImage": True},
        "get-resource-reference": {"resourceType": "Blob", "resourceId": 1},
        "get-structured-content": {"location": "Chicago"},
        "get-sum": {"a": 2, "b": 3},
        "gzip-file-as-resource": {"data": "data:text/plain,hello", "outputType": "resource"},
        "trigger-long-running-operation": {"duration": 0.15, "steps": 3},
        "simulate-research-query": {"topic": "tea"},
    }.get(tool, {})


@needs_npm
@pytest.mark.parametrize("way", WAYS)
async def test_cancelled_call_is_reported_to_the_server_which_continues_to_serve(way: str) -> None:
    opening: AbstractAsyncContextManager[ServerSession] = WAYS[way]()
    async with opening as session:
        begun = asyncio.Event()
        tool = await find_tool(session, "trigger-long-running-operation")
        long = {"duration": 60, "steps": 600}
        call = asyncio.create_task(session.call(tool, long, lambda _done, _total, _words: begun.set(), 60))
        await asyncio.wait_for(begun.wait(), 30)

        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call
        assert text_of(await ask(session, "echo", message="still here")) == "Echo: still here"
        assert session.restarts == 0


@needs_npm
async def test_call_in_a_program_that_is_killed_fails_and_the_next_one_finds_it_again() -> None:
    async with a_session(everything()) as session:
        await session.settle(30)
        tools = session.tools
        call = asyncio.create_task(ask(session, "trigger-long-running-operation", duration=60))
        await asyncio.sleep(0)  # the call starts
        for child in psutil.Process().children():
            child.kill()

        with pytest.raises(ToolFailedError, match="signal 9") as caught:
            await call

        assert caught.value.fault is ToolFault.DIED
        assert session.tools == tools
        assert text_of(await ask(session, "echo", message="again")) == "Echo: again"
        assert session.restarts == 1
        assert any("signal 9" in line.text for line in session.log.lines())


@needs_npm
# The SDK leaves streams open if a server does not answer; they are collected here, where that is expected.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
async def test_http_server_that_is_gone_is_reported_and_keeps_its_tools() -> None:
    async with everything_over_http() as (way, kill), a_session(way, backoff=(60.0,)) as session:
        await ask(session, "echo", message="here")
        kill()

        with pytest.raises(ToolFailedError) as caught:
            await ask(session, "echo", message="gone")
        with pytest.raises(ToolFailedError) as again:
            await ask(session, "echo", message="gone", seconds=5)

        assert caught.value.fault in {ToolFault.DIED, ToolFault.PROTOCOL}
        assert again.value.fault is ToolFault.UNAVAILABLE
        assert session.health is Health.WAITING
        assert session.tools
    gc.collect()


@needs_npm
async def test_files_are_read_and_written_within_their_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("remember the milk")
    async with a_session(npm_server("filesystem", str(tmp_path))) as session:
        read = await ask(session, "read_text_file", path=str(tmp_path / "note.txt"))
        await ask(session, "write_file", path=str(tmp_path / "new.txt"), content="written")
        outside = await ask(session, "read_text_file", path="/etc/passwd")

    assert text_of(read) == "remember the milk"
    assert (tmp_path / "new.txt").read_text() == "written"
    assert outside.is_error


@needs_npm
async def test_memory_keeps_stored_entities(tmp_path: Path) -> None:
    secrets = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    async with a_session(npm_server("memory"), secrets) as session:
        tea = {"name": "tea", "entityType": "drink", "observations": ["green"]}
        await ask(session, "create_entities", entities=[tea])
        found = await ask(session, "search_nodes", query="tea")

    assert "green" in text_of(found)


async def test_time_is_converted() -> None:
    async with a_session(python_server("mcp_server_time")) as session:
        answer = await ask(session, "convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Kolkata")

    assert "T17:30:00+05:30" in text_of(answer)


async def test_a_repositorys_history_is_read(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--allow-empty", "--message", "The first step")
    async with a_session(python_server("mcp_server_git", "--repository", str(tmp_path))) as session:
        log = await ask(session, "git_log", repo_path=str(tmp_path))

    assert "The first step" in text_of(log)
