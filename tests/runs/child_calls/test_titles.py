"""Titles: when Inview requests one, from which text, who may replace it, and failures that change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.audit import AuditAction
from app.domain.child_calls.child_calls import ChildCall
from app.domain.child_calls.titles import INSTRUCTION, read_title
from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ConflictError, NotFoundError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.audit.audit import read_audit
from app.runs.child_calls.titles import ask_title, keep_reply_and_title
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.resend.resend import resend_pair
from app.runs.runtime.client import Client, serving
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.wiring import open_app_context
from app.store.audit.audit import AuditCriteria
from app.store.conversation.child_calls import load_child_calls
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import ListCriteria, list_conversations
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.steps import a_conversation, calls_of, collect, pairs_of, reply_to, settings_of
from tests.waiting import until

MODEL = "peer:any"


def says(text: str) -> Answer:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}},
    ]
    events = [b"data: " + orjson.dumps({"id": "c", **chunk}) + b"\n\n" for chunk in chunks]
    return Answer((b"".join([*events, b"data: [DONE]\n\n"]),))


@dataclass
class Bench:
    ctx: AppContext
    peer: Peer

    def messages(self, call: int = -1) -> list[dict[str, Any]]:
        return orjson.loads(self.peer.heard[call].body)["messages"]

    async def rest(self) -> None:
        """Wait until no reply and no background task is running."""
        while self.ctx.background or self.ctx.engine.runs:
            await asyncio.gather(*self.ctx.background, return_exceptions=True)
            await asyncio.sleep(0)

    async def conversation(self, conversation_id: str) -> Conversation:
        async with self.ctx.store.read() as session:
            return await load_conversation(session, LOCAL_OWNER, conversation_id)

    async def title(self, conversation_id: str) -> str:
        await self.rest()
        return (await self.conversation(conversation_id)).title

    async def derived(self, conversation_id: str) -> tuple[ChildCall, ...]:
        async with self.ctx.store.read() as session:
            return await load_child_calls(session, LOCAL_OWNER, conversation_id)


@asynccontextmanager
async def a_bench(data: Path, *answers: Answer, **environment: str) -> AsyncGenerator[Bench]:
    variables = {"INVIEW_TITLES": "on", **environment}
    async with (
        a_peer(*answers) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1", **variables)) as ctx,
    ):
        yield Bench(ctx, peer)


async def test_long_message_is_not_sent_again_for_its_title(data: Path) -> None:
    long = f"Why is the sky blue? {'word ' * 3_000}Answer briefly."
    async with a_bench(data, says("It scatters."), says("Blue sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        await reply_to(bench.ctx, conversation_id, long)

        assert await bench.title(conversation_id) == "Blue sky"
        asked, replied, instruction = [message["content"] for message in bench.messages()]
    assert (replied, instruction) == ("It scatters.", INSTRUCTION)
    assert asked.startswith("Why is the sky blue? word word ")
    assert asked.endswith("word word Answer briefly.")
    assert len(asked) < 1_600


async def test_long_conversation_is_titled_from_its_first_and_its_newest_pair(data: Path) -> None:
    async with a_bench(data, says("It scatters."), INVIEW_TITLES="off") as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        for text in ("First", "Second " * 2_500, "Third"):
            await reply_to(bench.ctx, conversation_id, text)

        await ask_title(bench.ctx, LOCAL_OWNER, conversation_id)
        await bench.rest()

        assert [message["content"] for message in bench.messages()] == [
            "First", "It scatters.", "Third", "It scatters.", INSTRUCTION
        ]  # fmt: skip


async def test_secret_is_redacted_before_a_long_message_is_shortened(data: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4e5" * 5
    long = f"{'x' * 985} {secret} {'word ' * 3_000}"
    async with a_bench(data, says("Fine."), INVIEW_TITLES="off") as bench:
        await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(redact=True))
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, long)

        await ask_title(bench.ctx, LOCAL_OWNER, conversation_id)
        await bench.rest()

        assert "sk-proj-a1B2" not in bench.messages()[0]["content"]


async def test_request_for_a_title_is_never_sent_along(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("The sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")
        await bench.rest()
        (call,) = await bench.derived(conversation_id)
        assert call.made is not None

        with pytest.raises(ConflictError, match="cannot send in it"):
            await reply_to(bench.ctx, call.made.conversation_id, "Go on.")

        assert len(bench.peer.heard) == 2


async def test_first_success_brings_a_title(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("**Why the sky is blue.**")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        with serving(Client("203.0.113.7", "page")):
            await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == "Why the sky is blue"
        ((_, entry),) = await read_audit(
            bench.ctx.store, LOCAL_OWNER, limit=1, criteria=AuditCriteria(actions=(AuditAction.CHANGED,))
        )
        assert (entry.data, entry.via, entry.address) == ({"what": "title", "by": "model"}, "", "")
        assert [message["content"] for message in bench.messages()] == [
            "Why is the sky blue?",
            "It scatters.",
            INSTRUCTION,
        ]
        await reply_to(bench.ctx, conversation_id, "And at night?")
        await bench.rest()
        assert len(bench.peer.heard) == 3


def test_a_long_title_is_not_cut_in_the_middle_of_a_secret() -> None:
    """A title may be sent, and a part of a secret would not be replaced."""
    assert read_title(f"{'word ' * 21}AKIAIOSFODNN7EXAMPLE") == f"{'word ' * 21}".rstrip() + "…"


@pytest.mark.parametrize(
    ("model", "title"),
    [
        (MODEL, "<think>Short.</think>Blue Sky"),
        (MODEL, "Short is best.\n</think>\n\nBlue Sky"),
        ("peer:qwq-32b", "Short is best.\n</think>\n\nBlue Sky"),
    ],
    ids=["between tags", "its closing tag alone", "of a model that thinks aloud"],
)
async def test_reasoning_in_words_is_no_part_of_a_title(data: Path, model: str, title: str) -> None:
    async with a_bench(data, says("It scatters."), says(title)) as bench:
        conversation_id = await a_conversation(bench.ctx, model=model)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == "Blue Sky"


async def test_title_is_made_of_the_answer_without_the_reasoning_before_it(data: Path) -> None:
    thinks = says("The user asks. Short is best.\n</think>\n\nIt scatters.")
    async with a_bench(data, thinks, says("Blue Sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model="peer:qwq-32b")
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == "Blue Sky"
        assert [message["content"] for message in bench.messages()][:2] == ["Why is the sky blue?", "It scatters."]


async def test_title_is_requested_in_a_child_conversation_and_never_sent(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("Blue sky"), says("Black.")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")
        await bench.rest()
        (call,) = await bench.derived(conversation_id)

        await reply_to(bench.ctx, conversation_id, "And at night?")

        assert call.made is not None
        assert (call.role, call.after_position, call.made.text) == (Role.SYSTEM_TITLE, 1, "Blue sky")
        made = await bench.conversation(call.made.conversation_id)
        (first, _) = await pairs_of(bench.ctx, conversation_id)
        assert first.reply is not None
        assert (made.kind, made.status, made.parent_id, made.trigger_message_id) == (
            ConversationKind.TOOL,
            ConversationStatus.COMPLETED,
            conversation_id,
            first.reply.id,
        )
        (pair,) = await pairs_of(bench.ctx, made.id)
        assert pair.reply is not None
        assert (pair.request.role, pair.reply.role) == (Role.SYSTEM_TITLE, Role.TITLE)
        (booked,) = await calls_of(bench.ctx, made.id)
        assert (booked.purpose, booked.usage == pair.usage, booked.counted is not None) == ("title", True, True)
        assert [booked.purpose for booked in await calls_of(bench.ctx, conversation_id)] == ["reply", "reply"]
        assert not any(INSTRUCTION in str(message["content"]) for message in bench.messages())
        assert not any("Blue sky" in str(message["content"]) for message in bench.messages())
        view = await compose_view(bench.ctx, LOCAL_OWNER, conversation_id, ViewOptions())
        assert (view.composition.x, view.composition.y) == (2, 2)


@pytest.mark.parametrize("answer", ["  ", "...", "\n**\n"])
async def test_title_that_says_nothing_changes_nothing(data: Path, answer: str) -> None:
    async with a_bench(data, says("It scatters."), says(answer)) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == ""
        (call,) = await bench.derived(conversation_id)
        assert call.made is not None
        assert call.made.lifecycle is Lifecycle.SUCCEEDED


async def test_failed_title_changes_nothing_and_says_why(data: Path) -> None:
    async with a_bench(data, says("It scatters."), Answer((b'{"error":{"message":"No."}}',), status=401)) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == ""
        (call,) = await bench.derived(conversation_id)
        assert call.made is not None
        assert call.made.failure is not None
        made = await bench.conversation(call.made.conversation_id)
        assert made.status is ConversationStatus.FAILED
        (booked,) = await calls_of(bench.ctx, made.id)
        assert (booked.purpose, booked.outcome) == ("title", Lifecycle.ERROR)


async def test_title_comes_after_the_first_success_not_after_a_failure(data: Path) -> None:
    failed = Answer((b'{"error":{"message":"No."}}',), status=401)
    async with a_bench(data, failed, says("It scatters."), says("Blue sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why?")
        await bench.rest()
        assert len(bench.peer.heard) == 1

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == "Blue sky"


async def given_a_title(bench: Bench) -> str:
    return await a_conversation(bench.ctx, model=MODEL, title="Mine")


async def told_not_to(bench: Bench) -> str:
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(titles=False))
    return await a_conversation(bench.ctx, model=MODEL)


@pytest.mark.parametrize("prepare", [given_a_title, told_not_to])
async def test_no_title_is_requested(data: Path, prepare: Callable[[Bench], Awaitable[str]]) -> None:
    async with a_bench(data, says("It scatters.")) as bench:
        conversation_id = await prepare(bench)
        before = (await bench.conversation(conversation_id)).title

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == before
        assert len(bench.peer.heard) == 1


async def test_installation_without_titles_requests_none(data: Path) -> None:
    async with a_bench(data, says("It scatters."), INVIEW_TITLES="off") as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == ""
        assert len(bench.peer.heard) == 1


async def test_title_that_a_death_prevented_is_asked_for_after_the_next_success(data: Path) -> None:
    # the process ends before it requests a title
    async with a_bench(data, says("It scatters."), INVIEW_TITLES="off") as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

    async with a_bench(data, says("Rayleigh."), Answer((), then="stall")) as bench:
        await reply_to(bench.ctx, conversation_id, "Who found out?")
        await until(lambda: len(bench.peer.heard) == 2)  # the process ends during the request

    async with a_bench(data, says("1871."), says("The blue sky")) as bench:
        assert (await bench.conversation(conversation_id)).title == ""
        await reply_to(bench.ctx, conversation_id, "When?")

        assert await bench.title(conversation_id) == "The blue sky"


async def test_regenerating_the_first_reply_asks_for_no_second_title(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("..."), says("Rayleigh.")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        ended = await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")
        await bench.rest()

        resent = await resend_pair(bench.ctx, LOCAL_OWNER, ended.pair.id)
        await collect(bench.ctx, resent.started.run_id)
        await bench.rest()

        assert len(bench.peer.heard) == 3


async def test_first_kept_reply_of_a_comparison_brings_a_title(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("Why the sky is blue")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        models = (MODEL, "offline:demo")
        comparison = await start_comparison(
            bench.ctx, LOCAL_OWNER, conversation_id, SendRequest("Why is the sky blue?"), ComparedModels(models)
        )
        for run in comparison.runs:
            await collect(bench.ctx, run.run_id)
        assert await bench.title(conversation_id) == ""

        await keep_reply_and_title(bench.ctx, LOCAL_OWNER, conversation_id, MODEL)

        assert await bench.title(conversation_id) == "Why the sky is blue"


async def test_another_model_may_be_asked(data: Path) -> None:
    async with a_bench(data, says("It scatters.")) as bench:
        await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(title_model="offline:demo"))
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert await bench.title(conversation_id) == "Why is the sky blue"
        assert len(bench.peer.heard) == 1
        assert (await bench.conversation(conversation_id)).model == MODEL


async def test_model_that_is_not_set_up_is_no_reason_to_fail(data: Path) -> None:
    async with a_bench(data, says("It scatters.")) as bench:
        await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(title_model="nobody:knows"))
        conversation_id = await a_conversation(bench.ctx, model=MODEL)

        ended = await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")

        assert (ended.pair.lifecycle, await bench.title(conversation_id)) == (Lifecycle.SUCCEEDED, "")


async def test_another_title_is_requested_and_replaces_a_models(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("Blue sky"), says("Colours of the sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")
        assert await bench.title(conversation_id) == "Blue sky"

        await ask_title(bench.ctx, LOCAL_OWNER, conversation_id)

        assert await bench.title(conversation_id) == "Colours of the sky"
        assert len(await bench.derived(conversation_id)) == 2


async def test_a_persons_own_title_is_never_replaced(data: Path) -> None:
    async with a_bench(data, says("It scatters."), says("Blue sky")) as bench:
        conversation_id = await a_conversation(bench.ctx, model=MODEL)
        await reply_to(bench.ctx, conversation_id, "Why is the sky blue?")
        await bench.rest()
        await change_conversation(bench.ctx, LOCAL_OWNER, conversation_id, SettingChanges(title="Mine"))

        with pytest.raises(ConflictError, match="A person set this title"):
            await ask_title(bench.ctx, LOCAL_OWNER, conversation_id)

        assert await bench.title(conversation_id) == "Mine"
        assert len(bench.peer.heard) == 2


async def test_title_given_while_the_model_was_at_it_stays(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "Why is the sky blue?")
    bench = Bench(ctx, Peer([]))
    await ask_title(ctx, LOCAL_OWNER, conversation_id)

    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(title="Mine"))

    assert await bench.title(conversation_id) == "Mine"
    assert (await bench.conversation(conversation_id)).titled_by_model is False


async def test_title_of_a_conversation_that_is_deleted_meanwhile_is_dropped(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "Why is the sky blue?")
    derived = await ask_title(ctx, LOCAL_OWNER, conversation_id)

    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    await Bench(ctx, Peer([])).rest()

    async with ctx.store.read() as session:
        assert await list_conversations(session, LOCAL_OWNER, limit=5, criteria=ListCriteria()) == ()
    (booked,) = await calls_of(ctx, derived.conversation_id)
    assert booked.purpose == "title"


async def test_conversation_that_cannot_be_titled_is_refused_with_the_reason(ctx: AppContext) -> None:
    empty = await a_conversation(ctx)

    with pytest.raises(ConflictError, match="No pair in view"):
        await ask_title(ctx, LOCAL_OWNER, empty)
    with pytest.raises(NotFoundError):
        await ask_title(ctx, "somebody else", empty)
