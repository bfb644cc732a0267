"""The peer receives what the preview showed: random conversations, real HTTP, every protocol."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.conversation import Effort, Pair, Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, InputError, failure
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.request.attachments import NOTHING_ATTACHED, AttachedParts
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.wiring import open_app_context
from app.store.attachments.attachments import keep_attachments
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from tests.databases import lay_database
from tests.domain.attachments.test_attachments import a_png
from tests.effort import EFFORT
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import collect, settings_of
from tests.seeds import choose_seed
from tests.store.values import START, a_pair_of

CONVERSATIONS = EFFORT.wire
SIDE_BY_SIDE = 3
KEY = "sk-secret-1234567890"

MODELS = {
    "anthropic": ("anthropic:claude-sonnet-4-5", "anthropic:claude-opus-4-1", "anthropic:claude-3-5-haiku-latest"),
    "openai": ("openai:gpt-5", "openai:gpt-4o", "openai:o3"),
    "openai_compatible": ("peer:any", "peer:qwen3", "peer:gpt-oss-20b"),
}
"""By protocol: models whose abilities differ as much as possible."""

SEEING = ("anthropic:claude-sonnet-4-5", "anthropic:claude-opus-4-1", "openai:gpt-5", "openai:gpt-4o")
"""The known models among them that accept images."""
PICTURE = Attachment("image/png", a_png(3, 2))

WORDS = (
    *("a", "Hello", "naïve", "日本語", "🎈", "👩\u200d👧", "\u202eright to left", "é", "\u00a0", "\u2028", "0" * 500),
    *("\n", "\t", "\r\n", '"', "\\", "\\n", "\x00", "\x1f", "\x7f", "{}", "   ", ""),
    *("</s>", "<|im_end|>", "data: [DONE]\n\n"),
)


@asynccontextmanager
async def peers(data: Path) -> AsyncGenerator[tuple[AppContext, dict[str, Peer]]]:
    """Open an app context. Each provider has its own peer, which answers with a recorded stream of its protocol."""
    async with (
        a_peer(Answer((read_recording("anthropic", "text"),))) as anthropic,
        a_peer(Answer((read_recording("openai", "text"),))) as openai,
        a_peer(Answer((read_recording("openai_compatible", "text"),))) as compatible,
        open_app_context(
            settings_of(
                data,
                ANTHROPIC_API_KEY=KEY,
                ANTHROPIC_BASE_URL=anthropic.url,
                OPENAI_API_KEY=KEY,
                OPENAI_BASE_URL=f"{openai.url}/v1",
                INVIEW_COMPATIBLE=f"peer={compatible.url}/v1,{KEY}",
            )
        ) as ctx,
    ):
        yield ctx, {"anthropic": anthropic, "openai": openai, "openai_compatible": compatible}


def some_text(chance: random.Random, most: int = 12) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(0, most)))


def some_parts(chance: random.Random) -> tuple[Part, ...]:
    parts: list[Part] = []
    for number in range(chance.choice((0, 1, 1, 1, 2, 4))):
        match chance.randint(0, 5):
            case 0:
                vendor, redacted = chance.choice((None, "anthropic", "openai")), chance.random() < 0.2
                parts.append(Thinking(some_text(chance), "c2ln" if vendor else None, vendor, redacted))
            case 1:
                call = ToolCall(f"call_{number}", "clock", '{"zone":"UTC"}', complete=True)
                parts += [
                    call,
                    ToolResult(call.tool_call_id, (Text(some_text(chance)),), is_error=chance.random() < 0.5),
                ]
            case 2 if chance.random() < 0.3:
                parts.append(ToolCall(f"lost_{number}", "clock", '{"zone":', complete=False))
            case _:
                parts.append(Text(some_text(chance)))
    return tuple(parts)


def some_attached(chance: random.Random) -> tuple[Part, ...]:
    """Return images and text files, or mostly none."""
    count = chance.choice((0, 0, 0, 0, 1, 2))
    return tuple(chance.choice((PICTURE.part(), TextFile("notes.txt", some_text(chance)))) for _ in range(count))


def some_pair(chance: random.Random, conversation_id: str, position: int) -> Pair:
    pair = a_pair_of(conversation_id, position)
    lifecycle = chance.choice((Lifecycle.SUCCEEDED,) * 6 + (Lifecycle.ERROR, Lifecycle.CANCELED))
    reply = pair.reply
    assert reply is not None
    return replace(
        pair,
        request=replace(pair.request, parts=(Text(some_text(chance)), *some_attached(chance))),
        reply=None if chance.random() < 0.05 else replace(reply, parts=some_parts(chance)),
        lifecycle=lifecycle,
        failure=failure(ErrorClass.SERVER, "no") if lifecycle is Lifecycle.ERROR else None,
    )


def some_parameters(chance: random.Random) -> Parameters:
    return Parameters(
        temperature=chance.choice((None, 0.0, 0.7)),
        top_p=chance.choice((None, None, 0.9)),
        max_output_tokens=chance.choice((None, 100, 5000)),
        seed=chance.choice((None, None, 7)),
        effort=chance.choice((None, *Effort)),
        thinking=chance.choice((None, True, False)),
    )


async def some_conversation(ctx: AppContext, chance: random.Random) -> str:
    conversation = await create_conversation(
        ctx, LOCAL_OWNER, title=new_id(), system_prompt=some_text(chance) if chance.random() < 0.5 else ""
    )
    async with ctx.store.write() as session:
        for position in range(1, chance.choice((1, 1, 2, 4, 9))):
            revision = await next_revision(session, conversation.id, START)
            await insert_pair(session, LOCAL_OWNER, some_pair(chance, conversation.id, position), revision)
        await keep_attachments(session, LOCAL_OWNER, conversation.id, [PICTURE], START)
    return conversation.id


async def send_what_is_shown(data: Path, seed: int, numbers: range) -> None:
    """Send in several conversations, one after the other, and compare each send with what its peer received."""
    async with peers(data) as (ctx, peer_of):
        for number in numbers:
            chance = random.Random(seed + number)
            conversation_id = await some_conversation(ctx, chance)
            protocol = chance.choice(tuple(MODELS))
            model, parameters = chance.choice(MODELS[protocol]), some_parameters(chance)
            options = ViewOptions(model=model)
            text = f"{number} {some_text(chance)}"
            attached = AttachedParts(some_attached(chance), (PICTURE,))

            if any(isinstance(part, Image) for part in attached.parts) and model not in SEEING:
                attached = NOTHING_ATTACHED  # the model refuses these attachments
            try:
                shown = await preview_send(
                    ctx,
                    LOCAL_OWNER,
                    conversation_id,
                    SendRequest(text, options, parameters=parameters, attached=attached),
                )
            except InputError as refused:  # not every provider accepts every parameter
                with pytest.raises(InputError, match=re.escape(str(refused))):
                    await start_reply(
                        ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options, parameters=parameters)
                    )
                parameters = Parameters()
                shown = await preview_send(
                    ctx,
                    LOCAL_OWNER,
                    conversation_id,
                    SendRequest(text, options, parameters=parameters, attached=attached),
                )
            started = await start_reply(
                ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options, parameters=parameters, attached=attached)
            )
            events = await collect(ctx, started.run_id)

            where = f"seed {seed + number}, {model}"
            assert events[-1].kind == "done", (where, events)
            (heard,) = peer_of[protocol].heard
            peer_of[protocol].heard.clear()
            assert heard.body == shown.wire.body, where
            assert (heard.method, heard.path) == (shown.wire.method, urlsplit(shown.url).path), where
            assert started.content_hash == shown.hashes[-1], where
            for name, value in shown.wire.headers:
                masked = KEY in heard.headers[name.lower()]
                assert masked or heard.headers[name.lower()] == value, (where, name)
            assert KEY not in repr(shown), where


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_the_peer_receives_byte_for_byte_what_the_preview_showed(tmp_path: Path) -> None:
    """Several installations run at the same time, because each waits for its database half the time."""
    seed = choose_seed("WIRE_SEED")
    folders = [tmp_path / f"{number}" for number in range(SIDE_BY_SIDE)]
    for folder in folders:
        lay_database(folder)

    async with asyncio.TaskGroup() as group:
        for first, folder in enumerate(folders):
            group.create_task(send_what_is_shown(folder, seed, range(first, CONVERSATIONS, SIDE_BY_SIDE)))

    print(f"{CONVERSATIONS} conversations, seeds {seed} to {seed + CONVERSATIONS - 1}")


async def test_what_is_changed_while_a_reply_runs_touches_only_the_next_send(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await create_conversation(ctx, LOCAL_OWNER, model="peer:any", system_prompt="Before.")
        shown = await preview_send(ctx, LOCAL_OWNER, conversation.id, SendRequest("Hello"))
        started = await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("Hello"))

        await change_conversation(
            ctx, LOCAL_OWNER, conversation.id, SettingChanges(system_prompt="After.", model="peer:other")
        )

        await collect(ctx, started.run_id)
        assert peer_of["openai_compatible"].heard[0].body == shown.wire.body
        later = await preview_send(ctx, LOCAL_OWNER, conversation.id, SendRequest("Again"))
        assert later.built.request.system == "After."
