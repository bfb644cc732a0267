"""Permissions: may this call be made, must a person be asked, or is it out of the question?

Three things allow a call: a rule a person made when asked, an entry of the agent's list that says so, and, for two of
Inview's own tools that only read, Inview itself. The hints of a server about its tools (such as read-only) allow
nothing. Everything else is asked: see `permission_requests.py`.

    >>> asked = PermissionQuery("srv1", "read_file", "f00d", {"path": "/notes/today.md"})
    >>> decide(asked, None, ())
    Ask()
    >>> rule = Rule("r1", "srv1", "read_file", "f00d", (ArgumentPattern("path", "/notes/*"),))
    >>> decide(asked, None, (rule,))
    Allow(by='rule', rule_id='r1')

Not here: what a person answers, and asking (`runs/tools/permissions.py`).
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

from app.domain.privacy.invisible import INVISIBLE
from app.domain.tools.tools import BUILT_IN, Tool


@dataclass(frozen=True, slots=True)
class ArgumentPattern:
    """The condition for an argument: see `covers_value`."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True)
class AllowedTool:
    """An entry of an agent's list: tools of one server, by a pattern of their names and of their arguments.

    With `ask` a person is asked all the same, unless a rule of theirs covers the call. A server is meant by its id and
    never by a pattern: another one may have a tool of the same name.
    """

    server_id: str
    tool: str
    arguments: tuple[ArgumentPattern, ...] = ()
    ask: bool = True


class Scope(StrEnum):
    """The reach of a person's permission."""

    ONCE = "once"
    CONVERSATION = "conversation"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Rule:
    """A permission of a person for one tool in its present version, lasting or for a conversation.

    `tool_name` is a name, never a pattern. `conversation_id` None: in all conversations.
    """

    id: str
    server_id: str
    tool_name: str
    fingerprint: str
    arguments: tuple[ArgumentPattern, ...] = ()
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class PermissionQuery:
    """A call, as far as permission is concerned. `conversation_id` is the one that a person looks at."""

    server_id: str
    tool_name: str
    fingerprint: str
    arguments: Mapping[str, Any]
    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    """It may be made, by whose word: a rule's, the agent's, or Inview's own for what only reads."""

    by: Literal["rule", "agent", "built-in"]
    rule_id: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must be asked."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """It must not be made, whatever a person would say: the agent's list does not have it."""

    reason: str


Decision = Allow | Ask | Refuse

UNASKED: Final = frozenset({"current_time", "search_conversations"})
"""Built-in tools that are called without asking: they change nothing and send nothing out.

What they give can only leave with the reply to the model one chose, or by another tool, and that one is asked.
"""


def decide(asked: PermissionQuery, allowed: tuple[AllowedTool, ...] | None, rules: Iterable[Rule]) -> Decision:
    """Decide about a call. `allowed` is the agent's list (None: it has none), `rules` are the stored permissions."""
    covering = None if allowed is None else [entry for entry in allowed if _has(entry, asked)]
    if covering == []:
        return Refuse(f'The agent may not call "{asked.tool_name}" like this: it is not among its allowed tools.')
    if covering and not all(entry.ask for entry in covering):
        return Allow("agent")
    if asked.server_id == BUILT_IN and asked.tool_name in UNASKED:
        return Allow("built-in")
    rule = next((rule for rule in rules if covers(rule, asked)), None)
    return Ask() if rule is None else Allow("rule", rule.id)


def covers(rule: Rule, asked: PermissionQuery) -> bool:
    """Whether a rule allows a call: of that very tool, unchanged since, with such arguments, there."""
    return (
        (rule.server_id, rule.tool_name, rule.fingerprint) == (asked.server_id, asked.tool_name, asked.fingerprint)
        and rule.conversation_id in {None, asked.conversation_id}
        and covers_arguments(rule.arguments, asked.arguments)
    )


def fingerprint(tool: Tool) -> str:
    """Return the version of a tool that a permission is for. A changed tool is asked about again."""
    seen = [tool.server_id, tool.tool_name, tool.title, tool.description, tool.input_schema_json, tool.read_only]
    return sha256(json.dumps(seen).encode("utf-8", "surrogatepass")).hexdigest()


def covers_arguments(patterns: tuple[ArgumentPattern, ...], arguments: Mapping[str, Any]) -> bool:
    """Return whether the arguments match the patterns. Without patterns, all arguments do.

    Each pattern must match, and each argument needs a pattern: a default of the tool or an unexpected argument could
    undo the bounds of the others.
    """
    met = all(
        covers_value(each.pattern, arguments[each.name]) if each.name in arguments else each.pattern == "*"
        for each in patterns
    )
    return met and (not patterns or arguments.keys() <= {each.name for each in patterns})


def covers_value(pattern: str, value: Any) -> bool:
    """Return whether an argument matches a pattern.

    `*` alone is anything at all. Otherwise `*` is any run of characters, `[*]` a star, all else is itself, upper and
    lower case apart. A number, true, false and null are compared as JSON writes them; a list must have an item, and
    each must be like this; an object never is. Text that may mean another place than it shows is only covered by a
    pattern without `*`: see `is_evasive`.

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
    """Return whether a tool may read a text differently than the author of a pattern.

    That is: it contains a control or invisible character, two dots in a row, or a percent sign that is escaped itself
    or escapes what is not UTF-8. Characters that programs take for others (NFKC), and escaped ones, count as these.

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
    """Return whether a tool's name matches a pattern: `*` is any run of characters, `[*]` a star."""
    pieces = _cut(pattern)
    return name == pieces[0] if len(pieces) == 1 else _matches(pieces, name)


def literal(text: str) -> str:
    """The pattern that covers this text and no other.

    >>> literal("rm *")
    'rm [*]'
    """
    return text.replace("*", "[*]")


_REPLACED = "\N{REPLACEMENT CHARACTER}"
_STAR = re.compile(r"\[\*\]|\*")


def _normalize(text: str) -> str:
    return normalize("NFKC", text)


def _has(entry: AllowedTool, asked: PermissionQuery) -> bool:
    return (
        entry.server_id == asked.server_id
        and covers_name(entry.tool, asked.tool_name)
        and covers_arguments(entry.arguments, asked.arguments)
    )


def _cut(pattern: str) -> list[str]:
    """Return the literal texts between the stars."""
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
    """Return whether the text begins with the first piece, ends with the last, and has the others between in order.

    A search for each after the one before: no pattern can make it slow.
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
