"""The bodies of requests. They are strict: an unknown field is refused, not ignored.

The bodies of conversations are in `conversation_bodies.py`, the bodies of answers in `app/views`. Rules that a type
cannot express are checked by the commands.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from app.api.http.patterns import MODEL, NOT_BLANK, TOOL_NAME, UPLOAD_ID
from app.domain.attachments.uploads import MAX_ATTACHED
from app.domain.cache.keep_alive import MAX_MINUTES
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.metadata import MAX_METADATA_BYTES, MAX_METADATA_DEPTH, encode_metadata
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.filters.language.lexer import MAX_LENGTH
from app.domain.settings.preferences import OverBudget
from app.domain.structured.structured_replies import write_schema
from app.runs.app_context import current
from app.runs.attachments.uploads import load_attached
from app.runs.child_calls.summaries import Extent
from app.runs.request.attachments import AttachedParts
from app.runs.resend.resend import Later, Seen
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.send.structured_replies import require_schema

MAX_BODY = 16 * 1024 * 1024
"""Maximum bytes of a body. This is more text than fits into the largest window of today's models."""

_FIRST_YEAR, _LAST_YEAR = 1900, 9000
_WRITTEN_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]")

_CHOICES = {"cancel": OverBudget.ASK, "fit": OverBudget.FIT, "force": OverBudget.FORCE}

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
        raise ValueError("write a time with date, time of day and time zone, such as 2026-01-31T12:00:00Z")
    return value


def _require_near(at: datetime) -> datetime:
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise ValueError(f"write a time between the years {_FIRST_YEAR} and {_LAST_YEAR}")
    return at


# A time in the year 1 or 9999 would overflow in another time zone.
# Without this check, pydantic would accept a number as seconds since 1970, which the OpenAPI description does not
# mention.
Instant = Annotated[
    AwareDatetime, Field(strict=False), BeforeValidator(_require_written), AfterValidator(_require_near)
]
TopicId = Annotated[str, Field(max_length=64, description="The id of the topic that a `t` without a name means.")]
SeenVersion = Annotated[
    int | None,
    Field(
        ge=1,
        le=1_000_000,
        description="The number of the version that you saw. If the pair shows another version, nothing is changed.",
    ),
]
ZoneName = Annotated[
    str,
    Field(max_length=64, description="The time zone in which calendar days begin and end.", examples=["Europe/Berlin"]),
]

OverBudgetWord = Literal["cancel", "fit", "force"]
OverBudgetChoice = Annotated[
    OverBudgetWord | None,
    Field(
        description="The action if pairs in view do not fit: send nothing, leave pairs out, or send all anyway. "
        "Default: the value in the preferences."
    ),
]

ToolName = Annotated[str, Field(pattern=TOOL_NAME, max_length=64)]


Selection = Annotated[
    str | None,
    Field(
        max_length=200,
        description="The `selection` of a preview, a list of pairs or a problem. If the pairs to send have "
        "changed since then, nothing is sent, and the problem `selection-changed` has the new numbers.",
    ),
]


JsonSchema = dict[str, Any]


def choice_of(word: OverBudgetWord) -> OverBudget:
    """Convert a word of a request body to the choice that it names for a send that exceeds its budget."""
    return _CHOICES[word]


class Body(BaseModel):
    """The base class of all request bodies."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ParametersBody(Body):
    """Parameters for the model. Without a parameter, the default of the provider applies."""

    temperature: float | None = Field(None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    max_output_tokens: int | None = Field(None, ge=1, le=10_000_000)
    seed: int | None = Field(None, ge=0, le=2**31 - 1)
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
Metadata = Annotated[
    dict[str, Any],
    Field(
        description=f"A free JSON object of the client, at most {MAX_METADATA_BYTES:,} bytes and {MAX_METADATA_DEPTH} "
        "levels. Models never get it."
    ),
]
AgentChoice = Annotated[str, Field(max_length=64, description='The id of an agent; "": no agent.')]


class SendOptions(Body):
    """The options of any send, to one model or to several."""

    model: ModelName | None = None
    agent_id: AgentChoice | None = Field(
        None, description="The id of the agent that answers this send only. Its model is used, if it has one."
    )
    parameters: ParametersBody | None = None
    filter: FilterLine | None = Field(
        None, description="The filter that selects the pairs in view. Default: the filter of the conversation."
    )
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(
        None,
        description="The time from which ages in a filter are measured, and that the text about the user has. "
        "Default: now.",
    )
    reply_schema: JsonSchema | None = Field(
        None,
        alias="schema",
        description="A JSON schema that the reply must match (`stream_object`). `GET /pairs/{id}/structured` "
        "returns the result of the check. Not every model accepts one.",
        examples=[{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}],
    )

    def options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of, agent=self.agent_id)

    async def send_parameters(self) -> Parameters | None:
        parameters = None if self.parameters is None else self.parameters.to_domain()
        if self.reply_schema is None:
            return parameters
        schema = write_schema(self.reply_schema)
        await require_schema(schema)
        return replace(parameters or Parameters(), reply_schema=schema)


class Sending(SendOptions):
    """The options of a send to one model.

    Without `model`, the conversation's model is used; without `agent_id`, its agent.
    """

    over_budget: OverBudgetChoice = None

    def choice(self) -> OverBudget | None:
        return None if self.over_budget is None else choice_of(self.over_budget)


AttachmentId = Annotated[str, Field(pattern=UPLOAD_ID)]
Attachments = Annotated[
    list[AttachmentId],
    Field(
        max_length=MAX_ATTACHED,
        description="The images and files to send with the text, in this order: each an `upload_id` or `id` from `POST "
        "/attachments`, or the id of an image or a file in a message.",
    ),
]


class Attaching(Body):
    """The attachments of a draft."""

    attachments: Attachments = Field(default_factory=list[str])

    async def attached(self, owner: str) -> AttachedParts:
        return await load_attached(current(), owner, self.attachments)


class DraftToPreview(Sending, Attaching):
    """An unfinished draft, and the options of its send."""

    text: str = Field("", description="The draft. May be blank: then the request holds only the history.")

    async def request(self, owner: str) -> SendRequest:
        """Return the draft as a request, with its attachments loaded."""
        parameters = await self.send_parameters() or NO_PARAMETERS
        return SendRequest(self.text, self.options(), parameters, self.choice(), attached=await self.attached(owner))


class DraftToSend(DraftToPreview):
    """A draft, and the options of its send. Without `model`, the conversation's model is used."""

    text: str = Field(pattern=NOT_BLANK, description="The text, sent unchanged. Not blank, and at most 1 MiB.")
    selection: Selection = None

    async def request(self, owner: str) -> SendRequest:
        return replace(await super().request(owner), selection=self.selection)


class MessageToSend(DraftToSend):
    """A draft that is sent now, with the metadata of its request."""

    metadata: Metadata = Field(default_factory=dict[str, Any])

    async def request(self, owner: str) -> SendRequest:
        return replace(await super().request(owner), metadata_json=encode_metadata("metadata", self.metadata))


class SeenBefore(Body):
    """The version of a pair and the number of its later pairs, as the client saw them before it resends the pair."""

    standing: SeenVersion = None
    later_count: int | None = Field(
        None, ge=0, le=2**53 - 1, description="The number of later pairs that you saw. Only these are discarded."
    )

    def seen(self) -> Seen:
        return Seen(self.standing, self.later_count)


class PairToResend(Sending, SeenBefore):
    """The options for sending a pair again. Without `text`, the text of the pair is used.

    Without `later`, the pair must be the newest one of its conversation.
    """

    text: str | None = Field(None, pattern=NOT_BLANK, description="The new text of the request. Not blank.")
    selection: Selection = None
    later: Later | None = Field(
        None,
        strict=False,
        description="The action for the later pairs: keep them, delete them (`undo` restores them), or leave this "
        "conversation unchanged and send in a new one with copies of the earlier pairs.",
    )


class PairToPreview(Sending):
    """The options for a preview of sending a pair again. Without `text`, the text of the pair is used."""

    text: str | None = Field(None, pattern=NOT_BLANK, description="The new text of the request. Not blank.")


class KeptToResend(SeenBefore):
    """The options for sending the stored request of a failed pair again."""

    later: Literal["keep", "discard"] | None = Field(
        None, description="The action for the later pairs: keep them, or delete them (`undo` restores them)."
    )
    over_budget: Literal["cancel", "force"] | None = Field(
        None,
        description="The action if the stored request does not fit: send nothing, or send it anyway. Default: the "
        "value in the preferences; `fit` there sends nothing, because no pair of a stored request can be left out.",
    )

    def choice(self) -> OverBudget | None:
        return None if self.over_budget is None else choice_of(self.over_budget)

    def choice_for_later(self) -> Later | None:
        return None if self.later is None else Later(self.later)


class ToSummarise(Sending):
    """The pairs to summarise: by default, the older pairs in view that do not fit into the budget together with `text`.

    With `everything` or `up_to`, pairs that fit are summarised too.
    """

    text: str = Field("", description="The draft that must fit together with the newer pairs.")
    everything: bool = Field(
        default=False, description="Whether to summarise all pairs in view, including those that fit."
    )
    up_to: int | None = Field(
        None,
        ge=1,
        le=2**53 - 1,
        description=(
            "The position of the last pair to summarise. All pairs in view up to it are summarised, including "
            "those that fit."
        ),
    )

    def extent(self) -> Extent:
        return Extent(self.everything, self.up_to)


class ToTitle(Body):
    """The view options of a request for a title. Without `model`, the conversation's model writes the title."""

    model: ModelName | None = None
    filter: FilterLine | None = Field(
        None, description="The filter that selects the pairs in view. Default: the filter of the conversation."
    )
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(None, description="The time from which ages in a filter are measured. Default: now.")

    def options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)


class ToKeepWarm(Body):
    """The duration of a cache keep-alive, and the options of the send whose prefix it keeps cached."""

    minutes: int = Field(ge=1, le=MAX_MINUTES, description="The duration in minutes, from now.")
    model: ModelName | None = None
    filter: FilterLine | None = Field(
        None, description="The filter that selects the pairs in view. Default: the filter of the conversation."
    )
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE

    def options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone)


class ChangedCheckpoint(Body):
    """The new text of a checkpoint."""

    summary: str = Field(
        pattern=NOT_BLANK,
        max_length=200_000,
        description="The summary. It is sent instead of the pairs that it summarises.",
    )
    position: int | None = Field(
        None,
        ge=1,
        le=2**53 - 1,
        description="The pair before which the checkpoint is placed. Default: its present place.",
    )


class VersionToRestore(Body):
    """The version that becomes the current one of a pair."""

    version: int = Field(ge=1, le=1_000_000)
    standing: SeenVersion = None
