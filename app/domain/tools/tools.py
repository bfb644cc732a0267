"""Tools: the functions that a model can call, and the outcome of a call.

A tool is built in or belongs to an MCP server. The model calls it by its `name`, which depends only on the names of the
server and of the tool. So the same servers give the same request in any process, whatever their order.

    >>> wire_name("files", "read_file")
    'files__read_file'

Not here: permissions (`permissions.py`), and making the calls (`app/tools`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.parts import File, Image, Text
from app.domain.errors import InviewError

BUILT_IN = "built-in"
"""The server id of built-in tools, which belong to no server."""
MAX_NAME = 64
"""Maximum characters of a tool's name for models. Anthropic and OpenAI accept the characters `A-Z a-z 0-9 _ -`."""
MAX_SERVER_NAME = 32

_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_SERVER_NAME = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")

ToolContent = Text | Image | File


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be called.

    - `name`: its name for models, unique over all servers.
    - `tool_name`: the name that the server uses.
    - `read_only`: the server's claim that the tool changes nothing. It is a hint for a person, never a permission.
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
    """The result of a tool call. `is_error`: the tool itself reported a failure, which the content describes.

    `attachments` are the bytes of the images and files in the content.
    """

    content: tuple[ToolContent, ...]
    structured_json: str | None = None
    is_error: bool = False
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """The origin of a tool call: its owner, and the ids of conversation, pair, run and call. Unknown fields are ""."""

    owner: str
    conversation_id: str = ""
    pair_id: str = ""
    run_id: str = ""
    tool_call_id: str = ""


class ToolFault(StrEnum):
    """The reason why a tool call gave no result."""

    GONE = "gone"
    """The tool no longer exists."""
    CHANGED = "changed"
    """The tool differs from the one that was allowed."""
    UNAVAILABLE = "unavailable"
    """The server is not running and could not be started."""
    DIED = "died"
    """The server ended during the call."""
    TIMED_OUT = "timed_out"
    PROTOCOL = "protocol"
    """The server's answer was invalid, or the server refused the call."""
    REFUSED = "refused"
    """Inview refused the call, for example because of the address."""
    TOO_LARGE = "too_large"
    """The answer was larger than allowed."""


class ToolFailedError(InviewError):
    """Error: a tool call gave no result.

    The message names the tool and the fault. `next_step` is the next step for a person.
    """

    def __init__(self, fault: ToolFault, message: str, next_step: str) -> None:
        super().__init__(f"{message} {next_step}")
        self.fault = fault
        self.message = message
        self.next_step = next_step


def changed_tool(tool: Tool) -> ToolFailedError:
    """Return the error for a tool call that was not made, because the tool changed after the call was allowed."""
    return ToolFailedError(
        ToolFault.CHANGED,
        (
            f'"{tool.tool_name}" of "{tool.server_name}" was changed after this call was allowed, so the call was '
            "not made."
        ),
        "Call the tool again to request permission for its new version.",
    )


def wire_name(server_name: str, tool_name: str) -> str:
    """Return the name of a tool for models, made from the names of its server and of the tool.

    If models do not accept this name, its invalid characters are replaced, and it is shortened. To remain unique, it
    then ends with a part of the hash of the original name.
    """
    whole = f"{server_name}__{tool_name}"
    if len(whole) <= MAX_NAME and not _OTHER.search(whole):
        return whole
    mark = sha256(whole.encode()).hexdigest()[:8]
    return f"{_OTHER.sub('_', whole)[: MAX_NAME - 9]}_{mark}"


def is_server_name(name: str) -> bool:
    """Return true if a server can have this name: letters and digits, with single hyphens or underscores between them.

    A double underscore is not allowed, because it separates the names of the server and the tool.
    """
    return len(name) <= MAX_SERVER_NAME and _SERVER_NAME.fullmatch(name) is not None


def order_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Sort tools: built-in ones first, then by server and name.

    If tools have the same name, only the first is returned.
    """
    ordered = sorted(tools, key=lambda tool: (tool.server_id != BUILT_IN, tool.server_name, tool.tool_name))
    return tuple({tool.name: tool for tool in reversed(ordered)}.values())[::-1]
