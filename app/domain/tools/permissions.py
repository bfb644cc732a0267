"""Permissions: decide if a tool call is allowed, needs a person's permission, or is refused.

A call is allowed by a rule (a permission that a person gave earlier), by an entry of the agent's list with `ask` off,
or by Inview itself for two built-in tools that only read. The claims of a server about its tools, such as "read-only",
allow nothing. All other calls need a person's permission: see `permission_requests.py`.

    >>> query = PermissionQuery("srv1", "read_file", "f00d", {"path": "/notes/today.md"})
    >>> decide(query, None, ())
    Ask()
    >>> rule = Rule("r1", "srv1", "read_file", "f00d", (ArgumentPattern("path", "/notes/*"),))
    >>> decide(query, None, (rule,))
    Allow(by='rule', rule_id='r1')

Not here: asking a person, and the answer (`runs/tools/permissions.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Literal, cast
from unicodedata import normalize
from urllib.parse import unquote

from app.domain.text.invisible import INVISIBLE
from app.domain.tools.tools import BUILT_IN, Tool


@dataclass(frozen=True, slots=True)
class ArgumentPattern:
    """A condition for one argument: a pattern of its value, with `*` for any text (see `covers_value`)."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True)
class AllowedTool:
    """An entry of an agent's list of allowed tools: the tools of one server whose names and arguments match patterns.

    `ask`: each call still needs a person's permission, unless one of the person's rules covers it. The server is
    identified by its id and never by a pattern, because another server may have a tool with the same name.
    """

    server_id: str
    tool: str
    arguments: tuple[ArgumentPattern, ...] = ()
    ask: bool = True


class PermissionScope(StrEnum):
    """The scope of a person's permission: this tool call, the conversation, all calls of the agent, or always."""

    ONCE = "once"
    CONVERSATION = "conversation"
    AGENT = "agent"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Rule:
    """A person's permission for one tool in its current version: in one conversation, for one agent, or always.

    `tool_name` is a name, never a pattern. `fingerprint` identifies the version. `conversation_id` None: all
    conversations. `agent_id` None: all agents, and calls without an agent.
    """

    id: str
    server_id: str
    tool_name: str
    fingerprint: str
    arguments: tuple[ArgumentPattern, ...] = ()
    conversation_id: str | None = None
    agent_id: str | None = None

    @property
    def scope(self) -> PermissionScope:
        if self.conversation_id is not None:
            return PermissionScope.CONVERSATION
        return PermissionScope.ALWAYS if self.agent_id is None else PermissionScope.AGENT


@dataclass(frozen=True, slots=True)
class PermissionQuery:
    """The properties of a tool call on which its permission depends.

    `conversation_id` is the conversation that shows the permission request (`PermissionRequest.shown_in`). `agent_id`
    is the agent that makes the call; None: no agent.
    """

    server_id: str
    tool_name: str
    fingerprint: str
    arguments: Mapping[str, Any]
    conversation_id: str = ""
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Allow:
    """The decision that a tool call is allowed: `by` a rule, by the agent's list, or by Inview for a built-in tool."""

    by: Literal["rule", "agent", "built-in"]
    rule_id: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """The decision that a person must be asked about a tool call."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The decision that a tool call is refused without asking a person: the agent's list does not include it."""

    reason: str


Decision = Allow | Ask | Refuse

UNASKED: Final = frozenset({"current_time", "search_conversations"})
"""Built-in tools that need no permission: they change nothing and send nothing to other servers.

Their results can leave Inview only in a request to the chosen model, or through another tool, which needs a permission.
"""


def decide(query: PermissionQuery, allowed: tuple[AllowedTool, ...] | None, rules: Iterable[Rule]) -> Decision:
    """Decide whether a tool call is allowed, needs a person's permission, or is refused.

    `allowed` is the agent's list of allowed tools; None if the agent has no list. `rules` are the person's rules.
    """
    covering = None if allowed is None else [entry for entry in allowed if _has(entry, query)]
    if covering == []:
        return Refuse(f'The agent may not make this call of "{query.tool_name}": its allowed tools do not include it.')
    if covering and not all(entry.ask for entry in covering):
        return Allow("agent")
    if query.server_id == BUILT_IN and query.tool_name in UNASKED:
        return Allow("built-in")
    rule = next((rule for rule in rules if covers(rule, query)), None)
    return Ask() if rule is None else Allow("rule", rule.id)


def covers(rule: Rule, query: PermissionQuery) -> bool:
    """Return true if a rule covers a call.

    The tool is the same and unchanged, and the arguments, the conversation and the agent match.
    """
    return (
        (rule.server_id, rule.tool_name, rule.fingerprint) == (query.server_id, query.tool_name, query.fingerprint)
        and rule.conversation_id in {None, query.conversation_id}
        and rule.agent_id in {None, query.agent_id}
        and covers_arguments(rule.arguments, query.arguments)
    )


def fingerprint(tool: Tool) -> str:
    """Return a hash that identifies the version of a tool.

    A permission is for one version of a tool: a changed tool needs a new permission.
    """
    seen = [tool.server_id, tool.tool_name, tool.title, tool.description, tool.input_schema_json, tool.read_only]
    return sha256(json.dumps(seen).encode("utf-8", "surrogatepass")).hexdigest()


def covers_arguments(patterns: tuple[ArgumentPattern, ...], arguments: Mapping[str, Any]) -> bool:
    """Return true if the arguments of a tool call match the patterns. Without patterns, all arguments match.

    Each pattern must match, and each argument needs a pattern. Otherwise an unexpected argument, or a default that the
    tool uses for a missing one, could bypass the limits that the patterns set.
    """
    met = all(
        covers_value(each.pattern, arguments[each.name]) if each.name in arguments else each.pattern == "*"
        for each in patterns
    )
    return met and (not patterns or arguments.keys() <= {each.name for each in patterns})


def covers_value(pattern: str, value: Any) -> bool:
    """Return true if an argument matches a pattern.

    The pattern `*` matches any value. In every other pattern, `*` matches any sequence of characters, `[*]` a star, and
    each other character only itself: upper and lower case differ. Such a pattern matches a list if the list has items
    and all items match. It never matches an object. Numbers, true, false and null are compared as JSON text. A text
    that a tool may read differently than a person (see `is_evasive`) must be equal to the pattern: a `*` in the pattern
    does not match it.

        >>> covers_value("/notes/*", "/notes/a.md"), covers_value("/notes/*", "/notes/../etc/passwd")
        (True, False)
    """
    if pattern == "*":
        return True
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return bool(items) and all(covers_value(pattern, item) for item in items)
    if isinstance(value, dict):
        return False
    text = value if isinstance(value, str) else json.dumps(value)
    pieces = _cut(pattern)
    if len(pieces) == 1:
        return text == pieces[0]
    return not is_evasive(text) and _matches(pieces, text)


def is_evasive(text: str) -> bool:
    """Return true if a tool may read a text differently than the author of a pattern.

    This is so if the text contains a control character or an invisible character, two consecutive dots, an escaped
    percent sign ("%25"), or escapes that are invalid UTF-8. An escaped form of these counts too, and so do
    characters that programs treat as equal to them (NFKC).

        >>> is_evasive("/notes/%2e%2e/etc"), is_evasive("/notes/\u2025/etc"), is_evasive("/notes/a.md")
        (True, True, False)
    """
    if "%25" in text:
        return True
    read = unquote(text)
    if read.count(_REPLACED) > text.count(_REPLACED):
        return True
    return any(".." in one or INVISIBLE.search(one) for one in map(_normalize, (text, read)))


def covers_name(pattern: str, name: str) -> bool:
    """Return true if a tool's name matches a pattern: `*` matches any sequence of characters, `[*]` a star."""
    pieces = _cut(pattern)
    return name == pieces[0] if len(pieces) == 1 else _matches(pieces, name)


def literal(text: str) -> str:
    """Return a pattern that matches exactly this text: a star in it stands for itself.

    >>> literal("rm *")
    'rm [*]'
    """
    return text.replace("*", "[*]")


_REPLACED = "\N{REPLACEMENT CHARACTER}"
_STAR = re.compile(r"\[\*\]|\*")


def _normalize(text: str) -> str:
    return normalize("NFKC", text)


def _has(entry: AllowedTool, query: PermissionQuery) -> bool:
    return (
        entry.server_id == query.server_id
        and covers_name(entry.tool, query.tool_name)
        and covers_arguments(entry.arguments, query.arguments)
    )


def _cut(pattern: str) -> list[str]:
    """Return the literal texts between the stars of a pattern."""
    pieces, end = [""], 0
    for star in _STAR.finditer(pattern):
        pieces[-1] += pattern[end : star.start()]
        end = star.end()
        if star.group() == "*":
            pieces.append("")
        else:
            pieces[-1] += "*"
    pieces[-1] += pattern[end:]
    return pieces


def _matches(pieces: list[str], text: str) -> bool:
    """Return true if the text begins with the first piece, ends with the last, and has the others between in order.

    Each piece is searched for after the previous one, so a match is fast for every pattern.
    """
    first, *inner, last = pieces
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for piece in inner:
        place = text.find(piece, place, end)
        if place < 0:
            return False
        place += len(piece)
    return True
