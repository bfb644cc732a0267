"""The nouns: conversations hold pairs, pairs hold messages, messages hold parts. All immutable values.

A pair is one user request and everything that answered it; tool calls and their results are parts of the reply. What
a pair is worth (tokens, cost) and whether it is sent are derived elsewhere, never kept here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import Failure
from app.domain.stream_events import StopReason
from app.domain.usage import Usage


class Role(StrEnum):
    """Who speaks in a message. The last six are never sent to a provider."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM_TITLE = "system-title"
    TITLE = "title"
    SYSTEM_SUMMARY = "system-summary"
    SUMMARY = "summary"
    ACCOUNTING = "accounting"
    KEEP_WARM = "keep-warm"


NEVER_SENT = frozenset(
    {Role.SYSTEM_TITLE, Role.TITLE, Role.SYSTEM_SUMMARY, Role.SUMMARY, Role.ACCOUNTING, Role.KEEP_WARM}
)


class ConversationKind(StrEnum):
    """`agent`: a person's chat. `tool`: one derived interaction (title, summary, extraction, delegated work)."""

    AGENT = "agent"
    TOOL = "tool"


class ConversationStatus(StrEnum):
    """Where a conversation as a whole stands; a person's chat stays `active`."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class ToolMode(StrEnum):
    """Which tools a send carries."""

    AUTO = "auto"
    CACHED = "cached"
    ALL_ON = "all-on"
    ALL_OFF = "all-off"
    MANUAL = "manual"


class Mark(StrEnum):
    """Tag of a pair, set by the user. Only filters use it; a send does not depend on it."""

    IN = "in"
    OUT = "out"

    @property
    def tag(self) -> str:
        """The word that the screen shows for it."""
        return "include" if self is Mark.IN else "exclude"


class Effort(StrEnum):
    """How hard a reasoning model should think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Parameters:
    """How a model is asked. None leaves a parameter to the provider.

    `max_output_tokens` is required by some providers; their adapter takes the model's own limit then.
    `reply_schema` is the JSON schema, as text, that the reply is asked to fit (`domain/structured/structured.py`).
    """

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    effort: Effort | None = None
    thinking: bool | None = None
    reply_schema: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """An immutable record. Only the reply being streamed is replaced by a longer version of itself."""

    id: str
    role: Role
    parts: tuple[Part, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Replaced:
    """A secret that a mark stands for. `place` is `system`, `request`, `reply`, `tool_call` or `tool_result`.

    `pair_id` None: in the draft, or in what stands before all pairs.
    """

    kind: str
    place: str
    pair_id: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One request and everything that answered it. `position` orders the pairs of a conversation, from 1.

    A pair that was sent again has other `versions`; this one is number `version` of them. `agent` is the name that
    the agent had then. `redacted` lists what marks replaced in the request that its reply answers. With `damage`
    it is not sent: something of it cannot be read. `usage_is_partial`: its provider reported something that is no
    count, so that it used `usage` at least.
    """

    id: str
    conversation_id: str
    position: int
    request: Message
    reply: Message | None
    model: str
    lifecycle: Lifecycle
    created_at: datetime
    updated_at: datetime
    agent_id: str | None = None
    agent: str | None = None
    topic: str | None = None
    stars: int = 0
    flagged: bool = False
    mark: Mark | None = None
    failure: Failure | None = None
    stop_reason: StopReason | None = None
    usage: Usage | None = None
    parameters: Parameters = field(default_factory=Parameters)
    run_id: str | None = None
    version: int = 1
    versions: int = 1
    replayed: bool = False
    redacted: tuple[Replaced, ...] = ()
    damage: tuple[Damage, ...] = ()
    usage_is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """Messages of a pair at its `number`th send. `standing`: it has them now, and they are sent.

    `damage` is what of it cannot be read: restored, it is not sent.
    """

    number: int
    standing: bool
    request: Message
    reply: Message | None
    model: str
    parameters: Parameters
    lifecycle: Lifecycle
    failure: Failure | None
    usage: Usage | None
    run_id: str | None
    created_at: datetime
    damage: tuple[Damage, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An active summary: pairs before `position` are OUT, the summary stands for them."""

    summary: str
    position: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is known of a conversation besides its pairs. `model` is the one chosen now, as "provider:model".

    A fork has its `parent_id`, and the last pair of that parent that it has a copy of.
    `parameters` are how its models are asked where a send says nothing else, `retry_policy` when again after a failure.
    `ticked_tools` are the names of those that go along in `manual` mode, in alphabetical order.
    `titled_by_model`: the title is one that a model made, which another may replace. A person's own is never replaced.
    """

    id: str
    owner: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    kind: ConversationKind = ConversationKind.AGENT
    status: ConversationStatus = ConversationStatus.ACTIVE
    agent_id: str | None = None
    model: str | None = None
    system_prompt: str = ""
    filter: str = ""
    tool_mode: ToolMode = ToolMode.CACHED
    parent_id: str | None = None
    trigger_message_id: str | None = None
    temporary: bool = False
    checkpoint: Checkpoint | None = None
    fork_pair_id: str | None = None
    titled_by_model: bool = False
    ticked_tools: tuple[str, ...] = ()
    parameters: Parameters = field(default_factory=Parameters)
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    damage: tuple[Damage, ...] = ()
