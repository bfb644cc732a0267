"""Records of pairs for export, import and copies: everything that is stored about a pair except its position.

Ledger rows are never included: they are records of calls that this installation made.

    >>> fresh = NewIds(iter(["n1", "n2"]).__next__)
    >>> fresh("old"), fresh("other"), fresh("old")
    ('n1', 'n2', 'n1')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.domain.attachments.attachments import list_named
from app.domain.conversation.conversation import Message, Pair, Parameters, Replaced, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Part, Text, ToolResult
from app.domain.errors import Failure
from app.domain.run.rounds import Round
from app.domain.run.run import Retry
from app.domain.stream.stream_events import StopReason
from app.domain.tools.tool_records import ToolCallRecord
from app.domain.tools.tools import ToolContent
from app.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of a run, the work of getting one reply.

    - `outcome`: None if the run has not ended.
    - `sent`: the pairs in the run's request, as ranges of positions, both ends included; None if they are unknown.
    - `replay_of`: the run whose stored reply was used instead of a call.
    - `prelude`: the text about the person in the request.
    - `redacted`: the secrets that redaction replaced in the request; None if redaction was off.
    """

    id: str
    reply_id: str
    model: str
    request_hash: str
    outcome: Lifecycle | None
    attempt: int
    attempt_started_at: datetime
    started_at: datetime
    ended_at: datetime | None
    retries: tuple[Retry, ...] = ()
    usage: Usage | None = None
    report_fault: str | None = None
    stop_reason: StopReason | None = None
    failure: Failure | None = None
    sent: tuple[tuple[int, int], ...] | None = None
    replay_of: str | None = None
    rounds: tuple[Round, ...] = ()
    tool_calls: tuple[ToolCallRecord, ...] = ()
    prelude: str | None = None
    redacted: tuple[Replaced, ...] | None = None


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """The exact request of a failed reply. Secrets in it are masked."""

    run_id: str
    model: str
    content_hash: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version of a pair that was sent more than once. If `lifecycle` is None, this is the current version."""

    number: int
    request_id: str
    reply_id: str | None
    run_id: str | None
    model: str
    parameters: Parameters
    agent_id: str | None
    agent: str | None
    lifecycle: Lifecycle | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node: a line that the page shows between pairs, for a title call, a summary call or an accounting node.

    It is never sent to a provider. `data` has the content that its `role` needs.
    """

    id: str
    after_position: int
    role: Role
    data: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A pair with everything that belongs to it. `messages` are the messages of its earlier versions."""

    pair: Pair
    messages: tuple[Message, ...] = ()
    versions: tuple[VersionRecord, ...] = ()
    runs: tuple[RunRecord, ...] = ()
    snapshot: SnapshotRecord | None = None


@dataclass(slots=True)
class NewIds:
    """A source of new ids. Called with an old id, it returns a new one, and always the same one for this old id."""

    make: Callable[[], str]
    known: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, old: str) -> str:
        if old not in self.known:
            self.known[old] = self.make()
        return self.known[old]


def renew(record: PairRecord, conversation_id: str, fresh: NewIds) -> PairRecord:
    """Return a copy of the pair for another conversation, with new ids."""
    pair = record.pair
    for run in record.runs:  # runs with equal times are sorted by id, so the new ids are made in the order of the runs
        fresh(run.id)
    return PairRecord(
        pair=replace(
            pair,
            id=fresh(pair.id),
            conversation_id=conversation_id,
            request=replace(pair.request, id=fresh(pair.request.id)),
            reply=None if pair.reply is None else replace(pair.reply, id=fresh(pair.reply.id)),
            run_id=None if pair.run_id is None else fresh(pair.run_id),
        ),
        messages=tuple(replace(message, id=fresh(message.id)) for message in record.messages),
        versions=tuple(
            replace(
                version,
                request_id=fresh(version.request_id),
                reply_id=None if version.reply_id is None else fresh(version.reply_id),
                run_id=None if version.run_id is None else fresh(version.run_id),
            )
            for version in record.versions
        ),
        runs=tuple(_renew_run(run, fresh) for run in record.runs),
        snapshot=None if record.snapshot is None else replace(record.snapshot, run_id=fresh(record.snapshot.run_id)),
    )


def _renew_run(run: RunRecord, fresh: NewIds) -> RunRecord:
    redacted = None
    if run.redacted is not None:
        places = tuple(None if one.pair_id is None else fresh(one.pair_id) for one in run.redacted)
        redacted = tuple(replace(one, pair_id=place) for one, place in zip(run.redacted, places, strict=True))
    return replace(run, id=fresh(run.id), reply_id=fresh(run.reply_id), redacted=redacted)


def relabel(record: PairRecord, labels: Mapping[str, Image | File]) -> PairRecord:
    """Return the pair with corrected images and files. An import file may describe them wrongly.

    `labels` maps the id of stored bytes to the correct image or file, which was computed from these bytes.
    """
    if labels.keys().isdisjoint(list_attachments(record)):
        return record
    pair = record.pair
    return replace(
        record,
        pair=replace(
            pair,
            request=_relabel_message(pair.request, labels),
            reply=None if pair.reply is None else _relabel_message(pair.reply, labels),
        ),
        messages=tuple(_relabel_message(message, labels) for message in record.messages),
        runs=tuple(
            replace(run, tool_calls=tuple(_relabel_call(call, labels) for call in run.tool_calls))
            for run in record.runs
        ),
    )


def list_attachments(record: PairRecord) -> Iterator[str]:
    """Yield the ids of the images and files of a pair, in its current and earlier messages and its tool calls."""
    for message in (record.pair.request, record.pair.reply, *record.messages):
        if message is not None:
            yield from list_named(message.parts)
    for run in record.runs:
        for call in run.tool_calls:
            yield from list_named(call.content or ())


def _relabel_message(message: Message, labels: Mapping[str, Image | File]) -> Message:
    return replace(message, parts=tuple(_relabel_part(part, labels) for part in message.parts))


def _relabel_call(call: ToolCallRecord, labels: Mapping[str, Image | File]) -> ToolCallRecord:
    if call.content is None:
        return call
    return replace(call, content=tuple(_relabel_piece(piece, labels) for piece in call.content))


def _relabel_part(part: Part, labels: Mapping[str, Image | File]) -> Part:
    match part:
        case Image() | File():
            return _relabel_named(part, labels)
        case ToolResult():
            return replace(part, content=tuple(_relabel_piece(piece, labels) for piece in part.content))
        case _:
            return part


def _relabel_piece(piece: ToolContent, labels: Mapping[str, Image | File]) -> ToolContent:
    return piece if isinstance(piece, Text) else _relabel_named(piece, labels)


def _relabel_named(part: Image | File, labels: Mapping[str, Image | File]) -> Image | File:
    label = labels.get(part.attachment_id, part)
    return replace(label, name=part.name) if isinstance(label, File) and isinstance(part, File) else label


def forget_sent(record: PairRecord) -> PairRecord:
    """Return the pair without `RunRecord.sent` in its runs.

    After an export or a copy, the positions in `sent` may be wrong.
    """
    return replace(record, runs=tuple(replace(run, sent=None) for run in record.runs))
