"""The bodies of requests that create or change a conversation, with its retries and its middleware."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from app.api.http.bodies import (
    NOTHING_ASKED,
    AgentChoice,
    Body,
    FilterLine,
    Metadata,
    ModelName,
    ParametersBody,
    ToolName,
)
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.retry_policy import (
    LEAST_BACKOFF,
    LONGEST_BACKOFF,
    MAX_BACKOFF,
    MAX_RETRIES,
    MOST_RETRIES,
    RetryLimits,
    RetryPolicy,
)

MAX_TITLE = 300
MAX_TICKED = 1_000

Title = Annotated[str, Field(max_length=MAX_TITLE, description="The title, on one line. Empty: no title yet.")]
SystemPrompt = Annotated[str, Field(description="The system prompt, sent unchanged before all pairs. At most 1 MiB.")]
TickedTools = Annotated[
    list[ToolName],
    Field(
        max_length=MAX_TICKED,
        description=(
            "The names of the tools that are sent in `manual` mode. A tool whose server is not connected is sent "
            "once it is."
        ),
    ),
]
UsualParameters = Annotated[
    ParametersBody,
    Field(
        description="The default parameters of its sends; replaced as a whole. Parameters that a model does not accept "
        "are left out, and `notices` lists them."
    ),
]
RetryPolicyName = Annotated[
    RetryPolicy,
    Field(
        strict=False,
        description="How a call that failed before its first token is retried: with exponential backoff, at a fixed "
        "interval, or not at all.",
    ),
]


class RetryLimitsBody(Body):
    """The maximum number of retries of a call, and the longest wait before one."""

    max_retries: int | None = Field(
        None, ge=0, le=MOST_RETRIES, description=f"The maximum number of retries; null: {MAX_RETRIES}."
    )
    max_backoff_seconds: float | None = Field(
        None,
        ge=LEAST_BACKOFF,
        le=LONGEST_BACKOFF,
        description=f"The longest wait before a retry in seconds; null: {MAX_BACKOFF:g}.",
    )

    def to_domain(self) -> RetryLimits:
        return RetryLimits(self.max_retries, self.max_backoff_seconds)


USUAL_LIMITS = RetryLimitsBody.model_validate({})
RetryLimitsField = Annotated[
    RetryLimitsBody,
    Field(description="The limits of retries; replaced as a whole. A provider's `Retry-After` is obeyed all the same."),
]


class MiddlewareBody(Body):
    """The middleware of a conversation: what changes its requests before they are sent."""

    user_context: bool = Field(
        default=True, description="Whether requests carry the text about the user, as the preferences set it."
    )
    redaction: bool | None = Field(None, description="Whether secrets are redacted; null: as the preferences say.")

    def to_domain(self) -> MiddlewareChoices:
        return MiddlewareChoices(self.user_context, self.redaction)


USUAL_CHOICES = MiddlewareBody.model_validate({})
MiddlewareField = Annotated[
    MiddlewareBody, Field(description="The middleware of the conversation; replaced as a whole. A preview shows it.")
]
FolderChoice = Annotated[str, Field(max_length=64, description='The id of a folder; "": no folder.')]


class NewConversation(Body):
    """A new conversation. Without `agent_id`, the agent of the most recently changed chat answers."""

    title: Title = ""
    model: ModelName | None = None
    system_prompt: SystemPrompt = ""
    parameters: UsualParameters = NOTHING_ASKED
    retry_policy: RetryPolicyName = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimitsField = USUAL_LIMITS
    middleware: MiddlewareField = USUAL_CHOICES
    metadata: Metadata = Field(default_factory=dict[str, Any])
    agent_id: AgentChoice | None = None
    folder_id: FolderChoice = ""
    temporary: bool = Field(
        default=False,
        description="Whether the conversation is temporary: it is never written to the disk and is kept in memory "
        "until it is deleted or Inview ends. The ledger records the usage of its calls, but none of its text.",
    )


class ChangedConversation(Body):
    """The new values of a conversation. A missing field is not changed."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only fields that were sent are read, so these defaults are never used. A default of None would have to be in the
    # type.
    title: Title = Field(default_factory=str)
    model: ModelName = Field(default_factory=str)
    system_prompt: SystemPrompt = Field(default_factory=str)
    parameters: UsualParameters = NOTHING_ASKED
    retry_policy: RetryPolicyName = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimitsField = USUAL_LIMITS
    middleware: MiddlewareField = USUAL_CHOICES
    metadata: Metadata = Field(default_factory=dict[str, Any])
    filter: FilterLine = Field(default_factory=str)
    agent_id: AgentChoice = Field(default_factory=str)
    folder_id: FolderChoice = Field(default_factory=str)
    tool_mode: Literal["auto", "cached", "all-on", "all-off", "manual"] = Field(
        default_factory=lambda: "cached", description="Which tools are sent to the model."
    )
    ticked_tools: TickedTools = Field(default_factory=list[str])
