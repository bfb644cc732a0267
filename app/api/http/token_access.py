"""API tokens of requests: which person a token stands for, whether it may make the request, and how it is refused.

Tokens are read of addresses below `/api/` and `/v1/` alone: pages and sockets are for sessions. A key that does not
begin as a token of Inview does is one that a vendor's client had to be given; it opens nothing and is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from app.api.http.negotiation import JSON
from app.api.http.problems import answer_problem
from app.domain.people.tokens import METRICS, PREFIX, ApiToken, needed_scope
from app.runs.people.tokens import InvalidTokenError, find_valid_token
from app.runs.workbench import current
from app.views.encode import to_json
from app.views.problem import PROBLEMS, ProblemName, describe_problem

API: Final = "/api/"
GATEWAY: Final = "/v1/"
USED_TOKEN: Final = "inview.token"  # noqa: S105 - the name of a place
"""Where the scope of a request has the token that it was made with."""
_ERROR_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        HTTPStatus.UNAUTHORIZED: "authentication_error",
        HTTPStatus.FORBIDDEN: "permission_error",
        HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
    }
)
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="Inview"'}


async def find_token(scope: Scope) -> ApiToken | Response | None:
    """Return the token of a request, or its refusal; None: it was made without one."""
    text = _token_in(scope)
    if text is None:
        return None
    try:
        token = await find_valid_token(current(), text)
    except InvalidTokenError as error:
        return refuse(scope, "invalid-token", str(error), _CHALLENGE)
    needed = needed_scope(scope["method"], scope["path"])
    if needed is None:
        return refuse(scope, "forbidden", "No API token opens this address. Sign in with a browser.")
    if needed not in token.scopes:
        said = f'The API token "{token.name}" lacks the scope "{needed}". Make one that has it.'
        return refuse(scope, "missing-scope", said, scope_name=needed)
    return token


def without_token(scope: Scope, token: ApiToken) -> Scope:
    """The request as what is behind gets it: it names the token, and no longer carries its text."""
    headers = [one for one in scope["headers"] if one[0] not in {b"authorization", b"x-api-key"}]
    return {**scope, "headers": headers, USED_TOKEN: token}


def refuse_without_credentials(scope: Scope) -> Response:
    """The answer to a request without a session and without a token."""
    said = f"Sign in, or send an API token: Authorization: Bearer {PREFIX}…. Settings → API tokens makes one."
    return refuse(scope, "sign-in-needed", said, _CHALLENGE)


def refuse(
    scope: Scope, name: ProblemName, said: str, headers: dict[str, str] | None = None, scope_name: str = ""
) -> Response:
    """A refusal in the form of the API that was asked: a problem document, or the error of a vendor."""
    if scope["path"].startswith(GATEWAY):
        return _refuse_client(name, said, headers or {})
    problem = describe_problem(name, said)
    if scope_name:
        problem["scope"] = scope_name
    return answer_problem(problem, {"Cache-Control": "no-store", **(headers or {})})


def _refuse_client(name: ProblemName, said: str, headers: dict[str, str]) -> Response:
    """An error that both vendors' clients read: OpenAI's go by `error.code`, Anthropic's by `type` and `error.type`."""
    status = PROBLEMS[name].status
    error = {"type": _ERROR_TYPES[status], "message": said, "code": name.replace("-", "_"), "param": None}
    again = "true" if status == HTTPStatus.TOO_MANY_REQUESTS else "false"
    fixed = {"Cache-Control": "no-store", "x-should-retry": again}
    return Response(to_json({"type": "error", "error": error}), status, fixed | headers, JSON)


def _token_in(scope: Scope) -> str | None:
    path: str = scope["path"]
    if scope["type"] != "http" or not (path.startswith((API, GATEWAY)) or path == METRICS):
        return None
    headers: Any = Headers(scope=scope)
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    sent = [bearer.strip()] if scheme.lower() == "bearer" else []
    if path.startswith(GATEWAY):
        sent.append(headers.get("x-api-key", "").strip())
    return next((text for text in sent if text.startswith(PREFIX)), None)
