"""The events outside the log that a reader of a running reply gets."""

from __future__ import annotations

import asyncio

from app.domain.run.run_log import LogEvent
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.runs.tools.server_commands import ServerSettings, add_server, delete_server, try_server
from app.runs.watch.broadcast import follow
from tests.runs.steps import a_conversation, collect, send
from tests.runs.toolsmith import add_tools
from tests.tools.servers import script

PROGRAM = script("greet()\nserve(lambda asked: None, [TOOL])")


async def first_events(ctx: AppContext, run_id: str, after: int = 0) -> list[LogEvent]:
    """Return the events that a reader gets until it got two batches with text."""
    found: list[LogEvent] = []
    texts = 0
    async with asyncio.timeout(30):
        async for events in follow(ctx, LOCAL_OWNER, run_id, after):
            found += events
            texts += any(event.kind == "text" for event in events)
            if texts == 2:
                return found
    raise AssertionError(found)


async def test_a_reader_gets_the_servers_of_the_request_with_their_health_while_the_reply_runs(ctx: AppContext) -> None:
    seen = await add_server(ctx, LOCAL_OWNER, ServerSettings("lab", PROGRAM))
    await try_server(ctx, LOCAL_OWNER, seen.server.id)
    started = await send(ctx, await a_conversation(ctx), "/long 5000 /rate 50")

    events = await first_events(ctx, started.run_id)
    (servers,) = [event for event in events if event.kind == "mcp_servers"]
    assert servers.data == {"servers": [{"id": seen.server.id, "name": "lab", "health": "ready"}]}
    assert events[0].kind == "run"
    positions = [event.position for event in events]
    assert positions == sorted(positions)

    await delete_server(ctx, LOCAL_OWNER, seen.server.id)
    again = await first_events(ctx, started.run_id, positions[-1])
    (servers,) = [event for event in again if event.kind == "mcp_servers"]
    assert servers.data == {"servers": [{"id": seen.server.id, "name": "lab", "health": "off"}]}

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    assert "mcp_servers" not in [event.kind for event in await collect(ctx, started.run_id)]


async def test_a_reply_without_servers_has_no_such_event(ctx: AppContext) -> None:
    await add_tools(ctx)  # offers the built-in tools
    started = await send(ctx, await a_conversation(ctx), "/long 5 /rate 50")

    assert "mcp_servers" not in [event.kind for event in await collect(ctx, started.run_id)]
