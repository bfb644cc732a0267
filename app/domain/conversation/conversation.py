"""Conversations contain pairs, pairs contain messages, messages contain parts. All are immutable values.

A pair is one user request and its reply. Tool calls and their results are parts of the reply. A pair does not store its
tokens, its cost and whether it is sent: other modules compute these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parts import Part
from app.domain.errors import Failure
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage


class Role(StrEnum):
    """The author or purpose of a message.

    Only messages with the role `system`, `user`, `assistant` or `tool` are sent to a provider.
    """

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
    """The kind of a conversation.

    - `agent`: a person's chat.
    - `tool`: one child call, such as a title or a delegated task.
    """

    AGENT = "agent"
    TOOL = "tool"


class ConversationStatus(StrEnum):
    """The status of a conversation.

    A person's chat is always `active`. A child call is active while it runs, then completed or failed.
    """

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class ToolMode(StrEnum):
    """The inclusion mode of a conversation: the rule that selects the tools of a send."""

    AUTO = "auto"
    CACHED = "cached"
    ALL_ON = "all-on"
    ALL_OFF = "all-off"
    MANUAL = "manual"


class Mark(StrEnum):
    """The tag that a user gives a pair: `in` (“include”) or `out` (“exclude”). It is one of the marks of a pair.

    Only filters use the tag; without a filter it has no effect on a send.
    """

    IN = "in"
    OUT = "out"

    @property
    def tag(self) -> str:
        """The name of the tag on the screen."""
        return "include" if self is Mark.IN else "exclude"


class Effort(StrEnum):
    """The reasoning effort of a model."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The options of a request to a model. A value of None means the provider's default.

    Some providers require `max_output_tokens`. If it is None, their adapter uses the model's limit. `reply_schema` is
    the JSON schema, as text, that the reply must match (`domain/structured/structured_replies.py`).
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
    """An immutable message of a conversation. While a reply is streaming, its message is replaced by longer ones.

    - `metadata_json`: a JSON object of the program that added the message, "" for none (`metadata.py`).
    """

    id: str
    role: Role
    parts: tuple[Part, ...]
    created_at: datetime
    metadata_json: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A secret that redaction replaced by a placeholder.

    - `pair_id`: the pair of the secret; None if it was in the draft or in the system text.
    - `place`: where the secret was: `system`, `request`, `reply`, `tool_call` or `tool_result`.
    - `kind`: the kind of secret.
    """

    kind: str
    place: str
    pair_id: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One request and its reply.

    - `position`: orders the pairs of a conversation, from 1.
    - `version`, `versions`: the number of the current version, and the number of all versions. A pair that was sent
      again has several.
    - `agent`: the agent's name at the time of the request.
    - `redacted`: the secrets that redaction replaced in the request of the reply.
    - `damage`: unreadable values. A pair with damage is not sent.
    - `usage_is_partial`: a field of the provider's report was no valid count, so the real usage is `usage` or more.
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
    """One version of a pair: the messages of one send.

    - `number`: the number of the send, from 1.
    - `standing`: True for the current version, which is sent.
    - `damage`: unreadable values. If a version with damage is restored, its pair is not sent.
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
    """The summary that is sent instead of the older pairs: those with a position lower than `position`.

    The older pairs are OUT.
    """

    summary: str
    position: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """The properties of a conversation, without its pairs.

    - `model`: the chosen model, as "provider:model".
    - `parent_id`, `fork_pair_id`: for a fork, its parent and the last pair of the parent that it copied.
    - `parameters`: the parameters that a send uses unless it sets others.
    - `retry_policy`, `retry_limits`: when and how often a failed call is repeated.
    - `middleware`: the middleware that its requests pass.
    - `metadata_json`: a JSON object of a program, "" for none (`metadata.py`).
    - `folder_id`: its folder (`folders.py`), None for none.
    - `ticked_tools`: the names of the tools that are sent in `manual` mode, in alphabetical order.
    - `titled_by_model`: a model wrote the title, so a later title can replace it. A person's title is never replaced.
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
    retry_limits: RetryLimits = USUAL_RETRIES
    middleware: MiddlewareChoices = USUAL_MIDDLEWARE
    metadata_json: str = ""
    folder_id: str | None = None
    damage: tuple[Damage, ...] = ()
