"""The reported token count is inside the shown error band for 95 of 100 sends of every kind."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from app.domain.settings.preferences import OverBudget
from app.domain.tools.tools import Tool, ToolOutcome
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.request.attachments import NOTHING_ATTACHED
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.wiring import open_app_context
from app.tools.toolbox import BuiltIn
from tests.billing.peer import BillingPeer, play_anthropic, play_openai, serve_billing
from tests.databases import lay_database
from tests.media.test_pictures import a_picture
from tests.runs.bands.peers import bill_anthropic, bill_compatible, bill_openai, play_compatible
from tests.runs.bands.sends import KINDS, Send, make_sends
from tests.runs.steps import a_conversation, calls_of, reply_to, settings_of

SEEDS = 84, 2026, 7
ALL, SAMPLE = 500, 40
SHARE = 0.95
ANSWERS = ("Very well.", "That depends on what you mean. " * 12, "Yes, and here is why. " * 40)


@asynccontextmanager
async def billed(data: Path) -> AsyncGenerator[AppContext]:
    """Open an app context whose providers bill by their own rules, with an empty database in this folder."""
    await asyncio.to_thread(data.mkdir, exist_ok=True)
    lay_database(data)
    async with AsyncExitStack() as stack:

        async def play(name: str, bill: Any, reply: Any) -> BillingPeer:
            peer = BillingPeer(name, bill, reply, words=lambda number: ANSWERS[number % 3])
            return await stack.enter_async_context(serve_billing(peer))

        openai = await play("openai", bill_openai, play_openai)
        anthropic = await play("anthropic", bill_anthropic, play_anthropic)
        mock = await play("mock", bill_compatible, play_compatible)
        servers = {"INVIEW_COMPATIBLE": f"mock=http://{mock.host}/v1"}
        settings = settings_of(data, **openai.environment, **anthropic.environment, **servers)
        yield await stack.enter_async_context(open_app_context(settings))


async def nothing(*_: Any, **__: Any) -> ToolOutcome:
    return ToolOutcome(())


def offer_tools(ctx: AppContext, count: int) -> None:
    ctx.toolbox.built_ins.clear()
    for number in range(count):
        name = f"read_{number}"
        said = "Reads a file of the project and returns its lines, numbered from one on. " * (number + 1)
        path = '{"path":{"type":"string","description":"Where the file lies, below the root of the project."}}'
        schema = '{"type":"object","properties":' + path + ',"required":["path"]}'
        tool = Tool(f"files__{name}", "files", "files", name, "", said, schema, read_only=True)
        ctx.toolbox.register([BuiltIn(tool, nothing)])


async def is_inside(ctx: AppContext, conversation_id: str, send: Send) -> tuple[bool, int, str]:
    """Return whether the reported count is inside the band shown before the send, the band, and a description."""
    ids: list[str] = []
    if send.file:
        ids.append((await attach_file(ctx, LOCAL_OWNER, send.file.encode(), "notes.py")).attachment.id)
    if send.picture:
        ids.append((await attach_file(ctx, LOCAL_OWNER, a_picture("PNG", (900, 500)), "a.png")).attachment.id)
    options, force = ViewOptions(model=send.model), OverBudget.FORCE
    attached = await load_attached(ctx, LOCAL_OWNER, ids) if ids else NOTHING_ATTACHED
    text = f"/echo Well.\n{send.text}" if send.model.startswith("offline") else send.text
    planned = await preview_send(
        ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options, over_budget=force, attached=attached)
    )
    ended = await reply_to(ctx, conversation_id, text, options=options, over_budget=force, attached=attached)
    call = (await calls_of(ctx, conversation_id))[-1]
    assert call.usage is not None, ended.events[-1]
    reported, estimate = call.usage.prompt_tokens, planned.composed.composition.estimate
    shown = max(1, round(estimate.error_band * 100))  # whole percents, as on the page
    off = (reported - estimate.tokens) / estimate.tokens * 100
    return (
        abs(off) <= shown,
        shown,
        f"{send.kind} to {send.model}: ~{estimate.tokens} ±{shown} %, {reported} ({off:+.1f} %)",
    )


async def send_all(ctx: AppContext, sends: list[Send]) -> tuple[dict[str, list[tuple[bool, int]]], list[str]]:
    """Return the bands of the sends, by kind and by model, each with True if the report was inside; describe the
    others.
    """
    inside: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    outside: list[str] = []
    conversation_id = ""
    for send in sends:
        if send.opens:
            offer_tools(ctx, send.tools)
            conversation_id = await a_conversation(ctx, system_prompt="You are a helpful assistant.")
        held, shown, words = await is_inside(ctx, conversation_id, send)
        for key in ("all", send.kind, send.model, "with tools" if send.tools else "without tools"):
            inside[key].append((held, shown))
        outside += [] if held else [words]
    return inside, outside


async def test_reports_of_a_sample_are_inside_their_bands(tmp_path: Path) -> None:
    async with billed(tmp_path) as ctx:
        inside, outside = await send_all(ctx, [*make_sends(SAMPLE, SEEDS[0] + 1)])

    assert len(outside) <= (1 - SHARE) * len(inside["all"]), "\n".join(outside)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
async def test_reports_of_500_sends_of_every_kind_are_inside_their_bands(tmp_path: Path) -> None:
    inside: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    for seed in SEEDS:
        async with billed(tmp_path / str(seed)) as ctx:
            held, outside = await send_all(ctx, [*make_sends(ALL, seed)])
        assert len(outside) <= (1 - SHARE) * ALL, "\n".join(outside)
        print(f"seed {seed}", *outside, sep="\n")
        for key, sends in held.items():
            inside[key] += sends

    for key, sends in sorted(inside.items()):
        held_count, middle = sum(one for one, _ in sends), median(shown for _, shown in sends)
        share = held_count / len(sends)
        print(f"{key:28} {held_count:4} of {len(sends):4}  {share:.1%}, half of the bands up to ±{middle:.0f} %")
    for kind in KINDS:
        assert sum(one for one, _ in inside[kind]) >= SHARE * len(inside[kind]), kind
