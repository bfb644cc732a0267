"""Problem documents (RFC 9457): the form of every error of the API. One table lists all their types.

The `type` is for programs and stable; the `detail` is for people and may change.

    >>> describe_problem("not-found", "No pair 'x' here.")["status"]
    404
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from app.views.request.composition import LargerModelView, WayOutView

ProblemName = Literal[
    "malformed-body",
    "forbidden",
    "not-found",
    "no-such-route",
    "method-not-allowed",
    "not-acceptable",
    "conflict",
    "send-locked",
    "over-budget",
    "selection-changed",
    "budget-spent",
    "later-pairs",
    "pair-changed",
    "body-too-slow",
    "body-too-large",
    "unsupported-media-type",
    "invalid-input",
    "provider-refused",
    "rate-limited",
    "server-gave-nothing",
    "internal",
    "too-many-bodies",
    "not-ready",
]
TYPE_PREFIX = "urn:inview:problem:"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A type of problem: the HTTP status and the title that all problems of this type have."""

    status: int
    title: str


PROBLEMS: Mapping[ProblemName, ProblemKind] = MappingProxyType(
    {
        "malformed-body": ProblemKind(400, "The body is not JSON"),
        "forbidden": ProblemKind(403, "You may not do this"),
        "not-found": ProblemKind(404, "Object not found"),
        "no-such-route": ProblemKind(404, "Address not found"),
        "method-not-allowed": ProblemKind(405, "Method not allowed"),
        "not-acceptable": ProblemKind(406, "No accepted media type is available"),
        "body-too-slow": ProblemKind(408, "The body arrived too slowly"),
        "conflict": ProblemKind(409, "The object is not in a state that allows this"),
        "send-locked": ProblemKind(409, "A reply is already running in this conversation"),
        "over-budget": ProblemKind(409, "The pairs in view do not fit the budget"),
        "selection-changed": ProblemKind(409, "Other pairs would be sent than were counted"),
        "budget-spent": ProblemKind(409, "A money budget is spent"),
        "later-pairs": ProblemKind(409, "Other pairs follow the one to send again"),
        "pair-changed": ProblemKind(409, "The pair was changed elsewhere"),
        "server-gave-nothing": ProblemKind(409, "An MCP server returned no usable result"),
        "body-too-large": ProblemKind(413, "The body is too large"),
        "unsupported-media-type": ProblemKind(415, "The body must be JSON"),
        "invalid-input": ProblemKind(422, "Invalid input"),
        "provider-refused": ProblemKind(422, "The chosen model does not support this request"),
        "rate-limited": ProblemKind(429, "A rate limit is reached"),
        "internal": ProblemKind(500, "Internal error"),
        "too-many-bodies": ProblemKind(503, "Too many large request bodies at once"),
        "not-ready": ProblemKind(503, "Not ready to serve"),
    }
)


class FieldProblem(TypedDict):
    """One invalid field of a request: its dotted path, and the reason."""

    field: str
    reason: str


class ProblemView(TypedDict):
    """A problem document. Members that do not apply are left out.

    - For a filter that cannot be parsed: `position` is the place of the error in characters from 0. `found` and
      `expected` describe the error.
    - For the type `over-budget`: the members from `x` to `larger` are the options for a send to `model`; `x` of the `y`
      pairs in view fit into `limit` tokens.
    - For the type `selection-changed`: `x`, `y`, `tokens`, `cost` and `selection` are the current figures of the send.
    - For the type `later-pairs`: `later` is the number of pairs after the pair.
    - For the type `pair-changed`: `version` is the current version of the pair.
    - For the type `rate-limited`: `retry_after` is the number of seconds to wait, as in the header `Retry-After`.
    """

    type: str
    title: str
    status: int
    detail: str
    errors: NotRequired[list[FieldProblem]]
    position: NotRequired[int]
    found: NotRequired[str]
    expected: NotRequired[str]
    error_class: NotRequired[str]
    next_step: NotRequired[str]
    log_id: NotRequired[str]
    x: NotRequired[int]
    y: NotRequired[int]
    limit: NotRequired[int]
    limited_by: NotRequired[str]
    model: NotRequired[str]
    tokens: NotRequired[int]
    cost: NotRequired[str]
    selection: NotRequired[str]
    fit: NotRequired[WayOutView]
    force: NotRequired[WayOutView]
    summarise: NotRequired[WayOutView]
    larger: NotRequired[list[LargerModelView]]
    later: NotRequired[int]
    version: NotRequired[int]
    retry_after: NotRequired[int]


def describe_problem(name: ProblemName, detail: str) -> ProblemView:
    """Return a problem document of this type.

    The caller adds the members that only some types have (`errors`, `log_id` …).
    """
    kind = PROBLEMS[name]
    return {"type": TYPE_PREFIX + name, "title": kind.title, "status": kind.status, "detail": detail}
