"""The view of a recorded provider call: what it contained, and its usage and cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.request.request import RequestMessage, ToolDefinition, WireRole
from app.domain.request.sent_pieces import SentPiece
from app.views.conversation.parts import PartView, describe_parts
from app.views.request.preview import ToolView
from app.views.usage.usage import SpentView


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessageView:
    """A message of a recorded call.

    - `hash`: the SHA-256 of its role and parts. Equal messages have equal hashes in all calls.
    - `content_length`: the number of characters that the model reads in it.
    - `parts`: null: the text was deleted permanently, or it is the draft of a token count.
    """

    role: WireRole
    hash: str
    content_length: int
    has_tool_calls: bool
    parts: tuple[PartView, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPieceView:
    """A piece of a recorded call before its messages: `parameters`, `system` or `tools`.

    `hash` is the SHA-256 of its text, `length` the number of characters of its text.
    """

    role: str
    hash: str
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCallView(SpentView):
    """The recorded content of a provider call, with its usage and cost.

    - `content_hash`: the content hash of the whole request.
    - `pieces`: the hashes of the parameters, the system text and the tools, as far as the request had them.
    - `parameters`, `system`, `tools`: their contents; null: the request had none, or they were deleted permanently.
    - `messages`: all messages of the request.
    """

    id: str
    conversation_id: str
    pair_id: str
    run_id: str
    attempt: int
    purpose: str
    model: str
    outcome: Lifecycle
    started_at: datetime
    ended_at: datetime
    content_hash: str
    pieces: tuple[SentPieceView, ...]
    parameters: dict[str, Any] | None
    system: str | None
    tools: tuple[ToolView, ...] | None
    messages: tuple[SentMessageView, ...]


def describe_sent_message(piece: SentPiece, message: RequestMessage | None) -> SentMessageView:
    """Convert a message of a recorded call for the HTTP API. `message` is None if its text is not stored."""
    return SentMessageView(
        role=cast("WireRole", piece.role),
        hash=piece.hash,
        content_length=piece.length,
        has_tool_calls=piece.has_tool_calls,
        parts=None if message is None else describe_parts(message.parts),
    )


def describe_sent_piece(piece: SentPiece) -> SentPieceView:
    """Convert a piece before the messages for the HTTP API."""
    return SentPieceView(role=piece.role, hash=piece.hash, length=piece.length)


def describe_sent_tools(tools: tuple[ToolDefinition, ...] | None) -> tuple[ToolView, ...] | None:
    """Convert the tools of a recorded call for the HTTP API."""
    if tools is None:
        return None
    return tuple(ToolView(tool.name, tool.description, tool.input_schema_json) for tool in tools)
