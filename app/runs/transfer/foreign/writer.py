"""A conversation of another application as a file in Inview's own format, which `imports/storing.py` checks and stores.

    file = write_foreign(read_chatgpt(item), "chatgpt", files, at)
    file.body       # JSON, as docs/export-format.md describes it
    file.main       # the id in it of the conversation; its branches have others

Models are called as the export calls them, under the name of the application: `chatgpt:gpt-4o`. Nothing here reaches
the ledger: no call was made here.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from app.domain.conversation.attachments import Attachment, list_named
from app.domain.conversation.branches import name_fork
from app.domain.conversation.conversation import Conversation, Message, Pair, Parameters, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.domain.errors import ErrorClass, InputError, failure
from app.domain.export import PairRecord, RunRecord, VersionRecord
from app.domain.topics.topic_rules import read_path
from app.domain.transfer.foreign import Asset, ForeignConversation, ForeignMessage, Rating
from app.domain.transfer.tree import Arranged, ForeignPair, ForeignVersion, arrange
from app.runs.process.ids import new_id
from app.runs.transfer.exports.own_json import FORMAT, VERSION, write_conversation, write_pair
from app.views.encode import to_json

MAX_MODEL: Final = 200
MISSING: Final = "images and files that the export does not hold"


@dataclass(frozen=True, slots=True)
class Files:
    """Images and files that were found. `parts` are what a message holds of each, `attachments` their bytes."""

    parts: Mapping[Asset, Part] = field(default_factory=dict[Asset, Part])
    attachments: Sequence[Attachment] = ()


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """What became of a conversation. `main` is its id in `body`, `forks` those of its branches, `pairs` counts all.

    `left_out` counts, by what it is, what has no place.
    """

    body: bytes
    main: str
    forks: tuple[str, ...]
    pairs: int
    left_out: Mapping[str, int]


def write_foreign(
    conversation: ForeignConversation, format_: str, files: Files, owner: str, at: datetime
) -> ForeignFile:
    """Return the conversation with its branches. `at` is used where the export has no time."""
    writer = _Writer(format_, files, owner, conversation.created_at or at)
    arranged = arrange(conversation)
    lacking = Counter(conversation.lacking)
    lacking["requests of branches beyond the bounds"] += arranged.left_out
    conversations = writer.write_all(conversation, arranged)
    lacking.update(writer.lacking)
    attachments = [
        {"id": one.id, "media_type": one.media_type, "name": one.name, "data_base64": b64encode(one.data).decode()}
        for one in files.attachments
        if one.id in writer.named
    ]
    body = to_json({
        "format": FORMAT, "version": VERSION, "conversations": [one for one, _ in conversations],
        "attachments": attachments,
    })  # fmt: skip
    left = {what: count for what, count in lacking.items() if count}
    forks = tuple(str(one["id"]) for one, _ in conversations[1:])
    return ForeignFile(body, writer.main, forks, sum(count for _, count in conversations), left)


class _Writer:
    def __init__(self, format_: str, files: Files, owner: str, at: datetime) -> None:
        self.format = format_
        self.files = files
        self.owner = owner
        self.at = at
        self.main = new_id()
        self.lacking: Counter[str] = Counter()
        self.named: set[str] = set()
        self.model = f"{format_}:{format_}"

    def write_all(self, source: ForeignConversation, arranged: Arranged) -> list[tuple[dict[str, object], int]]:
        main = Conversation(
            id=self.main,
            owner=self.owner,
            created_at=self.at,
            updated_at=max(source.updated_at or self.at, self.at),
            title=source.title,
            system_prompt=arranged.system_prompt,
        )
        records = [self._pair(main, pair, position) for position, pair in enumerate(arranged.main, start=1)]
        written = [self._write(main, records)]
        titles = [source.title]
        for branch in arranged.branches:
            titles.append(name_fork(source.title, titles))
            fork = replace(
                main,
                id=new_id(),
                title=titles[-1],
                parent_id=main.id,
                fork_pair_id=records[branch.shared - 1].pair.id if branch.shared else None,
            )
            pairs = [self._pair(fork, pair, position) for position, pair in enumerate(branch.pairs, start=1)]
            written.append(self._write(fork, pairs))
        return written

    def _write(self, conversation: Conversation, records: Sequence[PairRecord]) -> tuple[dict[str, object], int]:
        paths = {record.pair.topic: record.pair.topic for record in records if record.pair.topic is not None}
        pairs = [write_pair(record, paths) for record in records]
        return {**write_conversation(conversation), "pairs": pairs}, len(pairs)

    def _pair(self, conversation: Conversation, pair: ForeignPair, position: int) -> PairRecord:
        read = [self._version(one) for one in pair.versions]
        request, reply, said = read[pair.standing]
        stands = pair.versions[pair.standing]
        rating = Rating() if stands.request is None else stands.request.rating
        lifecycle = _lifecycle(reply, said)
        run = None if not said or reply is None else self._failed_run(reply, said, self._model_of(stands))
        made = Pair(
            id=new_id(),
            conversation_id=conversation.id,
            position=position,
            request=request,
            reply=reply,
            model=self._model_of(stands),
            lifecycle=lifecycle,
            created_at=request.created_at,
            updated_at=request.created_at if reply is None else max(reply.created_at, request.created_at),
            stars=rating.stars,
            flagged=rating.flagged,
            topic=_topic(rating.topic),
            run_id=None if run is None else run.id,
            version=pair.standing + 1,
            versions=len(read),
        )
        others = [one for number, one in enumerate(read) if number != pair.standing]
        return PairRecord(
            made,
            messages=tuple(message for one in others for message in one[:2] if message is not None),
            versions=self._versions(pair, read, made) if len(read) > 1 else (),
            runs=() if run is None else (run,),
        )

    def _versions(
        self, pair: ForeignPair, read: Sequence[tuple[Message, Message | None, str]], made: Pair
    ) -> tuple[VersionRecord, ...]:
        return tuple(
            VersionRecord(
                number=number + 1,
                request_id=request.id,
                reply_id=None if reply is None else reply.id,
                run_id=made.run_id if number == pair.standing else None,
                model=self._model_of(pair.versions[number]),
                parameters=Parameters(),
                agent_id=None,
                agent=None,
                lifecycle=None if number == pair.standing else _lifecycle(reply, said),
                created_at=request.created_at,
            )
            for number, (request, reply, said) in enumerate(read)
        )

    def _version(self, version: ForeignVersion) -> tuple[Message, Message | None, str]:
        """The request and the reply of a version, and why it failed, "" if it did not."""
        asked = version.request
        first = asked or (version.replies[0] if version.replies else None)
        at = self.at if first is None or first.created_at is None else first.created_at
        parts = () if asked is None else tuple(self._parts(asked))
        request = Message(new_id(), Role.USER, parts, at)
        said = next((one.failure for one in version.replies if one.failure), "")
        if not version.replies:
            return request, None, said
        ended = next((one.created_at for one in version.replies[::-1] if one.created_at is not None), at)
        replied = _link_results([part for one in version.replies for part in self._parts(one)])
        return request, Message(new_id(), Role.ASSISTANT, replied, ended), said

    def _parts(self, message: ForeignMessage) -> list[Part]:
        parts: list[Part] = []
        for part in message.parts:
            if not isinstance(part, Asset):
                parts.append(part)
            elif (found := self.files.parts.get(part)) is not None:
                parts.append(found)
                self.named.update(list_named([found]))
            else:
                self.lacking[MISSING] += 1
                parts.append(Text(f"[{part.name or 'image'}: not in the export]\n"))
        return parts

    def _model_of(self, version: ForeignVersion) -> str:
        models = [one.model for one in (*version.replies[::-1], *([version.request] if version.request else []))]
        named = next((one for one in models if one), "")
        return f"{self.format}:{' '.join(named.split())[:MAX_MODEL] or self.format}"

    def _failed_run(self, reply: Message, said: str, model: str) -> RunRecord:
        return RunRecord(
            id=new_id(),
            reply_id=reply.id,
            model=model,
            request_hash="",
            outcome=Lifecycle.ERROR,
            attempt=1,
            attempt_started_at=reply.created_at,
            started_at=reply.created_at,
            ended_at=reply.created_at,
            failure=failure(ErrorClass.UNKNOWN, said[:2_000]),
        )


def _lifecycle(reply: Message | None, said: str) -> Lifecycle:
    if said:
        return Lifecycle.ERROR
    return Lifecycle.CANCELED if reply is None else Lifecycle.SUCCEEDED


def _topic(path: str) -> str | None:
    try:
        read_path(path)
    except InputError:
        return None
    return path


def _link_results(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts with ids by which each result finds its call. A result without a call gets one before it."""
    linked: list[Part] = []
    waiting: dict[str, str] = {}
    """Calls without a result, by the ids that the export gives them."""
    for number, part in enumerate(parts):
        if isinstance(part, ToolCall):
            waiting[part.tool_call_id or f"#{number}"] = f"call_{number}"
            linked.append(replace(part, tool_call_id=f"call_{number}"))
        elif isinstance(part, ToolResult):
            known = part.tool_call_id if part.tool_call_id in waiting else next(iter(waiting), "")
            call = waiting.pop(known, "")
            if not call:
                call = f"call_{number}"
                linked.append(ToolCall(call, "tool", "{}", complete=True))
            linked.append(replace(part, tool_call_id=call))
        else:
            linked.append(part)
    return tuple(linked)
