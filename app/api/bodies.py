"""What programs may send: the bodies of requests, strict. A field nobody knows is refused, not ignored.

Not the shapes of answers (`app/views`) and not the rules behind them (the commands check those).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.patterns import MODEL, NOT_BLANK
from app.domain.conversation import Effort, Parameters

MAX_BODY = 16 * 1024 * 1024
"""Bytes of a body at most: more words than the largest window of today holds."""
MAX_TITLE = 300

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


class Body(BaseModel):
    """Base of all bodies."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ParametersBody(Body):
    """How the model is asked. What is left out is left to the provider."""

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


class NewConversation(Body):
    """A conversation to be."""

    title: Title = ""
    model: ModelName | None = None
    system_prompt: SystemPrompt = ""


class ChangedConversation(Body):
    """What is to be different. What is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # The factories are never looked at: only the fields that were sent are. None would have to be allowed by the type.
    title: Title = Field(default_factory=str)
    model: ModelName = Field(default_factory=str)
    system_prompt: SystemPrompt = Field(default_factory=str)


class DraftToPreview(Body):
    """A draft as far as it is written, and how it would be sent. Without `model`, the conversation's own."""

    text: str = Field("", description="May be blank: then the request holds the history alone.")
    model: ModelName | None = None
    parameters: ParametersBody | None = None


class DraftToSend(DraftToPreview):
    """A draft, and how it is to be sent. Without `model`, the conversation's own."""

    text: str = Field(pattern=NOT_BLANK, description="Sent character for character. Not blank.")
