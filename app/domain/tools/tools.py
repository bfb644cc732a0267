"""Tools: the description that a model gets, and the result of a call.

A tool is built in or belongs to an MCP server. Its `name` is what the model reads and answers with; it depends on the
names of the server and of the tool alone, so the same servers give the same request in any process, in any order.

    >>> wire_name("files", "read_file")
    'files__read_file'

Not here: who may call it (`permissions.py`), and the calling (`app/tools`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from app.domain.conversation.attachments import Attachment
from app.domain.conversation.parts import File, Image, Text
from app.domain.errors import InviewError

BUILT_IN = "built-in"
BUILT_IN_NAME = "Inview"
"""What the server of built-in tools is called where people read it."""
"""The server id of the tools that need no server."""
MAX_NAME = 64
"""Both vendors take names of so many characters, out of `A-Z a-z 0-9 _ -`."""
MAX_SERVER_NAME = 32

_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_SERVER_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")

ToolContent = Text | Image | File


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be called. `name` is unique over all servers; `tool_name` is its server's own word for it.

    `read_only` is what the server claims: a hint to a person, never a permission.
    """

    name: str
    server_id: str
    server_name: str
    tool_name: str
    title: str
    description: str
    input_schema_json: str
    read_only: bool


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave. With `is_error` the tool itself says that it failed, and the content says how.

    `attachments` are the bytes of the images and files in the content.
    """

    content: tuple[ToolContent, ...]
    structured_json: str | None = None
    is_error: bool = False
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """For whom a tool is called; what is not known is empty."""

    owner: str
    conversation_id: str = ""
    pair_id: str = ""
    run_id: str = ""
    tool_call_id: str = ""


class ToolFault(StrEnum):
    """Why a call gave nothing."""

    GONE = "gone"
    """There is no such tool any more."""
    CHANGED = "changed"
    """It is not the tool any more that was allowed."""
    UNAVAILABLE = "unavailable"
    """Its server does not run, and could not be started."""
    DIED = "died"
    """Its server ended while it was at it."""
    TIMED_OUT = "timed_out"
    PROTOCOL = "protocol"
    """Its server answered what is no answer, or refused the call."""
    REFUSED = "refused"
    """Inview itself refused: the address, say."""
    TOO_LARGE = "too_large"
    """It answered more than is taken."""


class ToolFailedError(InviewError):
    """A call gave nothing. The text says what happened and to what; `next_step` what a person can do."""

    def __init__(self, fault: ToolFault, message: str, next_step: str) -> None:
        super().__init__(f"{message} {next_step}")
        self.fault = fault
        self.message = message
        self.next_step = next_step


def changed_tool(tool: Tool) -> ToolFailedError:
    """The failure of a call of a tool that is not any more what was allowed."""
    return ToolFailedError(
        ToolFault.CHANGED,
        f'"{tool.tool_name}" of "{tool.server_name}" was changed after this call was allowed, so it was not made.',
        "Call it again: permission is asked for the tool as it is now.",
    )


def wire_name(server_name: str, tool_name: str) -> str:
    """What the model is told. A name that cannot be told as it is ends in a part of its hash instead."""
    whole = f"{server_name}__{tool_name}"
    if len(whole) <= MAX_NAME and not _OTHER.search(whole):
        return whole
    mark = sha256(whole.encode()).hexdigest()[:8]
    return f"{_OTHER.sub('_', whole)[: MAX_NAME - 9]}_{mark}"


def is_server_name(name: str) -> bool:
    """Whether a server can be called that: words of letters and digits joined by single hyphens or underscores.

    A double underscore is what parts it from the tool's name.
    """
    return len(name) <= MAX_SERVER_NAME and _SERVER_NAME.fullmatch(name) is not None


def order_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Built-in ones first, then by server and name. Of two with one name the first stays."""
    ordered = sorted(tools, key=lambda tool: (tool.server_id != BUILT_IN, tool.server_name, tool.tool_name))
    return tuple({tool.name: tool for tool in reversed(ordered)}.values())[::-1]
