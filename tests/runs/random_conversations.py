"""Random conversations with everything that one can hold, the bytes of its images and files included.

    made = make_conversation(random.Random(1))
    await store_made(wb, made)

`exchange_values.py` draws stranger values for hypothesis; these here are quick to make and have bytes behind their ids.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from app.domain.conversation.attachments import Attachment
from app.domain.conversation.conversation import (
    Checkpoint,
    Conversation,
    ConversationKind,
    ConversationStatus,
    Effort,
    Mark,
    Message,
    Pair,
    Parameters,
    Replaced,
    Role,
    ToolMode,
)
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import ErrorClass, Failure
from app.domain.export import NodeRecord, PairRecord, RunRecord, SnapshotRecord, VersionRecord
from app.domain.run.rounds import Round
from app.domain.run.state import Retry
from app.domain.stream_events import StopReason
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.usage import Usage
from app.runs.library.topic_commands import make_topics
from app.runs.process.ids import new_id
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.archive import insert_records
from app.store.conversation.attachments import keep_attachments
from app.store.conversation.conversations import insert_conversation, next_revision
from tests.domain.conversation.test_attachments import a_png

T = TypeVar("T")

MODELS = ("offline:demo", "anthropic:claude-sonnet-4-5", "my-server:a b:c")
STRANGE = (
    *(
        "",
        " ",
        "\t",
        "\r\n",
        "\n\n",
        "\x00",
        "\x1b[31m",
        "\x7f",
        "\u0085",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\ufffd",
        "\uffff",
    ),
    *(
        "e\u0301",
        "é",
        "ﬀ",
        "ß",
        "İ",
        "ﷺ",
        "汉字",
        "שלום",
        "\u202egpj.exe",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "\U0001d574",
        "\U0010ffff",
        "Z̷̡͝",
        "\u200b",
    ),
    *(
        '"',
        "\\",
        "\\u0041",
        "\\ud800",
        "</script>",
        "<!--",
        "&amp;",
        "null",
        "1e400",
        "{",
        "}",
        "[",
        "```",
        "$x$",
        "\x08",
    ),
)
ATTACHMENTS = (
    Attachment("image/png", a_png(3, 2)),
    Attachment("image/gif", b"GIF89a" + bytes([3, 0, 2, 0]) + bytes(20)),
    Attachment("application/pdf", b"%PDF-1.7\n%%EOF\n", "pl\u202ean 'ß'.pdf"),
    Attachment("audio/wav", b"RIFF" + bytes(range(256)), ""),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A conversation with its pairs, the topics of these (paths; None: none), and its nodes."""

    conversation: Conversation
    pairs: tuple[PairRecord, ...]
    topics: tuple[tuple[str, ...] | None, ...]
    nodes: tuple[NodeRecord, ...]


def make_conversation(chance: random.Random) -> Made:
    """Another conversation for each state of `chance`, ids apart."""
    return _Maker(chance).conversation()


async def store_made(wb: Workbench, made: Made) -> None:
    """Store it past every check, as it is."""
    async with wb.store.write() as session:
        topics = await make_topics(session, LOCAL_OWNER, [path for path in made.topics if path is not None])
        filed = [
            record if path is None else replace(record, pair=replace(record.pair, topic=topics[path]))
            for record, path in zip(made.pairs, made.topics, strict=True)
        ]
        conversation = made.conversation
        await insert_conversation(session, conversation)
        await keep_attachments(session, LOCAL_OWNER, conversation.id, ATTACHMENTS, conversation.created_at)
        revision = await next_revision(session, conversation.id, None)
        await insert_records(session, LOCAL_OWNER, conversation.id, filed, made.nodes, revision, "process")


class _Maker:
    """Draws values."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def words(self) -> str:
        pieces = self.chance.choices((*STRANGE, "plan", "two words", "x" * 60), k=self.chance.randrange(6))
        return "".join(pieces)

    def maybe(self, value: T) -> T | None:
        return self.chance.choice((None, value))

    def moment(self) -> datetime:
        at = datetime(1971, 1, 1, tzinfo=UTC) + timedelta(days=self.chance.randrange(365_000))
        return at + timedelta(microseconds=self.chance.choice((0, 1, 1_000, 999_999, self.chance.randrange(10**10))))

    def model(self) -> str:
        return self.chance.choice(MODELS)

    def attached(self) -> Image | File:
        one = self.chance.choice(ATTACHMENTS)
        if one.media_type.startswith("image/"):
            return Image(one.id, one.media_type, self.chance.randrange(9_000), self.chance.randrange(9_000))
        return File(one.id, one.media_type, one.name, self.chance.choice((0, 3)), self.chance.choice((0, 9_000)))

    def part(self) -> Part:
        chance = self.chance
        kind = chance.randrange(7)
        if kind == 0:
            vendor, signature = self.maybe("anthropic"), self.maybe(self.words())
            return Thinking(self.words(), signature, vendor, chance.random() < 0.2)
        if kind == 1:
            return self.attached()
        if kind == 2:
            return TextFile(chance.choice(("cities.csv", "ß 'x'.txt")), self.words())
        if kind == 3:
            asked = chance.choice(("", "{", '{"a": 1e400}', '{"\\ud800": 1}', self.words()))
            return ToolCall(f"call {chance.randrange(4)}", "draw", asked, chance.random() < 0.8)
        if kind == 4:
            content = tuple(chance.choice((Text(self.words()), self.attached())) for _ in range(chance.randrange(3)))
            seconds = self.maybe(chance.random() * 10 ** chance.randrange(6))
            return ToolResult(f"call {chance.randrange(4)}", content, chance.random() < 0.3, seconds)
        return Text(self.words())

    def message(self, role: Role) -> Message:
        parts = tuple(self.part() for _ in range(self.chance.choice((0, 1, 1, 3, 8))))
        return Message(new_id(), role, parts, self.moment())

    def parameters(self) -> Parameters:
        chance = self.chance
        return Parameters(
            temperature=self.maybe(chance.random() * 2),
            top_p=self.maybe(chance.choice((0.0, 1.0, 0.1 + 0.2, 5e-324))),
            max_output_tokens=self.maybe(chance.randrange(1, 10**6)),
            seed=self.maybe(chance.randrange(2**31)),
            effort=self.maybe(chance.choice(list(Effort))),
            thinking=self.maybe(chance.random() < 0.5),
            reply_schema=self.maybe('{"type":"object", "title":"ß"}'),
        )

    def failure(self) -> Failure:
        return Failure(
            self.chance.choice(list(ErrorClass)), self.words(), self.words(), self.maybe(self.chance.random())
        )

    def usage(self) -> Usage:
        return Usage(*(self.chance.choice((0, 1, 10**8)) for _ in range(6)))

    def call(self, number: int) -> ToolCallRecord:
        chance = self.chance
        return ToolCallRecord(
            f"call {number}", number, "draw", self.words(), self.moment(),
            self.maybe(self.words()), self.maybe(self.words()),
            self.maybe(self.words()), self.maybe(self.words()), self.maybe(self.words()),
            self.maybe(self.moment()), self.moment(),
            chance.random() < 0.3, self.maybe(chance.choice(list(CallFault))), self.maybe(self.words()),
            self.maybe((Text(self.words()), self.attached())),
        )  # fmt: skip

    def run(self, reply_id: str) -> RunRecord:
        chance = self.chance
        outcome = chance.choice((Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED))
        retries = [Retry(number, chance.random(), self.failure()) for number in range(1, chance.randrange(1, 3))]
        sent = [(first, first + chance.randrange(3)) for first in (1, 7, 20)[: chance.randrange(4)]]
        return RunRecord(
            id=new_id(),
            reply_id=reply_id,
            model=self.model(),
            request_hash=self.words(),
            outcome=outcome,
            attempt=chance.randrange(1, 4),
            attempt_started_at=self.moment(),
            started_at=self.moment(),
            ended_at=self.maybe(self.moment()),
            retries=tuple(retries),
            usage=self.maybe(self.usage()),
            stop_reason=chance.choice(list(StopReason)) if outcome is Lifecycle.SUCCEEDED else None,
            failure=self.failure() if outcome is Lifecycle.ERROR else None,
            rounds=tuple(Round(number, self.maybe(self.usage())) for number in range(1, chance.randrange(1, 3))),
            tool_calls=tuple(self.call(number) for number in range(1, chance.randrange(1, 4))),
            sent=self.maybe(tuple(sent)),
            prelude=self.maybe(self.words()),
            redacted=self.maybe((Replaced("AWS access key", "request"), Replaced("password", "system", new_id()))),
        )

    def record(self, conversation_id: str, position: int) -> PairRecord:
        chance = self.chance
        request = self.message(Role.USER)
        reply = self.message(Role.ASSISTANT) if chance.random() < 0.9 else None
        runs = () if reply is None else tuple(self.run(reply.id) for _ in range(chance.randrange(3)))
        final = [Lifecycle.ERROR, Lifecycle.CANCELED, *([] if reply is None else [Lifecycle.SUCCEEDED])]
        earlier = tuple(self.message(chance.choice((Role.ASSISTANT, Role.USER))) for _ in range(chance.randrange(3)))
        pair = Pair(
            id=new_id(),
            conversation_id=conversation_id,
            position=position,
            request=request,
            reply=reply,
            model=self.model(),
            lifecycle=chance.choice(final),
            created_at=self.moment(),
            updated_at=self.moment(),
            agent_id=self.maybe(new_id()),
            stars=chance.randrange(4),
            flagged=chance.random() < 0.5,
            mark=self.maybe(chance.choice(list(Mark))),
            parameters=self.parameters(),
            run_id=runs[-1].id if runs else None,
            version=len(earlier) + 1,
            versions=len(earlier) + 1,
        )
        versions = tuple(
            VersionRecord(
                number, request.id, message.id, None, self.model(), self.parameters(), None, self.maybe(self.words()),
                chance.choice(final), self.moment(),
            )
            for number, message in enumerate(earlier, start=1)
        )  # fmt: skip
        snapshot = None
        if runs and chance.random() < 0.3:
            headers = (("content-type", "application/json"), ("x", self.words()))
            body = bytes(chance.choices(range(256), k=40))
            snapshot = SnapshotRecord(runs[-1].id, self.model(), "h", "https://x/y", headers, body, self.moment())
        return PairRecord(pair, earlier, versions, runs, snapshot)

    def conversation(self) -> Made:
        chance = self.chance
        made = Conversation(
            id=new_id(),
            owner=LOCAL_OWNER,
            created_at=self.moment(),
            updated_at=self.moment(),
            title=self.words(),
            titled_by_model=chance.random() < 0.5,
            kind=chance.choice(list(ConversationKind)),
            status=chance.choice(list(ConversationStatus)),
            ticked_tools=chance.choice(((), ("clock", "draw"))),
            agent_id=self.maybe(self.words()),
            model=self.maybe(self.model()),
            system_prompt=self.words(),
            parameters=replace(self.parameters(), reply_schema=None),
            retry_policy=chance.choice(list(RetryPolicy)),
            filter=chance.choice(("", "s>=2 !e", "t'AI...' | r3")),
            tool_mode=chance.choice(list(ToolMode)),
            checkpoint=self.maybe(Checkpoint(self.words(), chance.randrange(1, 50))),
        )
        positions = sorted(chance.sample(range(1, 60), chance.choice((0, 1, 2, 4, 7))))
        paths = (None, ("AI",), ("AI", "Planning"), ("Straße", "é", "🙂"))
        nodes = [
            NodeRecord(new_id(), position, chance.choice(list(Role)), {"note": self.words()}, self.moment())
            for position in sorted(chance.sample(range(60), chance.randrange(3)))
        ]
        return Made(
            made,
            tuple(self.record(made.id, position) for position in positions),
            tuple(chance.choice(paths) for _ in positions),
            tuple(nodes),
        )
