"""The bodies of requests. They are strict: an unknown field is refused, not ignored.

Not the shapes of answers (`app/views`) and not the rules behind them (the commands check those).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from app.api.http.patterns import MODEL, NOT_BLANK, REASONS, SHA256, TOOL_NAME
from app.api.http.problems import refuse_field
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.conversation.uploads import MAX_ATTACHED
from app.domain.filters.parser.lexer import MAX_LENGTH
from app.domain.people.tokens import MAX_DAYS
from app.domain.preferences import OverBudget
from app.domain.structured.structured import write_schema
from app.runs import first_send
from app.runs.request.attachments import Attached
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.send.structured_replies import require_schema
from app.runs.transfer.exports.bulk import MAX_CONVERSATIONS
from app.runs.uploads import load_attached
from app.runs.workbench import current

MAX_BODY = 16 * 1024 * 1024
"""Bytes of a body at most: more words than the largest window of today holds."""
MAX_TITLE = 300
MAX_TICKED = 1_000

_WRITTEN_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]")

_CHOICES = {"cancel": OverBudget.ASK, "fit": OverBudget.FIT, "force": OverBudget.FORCE}

Title = Annotated[str, Field(max_length=MAX_TITLE, description="One line. Empty: none yet.")]
SystemPrompt = Annotated[str, Field(description="Sent before all pairs, as it stands.")]
ModelName = Annotated[
    str,
    Field(
        pattern=MODEL,
        max_length=300,
        description="`provider:model`, as in `GET /models`.",
        examples=["offline:demo"],
    ),
]  # fmt: skip
FilterLine = Annotated[
    str,
    Field(
        max_length=MAX_LENGTH, description="A filter, as in `docs/filters.md`. Empty: all pairs.", examples=["s>=2 !e"]
    ),
]


def _require_written(value: Any) -> Any:
    if not isinstance(value, str) or not _WRITTEN_TIME.match(value):
        raise ValueError("a time is written with date, time of day and zone, as in 2026-01-31T12:00:00Z")
    return value


def take_whole(value: Any) -> Any:
    """The number as an integer if it is one to JSON Schema, which counts 7.0 as such."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# JSON Schema's integer: 7.0 is one too. Bounds come first, so that OpenAPI has them.
Days = Annotated[int, Field(ge=1, le=MAX_DAYS), BeforeValidator(take_whole)]
OutputTokens = Annotated[int, Field(ge=1, le=10_000_000), BeforeValidator(take_whole)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1), BeforeValidator(take_whole)]
# Without this a number would be taken for seconds since 1970, which the description does not say.
Instant = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_require_written)]
TopicId = Annotated[str, Field(max_length=64, description="The topic chosen, by its id: what a bare `t` means.")]
Standing = Annotated[
    int | None,
    Field(ge=1, le=1_000_000, description="The version that was seen. If another one stands there, nothing is done."),
]
ZoneName = Annotated[
    str,
    Field(max_length=64, description="Where calendar days begin and end: a time zone.", examples=["Europe/Berlin"]),
]

OverBudgetChoice = Annotated[
    Literal["cancel", "fit", "force"] | None,
    Field(
        description="What becomes of pairs in view that do not fit: nothing is sent, they are left out, or they are "
        "sent all the same. Without it, what the preferences say."
    ),
]

ToolName = Annotated[str, Field(pattern=TOOL_NAME, max_length=64)]
TickedTools = Annotated[
    list[ToolName],
    Field(
        max_length=MAX_TICKED,
        description="The tools that go along in `manual` mode, by name. One not there now waits for its server.",
    ),
]


Selection = Annotated[
    str | None,
    Field(
        max_length=200,
        description="The `selection` of a preview, a list of pairs or a problem, handed back. If other pairs would be "
        "sent than were counted there, nothing is sent: the problem `selection-changed` has the new figures.",
    ),
]


JsonSchema = dict[str, Any]
ReplySchema = Annotated[
    JsonSchema,
    Field(
        description="A JSON schema that the reply is asked to fit (`stream_object`): how far it does, "
        "`GET /pairs/{id}/structured` says. Not every model takes one.",
        examples=[{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}],
    ),
]


def choice_of(word: Literal["cancel", "fit", "force"] | None) -> OverBudget | None:
    """The choice that a body names."""
    return None if word is None else _CHOICES[word]


def require_content(text: str, attachments: Sequence[str]) -> None:
    """Refuse a draft that has neither a text nor anything attached.

    Raises:
        ApiProblemError: it is blank.
    """
    if not attachments and not re.search(NOT_BLANK, text):
        refuse_field("text", REASONS[NOT_BLANK])


async def ask_for(asked: Parameters | None, reply_schema: JsonSchema | None) -> Parameters | None:
    """These parameters with a schema for the reply, if there is one.

    Raises:
        InputError: it is no schema that can be used.
    """
    if reply_schema is None:
        return asked
    schema = write_schema(reply_schema)
    await require_schema(schema)
    return replace(asked or Parameters(), reply_schema=schema)


class Body(BaseModel):
    """Base of all bodies."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ParametersBody(Body):
    """How the model is asked. What is left out is left to the provider."""

    temperature: float | None = Field(None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    max_output_tokens: OutputTokens | None = None
    seed: Seed | None = None
    effort: Literal["low", "medium", "high"] | None = None
    thinking: bool | None = None

    def to_domain(self) -> Parameters:
        return Parameters(
            temperature=self.temperature,
            top_p=self.top_p,
            max_output_tokens=self.max_output_tokens,
            seed=self.seed,
            effort=None if self.effort is None else Effort(self.effort),
            thinking=self.thinking,
        )


NOTHING_ASKED = ParametersBody.model_validate({})
UsualParameters = Annotated[
    ParametersBody,
    Field(
        description="How its models are asked where a send says nothing else; replaced as a whole. What a model does "
        "not take is left out, and `notices` say so."
    ),
]
RetryPolicyName = Annotated[
    RetryPolicy,
    Field(
        strict=False,
        description="When a call that failed before its first token is made again: after waits that double, after "
        "equal ones, or not at all.",
    ),
]
MAX_COPIED = 10_000
PairName = Annotated[str, Field(min_length=1, max_length=64)]
AgentChoice = Annotated[str, Field(max_length=64, description='An agent, by its id; "": none.')]


class NewConversation(Body):
    """A conversation to be. Without `agent_id`, that of the chat used last answers."""

    title: Title = ""
    model: ModelName | None = None
    system_prompt: SystemPrompt = ""
    parameters: UsualParameters = NOTHING_ASKED
    retry_policy: RetryPolicyName = RetryPolicy.EXPONENTIAL
    agent_id: AgentChoice | None = None
    temporary: bool = Field(
        default=False,
        description="Nothing of it is written to the disk: it is kept in memory until it is deleted or Inview ends. "
        "What its calls used stands in the ledger, without a word of it.",
    )


class ConversationOfPairs(NewConversation):
    """A conversation to be, and the pairs that it begins with copies of."""

    pairs: list[PairName] = Field(
        default_factory=list[str],
        max_length=MAX_COPIED,
        description="It begins with copies of these pairs of yours, by their ids, in the order in which they were "
        "first sent. Each copy knows its source (`GET /pairs/{id}/source`) and stays as it is if that is "
        "changed or deleted.",
    )


class ChangedConversation(Body):
    """What is to be different. What is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # The factories are never looked at: only the fields that were sent are. None would have to be allowed by the type.
    title: Title = Field(default_factory=str)
    model: ModelName = Field(default_factory=str)
    system_prompt: SystemPrompt = Field(default_factory=str)
    parameters: UsualParameters = NOTHING_ASKED
    retry_policy: RetryPolicyName = RetryPolicy.EXPONENTIAL
    filter: FilterLine = Field(default_factory=str)
    agent_id: AgentChoice = Field(default_factory=str)
    tool_mode: Literal["auto", "cached", "all-on", "all-off", "manual"] = Field(
        default_factory=lambda: "cached", description="Which tools the model is told of."
    )
    ticked_tools: TickedTools = Field(default_factory=list[str])
    pinned: bool = Field(default=False, description="It is listed above all others.")
    archived: bool = Field(default=False, description="The list has it elsewhere. It is not pinned any more.")
    folder_id: str = Field(default_factory=str, max_length=64, description='The folder it is in; "": in none.')
    unread: bool = Field(default=False, description="The list marks it as having a new reply.")


class ConversationsToExport(Body):
    """Which conversations become one file, and what it is written as."""

    conversation_ids: list[Annotated[str, Field(max_length=64)]] = Field(min_length=1, max_length=MAX_CONVERSATIONS)
    format: Literal["json", "md", "html"] = "json"


class Sending(Body):
    """How something would be sent. Without `model` and `agent_id`, the conversation's own."""

    model: ModelName | None = None
    agent_id: AgentChoice | None = Field(None, description="Who answers this once, with the model it has, if it has.")
    parameters: ParametersBody | None = None
    filter: FilterLine | None = Field(None, description="Which pairs are in view. Without it, the conversation's own.")
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(None, description="When ages are read. Without it, now.")
    over_budget: OverBudgetChoice = None
    reply_schema: ReplySchema | None = Field(None, alias="schema")

    def view_options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of, agent=self.agent_id)

    def choice(self) -> OverBudget | None:
        return choice_of(self.over_budget)

    async def asked(self) -> Parameters | None:
        return await ask_for(None if self.parameters is None else self.parameters.to_domain(), self.reply_schema)


AttachmentId = Annotated[str, Field(pattern=SHA256)]
Attachments = Annotated[
    list[AttachmentId],
    Field(
        max_length=MAX_ATTACHED,
        description="Images and files that go with the text, in this order: ids that `POST /attachments` answered, or "
        "those of images and files in messages.",
    ),
]


class DraftToPreview(Sending):
    """A draft as far as it is written, and how it would be sent."""

    text: str = Field("", description="May be blank: then the request holds the history alone.")
    attachments: Attachments = Field(default_factory=list[str])

    async def attached(self, owner: str) -> Attached:
        return await load_attached(current(), owner, self.attachments)


SentText = Annotated[
    str, Field(description="Sent character for character. May be blank, or left out, where something is attached.")
]


class WholeDraft(DraftToPreview):
    """A draft that can be sent: it has a text, or something attached, or both."""

    text: SentText = ""

    async def attached(self, owner: str) -> Attached:
        require_content(self.text, self.attachments)
        return await super().attached(owner)


class DraftToSend(WholeDraft):
    """A draft, and how it is to be sent. Without `model`, the conversation's own."""

    selection: Selection = None


class FirstDraft(NewConversation):
    """A draft, and the conversation that it begins: `model`, `agent_id` and `parameters` are that conversation's."""

    text: SentText = ""
    attachments: Attachments = Field(default_factory=list[str])
    topic: TopicId | None = None
    over_budget: OverBudgetChoice = None
    reply_schema: ReplySchema | None = Field(None, alias="schema")

    async def attached(self, owner: str) -> Attached:
        require_content(self.text, self.attachments)
        return await load_attached(current(), owner, self.attachments)

    async def asked(self) -> Parameters | None:
        return await ask_for(None, self.reply_schema)

    def begins(self) -> first_send.NewConversation:
        return first_send.NewConversation(
            title=self.title,
            model=self.model,
            agent_id=self.agent_id,
            temporary=self.temporary,
            system_prompt=self.system_prompt,
            parameters=self.parameters.to_domain(),
            retry_policy=self.retry_policy,
        )
