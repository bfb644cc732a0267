"""Conversion of an import file to records for the store: missing values are filled in, contradictions are refused.

Not here: the schema (`import_shapes.py`), checks across a whole file (`import_check.py`) and storing (`importing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from app.domain.conversation.conversation import Checkpoint, Conversation, Message, Pair, Parameters, Role
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.metadata import encode_metadata
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.conversation.parameters import require_parameters
from app.domain.conversation.parts import Part, TextFile, Thinking, ToolCall, ToolResult, plain_text
from app.domain.errors import InputError
from app.domain.retry_policy import RetryLimits
from app.domain.structured.structured_replies import read_schema
from app.domain.topics.topic_rules import TopicNames, read_path
from app.domain.transfer.records import NodeRecord, PairRecord, VersionRecord
from app.runs.transfer.export_json import text_alone
from app.runs.transfer.import_ids import Ids
from app.runs.transfer.import_part_shapes import (
    FileShape,
    ImageShape,
    PartShape,
    TextFileShape,
    TextShape,
    ThinkingShape,
    ToolCallShape,
)
from app.runs.transfer.import_runs import read_run, read_snapshot
from app.runs.transfer.import_scan import FaultError
from app.runs.transfer.import_shapes import (
    ConversationShape,
    EarlierMessageShape,
    MessageShape,
    NodeShape,
    PairShape,
    ParametersShape,
    UsualShape,
    VersionShape,
)
from app.runs.transfer.import_tools import read_content


def read_conversation(shape: ConversationShape, place: str, owner: str, now: datetime, ids: Ids) -> Conversation:
    """Convert a conversation of the import file to a value for the store, without its pairs and nodes.

    Raises:
        FaultError: its id is used twice, or a parameter cannot be used.
    """
    return Conversation(
        id=ids.take(shape.id, f"{place}.id"),
        owner=owner,
        created_at=shape.created_at or now,
        updated_at=shape.updated_at or now,
        title=shape.title,
        titled_by_model=shape.titled_by_model,
        kind=shape.kind,
        status=shape.status,
        agent_id=shape.agent_id,
        model=shape.model,
        system_prompt=shape.system_prompt,
        filter=shape.filter,
        tool_mode=shape.tool_mode,
        ticked_tools=tuple(sorted(set(shape.ticked_tools))),
        parameters=_read_usual(shape.parameters, place),
        retry_policy=shape.retry_policy,
        retry_limits=RetryLimits(**shape.retry_limits.model_dump()),
        middleware=MiddlewareChoices(**shape.middleware.model_dump()),
        metadata_json=_read_metadata(shape.metadata, f"{place}.metadata"),
        parent_id=shape.parent_id,
        fork_pair_id=shape.fork_pair_id,
        trigger_message_id=shape.trigger_message_id,
        temporary=False,  # an imported conversation is stored even if the original was temporary
        checkpoint=None if shape.checkpoint is None else Checkpoint(**shape.checkpoint.model_dump()),
    )


def read_node(shape: NodeShape, place: str, ids: Ids) -> NodeRecord:
    """Convert a node of the import file (an entry of the log between two pairs) to a record for the store.

    Raises:
        FaultError: its id is used twice.
    """
    return NodeRecord(ids.take(shape.id, f"{place}.id"), shape.after_position, shape.role, shape.data, shape.created_at)


def read_topic_path(text: str, place: str) -> TopicNames:
    """Return the names in a topic's path.

    Raises:
        FaultError: the text is not a valid path.
    """
    try:
        return read_path(text)
    except InputError as error:
        raise FaultError(place, error.reason) from error


# --- pairs ---


def read_pair(shape: PairShape, place: str, conversation: Conversation, position: int, ids: Ids) -> PairRecord:
    """Convert a pair of the import file, with its messages, runs and versions, to a record for the store.

    The caller sets the topic of the pair.

    Raises:
        FaultError: a value in it contradicts another.
    """
    model = shape.model or conversation.model
    if model is None:
        raise FaultError(f"{place}.model", "is missing here and in the conversation. Give the model that answered.")
    created = shape.created_at or conversation.created_at
    request = _read_message(shape.request, shape.user_text, f"{place}.request", Role.USER, created, ids)
    reply = None
    if shape.reply_text is not None:
        reply = _read_message(
            shape.reply or MessageShape(), shape.reply_text, f"{place}.reply", Role.ASSISTANT, created, ids
        )
    elif shape.reply is not None:
        raise FaultError(
            f"{place}.reply_text", "is null although there is a reply. Give the text of the reply; it can be empty."
        )
    runs = tuple(read_run(run, f"{place}.runs[{number}]", ids) for number, run in enumerate(shape.runs))
    if shape.run_id is not None and shape.run_id not in {run.id for run in runs}:
        raise FaultError(f"{place}.run_id", "is not one of the pair's runs.")
    pair = Pair(
        id=ids.take(shape.id, f"{place}.id"),
        conversation_id=conversation.id,
        position=position,
        request=request,
        reply=reply,
        model=model,
        lifecycle=_read_lifecycle(shape, place),
        created_at=created,
        updated_at=shape.updated_at or created,
        agent_id=shape.agent_id,
        agent=shape.agent,
        stars=shape.stars,
        flagged=shape.flagged,
        mark=shape.mark,
        parameters=_read_parameters(shape.parameters, f"{place}.parameters"),
        run_id=shape.run_id,
        version=shape.version,
        versions=shape.versions,
    )
    messages = tuple(
        _read_message(message, message.text, f"{place}.messages[{number}]", message.role, message.created_at, ids)
        for number, message in enumerate(shape.messages)
    )
    snapshot = None if shape.snapshot is None else read_snapshot(shape.snapshot, f"{place}.snapshot")
    return PairRecord(pair, messages, tuple(_read_versions(shape, place)), runs, snapshot)


def _read_lifecycle(shape: PairShape, place: str) -> Lifecycle:
    """Return the status of a pair. A reply that was running when the file was written becomes an interrupted one."""
    if shape.lifecycle is None:
        return Lifecycle.CANCELED if shape.reply_text is None else Lifecycle.SUCCEEDED
    if shape.lifecycle is Lifecycle.SUCCEEDED and shape.reply_text is None:
        raise FaultError(f"{place}.lifecycle", "is succeeded although there is no reply.")
    return Lifecycle.ERROR if shape.lifecycle in RUNNING else shape.lifecycle


def _read_message(  # noqa: PLR0913, PLR0917 - the message and the defaults of its missing fields
    shape: MessageShape | EarlierMessageShape, text: str, place: str, role: Role, created: datetime, ids: Ids
) -> Message:
    parts = text_alone(text) if shape.parts is None else tuple(map(_read_part, shape.parts))
    if plain_text(parts) != text:
        raise FaultError(f"{place}.parts", "differ from the text next to them. Both must have the same content.")
    metadata = _read_metadata(shape.metadata, f"{place}.metadata")
    return Message(ids.take(shape.id, f"{place}.id"), shape.role or role, parts, shape.created_at or created, metadata)


def _read_metadata(value: Mapping[str, Any], place: str) -> str:
    try:
        return encode_metadata("metadata", value)
    except InputError as error:
        raise FaultError(place, error.reason) from error


def _read_part(shape: PartShape) -> Part:
    match shape:
        case TextShape() | ImageShape() | FileShape():
            return read_content(shape)
        case TextFileShape():
            return TextFile(shape.name, shape.text)
        case ThinkingShape():
            return Thinking(shape.text, shape.signature, shape.vendor, shape.redacted)
        case ToolCallShape():
            return ToolCall(shape.tool_call_id, shape.name, shape.input_json, shape.complete)
        case _:
            content = tuple(map(read_content, shape.content))
            return ToolResult(shape.tool_call_id, content, shape.is_error, shape.seconds, shape.denied)


def _read_usual(shape: UsualShape, place: str) -> Parameters:
    parameters = Parameters(**shape.model_dump())
    try:
        require_parameters(parameters)
    except InputError as error:
        raise FaultError(f"{place}.{error.field}", error.reason) from error
    return parameters


def _read_parameters(shape: ParametersShape, place: str) -> Parameters:
    if shape.reply_schema is not None:
        try:
            read_schema(shape.reply_schema)
        except InputError as error:
            raise FaultError(f"{place}.reply_schema", error.reason) from error
    return Parameters(**shape.model_dump())


# --- versions ---


def _read_versions(shape: PairShape, place: str) -> Iterator[VersionRecord]:
    numbers: set[int] = set()
    for number, version in enumerate(shape.earlier):
        if version.number in numbers:
            raise FaultError(f"{place}.earlier[{number}].number", f"{version.number} occurs twice.")
        numbers.add(version.number)
        yield _read_version(version, f"{place}.earlier[{number}]")


def _read_version(shape: VersionShape, place: str) -> VersionRecord:
    return VersionRecord(
        number=shape.number,
        request_id=shape.request_id,
        reply_id=shape.reply_id,
        run_id=shape.run_id,
        model=shape.model,
        parameters=_read_parameters(shape.parameters, f"{place}.parameters"),
        agent_id=shape.agent_id,
        agent=shape.agent,
        lifecycle=shape.lifecycle,
        created_at=shape.created_at,
    )
