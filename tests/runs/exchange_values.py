"""Conversations with values of every kind, drawn by hypothesis."""

from __future__ import annotations

import string
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

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
from app.domain.conversation.metadata import encode_metadata
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, Failure
from app.domain.retry_policy import MOST_RETRIES, RetryLimits, RetryPolicy
from app.domain.run.rounds import Round
from app.domain.run.run import Retry
from app.domain.stream.stream_events import StopReason
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.transfer.records import NodeRecord, PairRecord, RunRecord, SnapshotRecord, VersionRecord
from app.domain.usage import Usage
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from tests.store.values import parts, words

moments = st.datetimes(datetime(1970, 1, 2), datetime(2999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - bounds
names = st.text(string.ascii_letters + " *'\"", min_size=1, max_size=12).filter(lambda name: name.strip() == name)
topic_paths = st.lists(names, min_size=1, max_size=3).map(tuple)
models = st.sampled_from(["offline:demo", "anthropic:claude", "my-server:a b:c"])
counts = st.integers(0, 2**40)
failures = st.builds(Failure, st.sampled_from(ErrorClass), words, words, st.none() | st.floats(0, 1e6, allow_nan=False))
usages = st.builds(Usage, counts, counts, counts, counts, counts, counts)
pair_ids = st.none() | st.builds(new_id)
parameters = st.builds(
    Parameters,
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0, 1),
    max_output_tokens=st.none() | st.integers(1, 10**6),
    seed=st.none() | st.integers(0, 2**31),
    effort=st.none() | st.sampled_from(Effort),
    thinking=st.none() | st.booleans(),
)
retry_limits = st.builds(RetryLimits, st.none() | st.integers(0, MOST_RETRIES), st.none() | st.floats(0.1, 300))
middleware = st.builds(MiddlewareChoices, st.booleans(), st.none() | st.booleans())
metadata = st.dictionaries(words, words | st.integers(0, 9), max_size=2).map(
    lambda one: encode_metadata("metadata", one)
)


def a_message(role: Role) -> st.SearchStrategy[Message]:
    several = st.lists(parts, max_size=4).map(tuple)
    return st.builds(Message, st.builds(new_id), st.just(role), several, moments, metadata)


@st.composite
def tool_call_records(draw: st.DrawFn, number: int) -> ToolCallRecord:
    maybe = st.none() | words
    return ToolCallRecord(
        f"call {number}", number, draw(words), draw(words), draw(moments), draw(maybe), draw(maybe), draw(maybe),
        draw(maybe), draw(maybe), draw(st.none() | moments), draw(moments), draw(st.booleans()),
        draw(st.none() | st.sampled_from(CallFault)), draw(maybe), draw(st.none() | st.just((Text("x"),))),
    )  # fmt: skip


@st.composite
def runs(draw: st.DrawFn, reply_id: str) -> RunRecord:
    outcome = draw(st.sampled_from([Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED]))
    return RunRecord(
        id=new_id(),
        reply_id=reply_id,
        model=draw(models),
        request_hash=draw(words),
        outcome=outcome,
        attempt=draw(st.integers(1, 4)),
        attempt_started_at=draw(moments),
        started_at=draw(moments),
        ended_at=draw(st.none() | moments),
        retries=tuple(draw(st.lists(st.builds(Retry, st.integers(1, 3), st.floats(0, 10), failures), max_size=2))),
        usage=draw(st.none() | usages),
        stop_reason=draw(st.sampled_from(StopReason)) if outcome is Lifecycle.SUCCEEDED else None,
        failure=draw(failures) if outcome is Lifecycle.ERROR else None,
        rounds=(Round(1, None),),
        tool_calls=tuple(draw(tool_call_records(number)) for number in range(1, draw(st.integers(1, 3)))),
        sent=draw(st.none() | st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), max_size=3).map(tuple)),
        prelude=draw(st.none() | words),
        redacted=draw(st.none() | st.lists(st.builds(Replaced, words, words, pair_ids), max_size=2).map(tuple)),
    )


@st.composite
def records(draw: st.DrawFn, conversation_id: str, position: int) -> PairRecord:
    reply = draw(st.none() | a_message(Role.ASSISTANT))
    pair_runs = () if reply is None else tuple(draw(st.lists(runs(reply.id), max_size=2)))
    final = [Lifecycle.ERROR, Lifecycle.CANCELED, *([] if reply is None else [Lifecycle.SUCCEEDED])]
    request = draw(a_message(Role.USER))
    pair = Pair(
        id=new_id(),
        conversation_id=conversation_id,
        position=position,
        request=request,
        reply=reply,
        model=draw(models),
        lifecycle=draw(st.sampled_from(final)),
        created_at=draw(moments),
        updated_at=draw(moments),
        agent_id=draw(st.none() | words),
        stars=draw(st.integers(0, 3)),
        flagged=draw(st.booleans()),
        mark=draw(st.none() | st.sampled_from(Mark)),
        parameters=draw(parameters),
        run_id=pair_runs[-1].id if pair_runs else None,
        version=draw(st.integers(1, 3)),
        versions=3,
    )
    messages = tuple(draw(st.lists(a_message(Role.ASSISTANT), max_size=2)))
    versions = tuple(
        VersionRecord(
            number, request.id, message.id, None, draw(models), draw(parameters), None, draw(st.none() | words),
            draw(st.none() | st.sampled_from(final)), draw(moments),
        )
        for number, message in enumerate(messages, start=1)
    )  # fmt: skip
    snapshot = None
    if pair_runs and draw(st.booleans()):
        header = st.tuples(words, words)
        snapshot = SnapshotRecord(
            pair_runs[-1].id, draw(models), draw(words), draw(words),
            tuple(draw(st.lists(header, max_size=2))), draw(st.binary(max_size=40)), draw(moments),
        )  # fmt: skip
    return PairRecord(pair, messages, versions, pair_runs, snapshot)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Conversation, list[PairRecord], list[NodeRecord], list[Any]]:
    conversation = Conversation(
        id=new_id(),
        owner=LOCAL_OWNER,
        created_at=draw(moments),
        updated_at=draw(moments),
        title=draw(words),
        kind=draw(st.sampled_from(ConversationKind)),
        status=draw(st.sampled_from(ConversationStatus)),
        agent_id=draw(st.none() | words),
        model=draw(st.none() | models),
        system_prompt=draw(words),
        filter=draw(st.sampled_from(["", "s>=2 !e", "t'AI...' | r3"])),
        tool_mode=draw(st.sampled_from(ToolMode)),
        retry_policy=draw(st.sampled_from(RetryPolicy)),
        retry_limits=draw(retry_limits),
        middleware=draw(middleware),
        metadata_json=draw(metadata),
        checkpoint=draw(st.none() | st.builds(Checkpoint, words, st.integers(1, 50))),
    )
    positions = sorted(draw(st.sets(st.integers(1, 50), max_size=5)))
    of_pairs = [draw(records(conversation.id, position)) for position in positions]
    nodes = [
        NodeRecord(new_id(), position, draw(st.sampled_from(Role)), {"note": draw(words)}, draw(moments))
        for position in sorted(draw(st.sets(st.integers(0, 50), max_size=2)))
    ]
    return conversation, of_pairs, nodes, [draw(st.none() | topic_paths) for _ in positions]
