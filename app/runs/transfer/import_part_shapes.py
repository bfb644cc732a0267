"""Building blocks of the import schema: ids, times and counts as a file writes them, and the parts of a message.

    TextShape.model_validate({"type": "text", "text": "Hello"})

Not here: the schemas that use these (`import_shapes.py`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass
from app.domain.stream.stream_events import StopReason

MAX_ID = 64
_LARGEST = 2**53


def _require_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("write a time as text, such as 2026-01-31T12:00:00Z")  # noqa: TRY004 - for pydantic: ValueError
    return value


def _require_our_times(at: datetime) -> datetime:
    if not 1970 <= at.year < 3000:  # an export writes 1970 for a time that could not be read
        raise ValueError("a time must be between the years 1970 and 2999")
    return at.astimezone(UTC)


Id = Annotated[str, Field(min_length=1, max_length=MAX_ID)]
Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_require_text), AfterValidator(_require_our_times)]
Model = Annotated[str, Field(pattern=r"^[^:]+:.+$", max_length=300)]
Count = Annotated[int, Field(ge=0, le=_LARGEST)]
Position = Annotated[int, Field(ge=1, le=_LARGEST)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Shape(BaseModel):
    """Base class of all schemas of a file. A schema is strict and refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TextShape(Shape):
    type: Literal["text"]
    text: str


class ThinkingShape(Shape):
    type: Literal["thinking"]
    text: str
    signature: str | None = None
    vendor: str | None = None
    redacted: bool = False


class ImageShape(Shape):
    type: Literal["image"]
    attachment_id: str
    media_type: str
    width: Count = 0
    height: Count = 0


class FileShape(Shape):
    type: Literal["file"]
    attachment_id: str
    media_type: str
    name: str


class TextFileShape(Shape):
    type: Literal["text_file"]
    name: str
    text: str


class ToolCallShape(Shape):
    type: Literal["tool_call"]
    tool_call_id: str
    name: str
    input_json: str = ""
    complete: bool = True


class ToolResultShape(Shape):
    type: Literal["tool_result"]
    tool_call_id: str
    content: list[Annotated[TextShape | ImageShape | FileShape, Field(discriminator="type")]]
    is_error: bool = False
    seconds: Seconds | None = None
    denied: bool = False


PartShape = Annotated[
    TextShape | ThinkingShape | ImageShape | FileShape | TextFileShape | ToolCallShape | ToolResultShape,
    Field(discriminator="type"),
]
# In a file, the values of these enums are texts, but strict validation would accept only members of the enums.
RoleName = Annotated[Role, Field(strict=False)]
LifecycleName = Annotated[Lifecycle, Field(strict=False)]
StopReasonName = Annotated[StopReason, Field(strict=False)]
ErrorName = Annotated[ErrorClass, Field(strict=False)]
