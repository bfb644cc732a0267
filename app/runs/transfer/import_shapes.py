"""The schema of a file to be imported, field by field.

The schema is strict: an unknown field would be lost, so it is refused. A file can be written by hand, because every
field except the texts may be left out.

    PairShape.model_validate({"user_text": "Hi", "reply_text": "Hello", "model": "offline:demo"})

Not here: reading a file (`import_file.py`), and checks across values (`import_records.py`).
"""

# ruff: noqa: RUF012 - pydantic copies a default; ruff recognises a model only if its base is in the same file

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from app.domain.conversation.conversation import ConversationKind, ConversationStatus, Effort, Mark, ToolMode
from app.domain.retry_policy import LEAST_BACKOFF, LONGEST_BACKOFF, MOST_RETRIES, RetryPolicy
from app.domain.tools.tool_records import CallFault
from app.domain.usage import MAX_TOKENS
from app.runs.transfer.import_part_shapes import (
    Count,
    ErrorName,
    FileShape,
    Id,
    ImageShape,
    LifecycleName,
    Model,
    PartShape,
    Position,
    RoleName,
    Seconds,
    Shape,
    StopReasonName,
    TextShape,
    Time,
)
from app.store.database.mapping import MAX_REPLACED

MAX_CONVERSATIONS = 1_000
Tokens = Annotated[int, Field(ge=0, le=MAX_TOKENS)]


class MessageShape(Shape):
    """A message of a pair. Its text is a field of the pair; `parts` are set if the message has more than a text."""

    id: Id | None = None
    role: RoleName | None = None
    created_at: Time | None = None
    parts: list[PartShape] | None = None
    metadata: dict[str, Any] = {}


class EarlierMessageShape(Shape):
    """A message of an earlier version, with its text."""

    id: Id
    role: RoleName
    created_at: Time
    text: str
    parts: list[PartShape] | None = None
    metadata: dict[str, Any] = {}


class UsualShape(Shape):
    """The parameters of a conversation, which are the defaults for its replies."""

    temperature: Annotated[float, Field(allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(allow_inf_nan=False)] | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    effort: Annotated[Effort, Field(strict=False)] | None = None
    thinking: bool | None = None


class ParametersShape(UsualShape):
    """The parameters with which one reply was requested."""

    reply_schema: str | None = None


class FailureShape(Shape):
    error_class: ErrorName
    message: str
    next_step: str
    retry_after: Seconds | None = None
    recovered: Count = 0


class RetryShape(Shape):
    attempt: Position
    seconds: Seconds
    reason: FailureShape
    after: Count = 0


class UsageShape(Shape):
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    cache_write_1h_tokens: Tokens = 0
    reasoning_tokens: Tokens = 0


class RoundShape(Shape):
    """A provider call that ended with tool calls."""

    attempt: Position
    usage: UsageShape | None = None
    report_fault: str | None = None


class ToolCallRecordShape(Shape):
    """The record of a tool call: the input from the model and the input that was used, the result, and the times."""

    tool_call_id: Annotated[str, Field(min_length=1)]
    number: Position
    name: str
    asked_json: str
    asked_at: Time
    server_id: str | None = None
    server_name: str | None = None
    tool_name: str | None = None
    title: str | None = None
    run_json: str | None = None
    started_at: Time | None = None
    ended_at: Time | None = None
    is_error: bool = False
    fault: Annotated[CallFault, Field(strict=False)] | None = None
    structured_json: str | None = None
    content: list[Annotated[TextShape | ImageShape | FileShape, Field(discriminator="type")]] | None = None


class ReplacedShape(Shape):
    """A secret that was redacted from a request. `pair_id` is null if the secret was outside the pairs."""

    kind: str
    place: str
    pair_id: Id | None = None


class RunShape(Shape):
    """One run of a reply. `outcome` is null if the run was active when the file was written."""

    id: Id
    reply_id: Id
    model: Model
    request_hash: str
    outcome: LifecycleName | None
    attempt: Position = 1
    attempt_started_at: Time
    started_at: Time
    ended_at: Time | None = None
    retries: list[RetryShape] = []
    rounds: list[RoundShape] = []
    tool_calls: list[ToolCallRecordShape] = []
    usage: UsageShape | None = None
    report_fault: str | None = None
    stop_reason: StopReasonName | None = None
    failure: FailureShape | None = None
    sent: list[Annotated[list[Position], Field(min_length=2, max_length=2)]] | None = None
    replay_of: Id | None = None
    prelude: str | None = None
    redacted: Annotated[list[ReplacedShape], Field(max_length=MAX_REPLACED)] | None = None


class VersionShape(Shape):
    """An earlier version of a pair: its content until it was sent again."""

    number: Position
    request_id: Id
    reply_id: Id | None
    run_id: Id | None
    model: Model
    parameters: ParametersShape
    agent_id: str | None
    agent: str | None = None
    lifecycle: LifecycleName | None
    created_at: Time


class SnapshotShape(Shape):
    run_id: Id
    model: Model
    content_hash: str
    url: str
    headers: list[Annotated[list[str], Field(min_length=2, max_length=2)]]
    body_base64: str
    created_at: Time


class PairShape(Shape):
    """A pair. A file written by hand needs `user_text`, `reply_text` and `model`."""

    id: Id | None = None
    position: Position | None = None
    topic: str | None = None
    model: Model | None = None
    agent_id: str | None = None
    agent: str | None = None
    stars: Annotated[int, Field(ge=0, le=3)] = 0
    flagged: bool = False
    mark: Annotated[Mark, Field(strict=False)] | None = None
    lifecycle: LifecycleName | None = None
    parameters: ParametersShape = ParametersShape()
    user_text: str
    reply_text: str | None = None
    request: MessageShape = MessageShape()
    reply: MessageShape | None = None
    run_id: Id | None = None
    runs: list[RunShape] = []
    version: Position = 1
    versions: Position = 1
    earlier: list[VersionShape] = []
    messages: list[EarlierMessageShape] = []
    snapshot: SnapshotShape | None = None
    created_at: Time | None = None
    updated_at: Time | None = None


class NodeShape(Shape):
    id: Id
    after_position: Count
    role: RoleName
    data: dict[str, Any]
    created_at: Time


class CheckpointShape(Shape):
    """A summary that is sent instead of the pairs with a lower position."""

    summary: str
    position: Count


class DamagedShape(Shape):
    """A setting that could not be read when the file was written; the file has its default.

    `raw` is its stored form.
    """

    column: str
    reason: str
    raw: Any = None


class RetryLimitsShape(Shape):
    """The limits of the retries of a conversation. Null: the default."""

    max_retries: Annotated[int, Field(ge=0, le=MOST_RETRIES)] | None = None
    max_backoff_seconds: Annotated[float, Field(ge=LEAST_BACKOFF, le=LONGEST_BACKOFF)] | None = None


class MiddlewareShape(Shape):
    """The middleware of a conversation."""

    user_context: bool = True
    redaction: bool | None = None


class ConversationShape(Shape):
    """A conversation. A file written by hand needs `title` and `pairs`."""

    id: Id | None = None
    title: Annotated[str, Field(max_length=300)] = ""
    titled_by_model: bool = False
    kind: Annotated[ConversationKind, Field(strict=False)] = ConversationKind.AGENT
    status: Annotated[ConversationStatus, Field(strict=False)] = ConversationStatus.ACTIVE
    agent_id: str | None = None
    model: Model | None = None
    system_prompt: str = ""
    filter: str = ""
    tool_mode: Annotated[ToolMode, Field(strict=False)] = ToolMode.CACHED
    ticked_tools: list[str] = []
    parameters: UsualShape = UsualShape()
    retry_policy: Annotated[RetryPolicy, Field(strict=False)] = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimitsShape = RetryLimitsShape()
    middleware: MiddlewareShape = MiddlewareShape()
    metadata: dict[str, Any] = {}
    parent_id: str | None = None
    fork_pair_id: str | None = None
    trigger_message_id: str | None = None
    temporary: bool = False
    checkpoint: CheckpointShape | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
    pairs: list[PairShape] = []
    nodes: list[NodeShape] = []
    left_out: list[str] = []
    damaged: list[DamagedShape] = []


class TopicShape(Shape):
    path: str
    created_at: Time | None = None
    used_at: Time | None = None


class SavedFilterShape(Shape):
    name: str
    filter: str


class AttachmentShape(Shape):
    """The bytes of an image or a file. Its id is the SHA-256 of the bytes in hexadecimal."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    media_type: str
    name: str = ""
    data_base64: str


class ExportShape(Shape):
    """A whole file: its conversations, topics, saved filters and attachments."""

    format: Literal["inview"]
    version: Literal[1]
    exported_at: Time | None = None
    conversations: Annotated[list[ConversationShape], Field(max_length=MAX_CONVERSATIONS)]
    topics: list[TopicShape] = []
    filters: list[SavedFilterShape] = []
    agents: Annotated[list[Any], Field(max_length=0)] = []
    attachments: list[AttachmentShape] = []
