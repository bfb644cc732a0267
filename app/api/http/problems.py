"""Turns every exception that can leave a route into a problem document (RFC 9457).

The types of problems are listed in `views.problem`. An unexpected exception is logged with an id, and the answer has
only this id.

    @router.get("/things/{id}", responses=documented("not-found"))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NoReturn
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.patterns import REASONS
from app.domain.context.over_budget import BudgetOptions, OverBudgetError
from app.domain.context.seen_selection import SelectionChangedError
from app.domain.costs.budgets import BudgetSpentError
from app.domain.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    InviewError,
    LaterPairsError,
    NotFoundError,
    PairChangedError,
    ProviderError,
    SendLockedError,
    SettingsError,
    StoreError,
)
from app.domain.filters.language.errors import FilterError
from app.domain.settings.rate_limits import RateLimitedError
from app.domain.tools.tools import ToolFailedError
from app.runs.tools.permission_commands import WrongArgumentsError
from app.views.encode import to_json
from app.views.problem import PROBLEMS, FieldProblem, ProblemName, ProblemView, describe_problem
from app.views.request.composition import describe_cost, describe_ways_out

PROBLEM_JSON = "application/problem+json"
PROBLEM_SCHEMA = "Problem"

_log = structlog.get_logger(__name__)

# An exception whose class is missing here gets the entry of its nearest base class.
_NAMES: Mapping[type, ProblemName] = {
    InputError: "invalid-input",
    ForbiddenError: "forbidden",
    NotFoundError: "not-found",
    SendLockedError: "send-locked",
    LaterPairsError: "later-pairs",
    PairChangedError: "pair-changed",
    OverBudgetError: "over-budget",
    SelectionChangedError: "selection-changed",
    BudgetSpentError: "budget-spent",
    ConflictError: "conflict",
    ProviderError: "provider-refused",
    RateLimitedError: "rate-limited",
    ToolFailedError: "server-gave-nothing",
    StoreError: "not-ready",
    SettingsError: "internal",
    InviewError: "internal",
}
_STATUS_NAMES: Mapping[int, ProblemName] = {
    HTTPStatus.BAD_REQUEST: "malformed-body",
    HTTPStatus.NOT_FOUND: "no-such-route",
    HTTPStatus.METHOD_NOT_ALLOWED: "method-not-allowed",
    HTTPStatus.REQUEST_TIMEOUT: "body-too-slow",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "body-too-large",
    HTTPStatus.SERVICE_UNAVAILABLE: "too-many-bodies",
}


class ApiProblemError(Exception):
    """Error: a problem that the API found before it called a command."""

    def __init__(self, name: ProblemName, detail: str, *errors: FieldProblem) -> None:
        super().__init__(detail)
        self.problem = describe_problem(name, detail)
        if errors:
            self.problem["errors"] = list(errors)


def refuse_field(field: str, reason: str) -> NoReturn:
    """Refuse a request because of one of its fields, with 422.

    Raises:
        ApiProblemError: always.
    """
    raise ApiProblemError("invalid-input", f"{field}: {reason}", {"field": field, "reason": reason})


def answer_problem(problem: ProblemView, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a problem document."""
    return Response(to_json(problem), problem["status"], headers, PROBLEM_JSON)


def documented(*names: ProblemName) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` that document these problems of a route."""
    titles: dict[int, list[str]] = {}
    for name in names:
        titles.setdefault(PROBLEMS[name].status, []).append(PROBLEMS[name].title)
    return {
        status: {
            "description": "; ".join(texts) + ".",
            "content": {PROBLEM_JSON: {"schema": {"$ref": f"#/components/schemas/{PROBLEM_SCHEMA}"}}},
        }
        for status, texts in titles.items()
    }


def problem_schemas() -> dict[str, Any]:
    """Return the schemas of a problem document and its parts, by their names in the OpenAPI components."""
    schema = TypeAdapter(ProblemView).json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), PROBLEM_SCHEMA: schema}


def answer_every_fault(app: FastAPI) -> None:
    """Make the app answer every exception with a problem document."""
    app.exception_handler(InviewError)(_answer_inview_error)
    app.exception_handler(ApiProblemError)(_answer_api_problem)
    app.exception_handler(RequestValidationError)(_answer_validation_error)
    app.exception_handler(HTTPException)(_answer_http_exception)
    app.add_middleware(_CatchUnforeseen)


async def _answer_inview_error(request: Request, error: Exception) -> Response:
    name = _name_of(type(error))
    if PROBLEMS[name].status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _answer_logged(request.scope, error, name, error.advice if isinstance(error, StoreError) else "")
    problem = describe_problem(name, str(error))
    headers: Mapping[str, str] | None = None
    match error:
        case FilterError():
            problem["errors"] = [{"field": error.field, "reason": error.reason}]
            problem["position"], problem["found"], problem["expected"] = error.position, error.found, error.expected
        case WrongArgumentsError():
            problem["errors"] = [{"field": field, "reason": reason} for field, reason in error.problems]
        case InputError():
            problem["errors"] = [{"field": error.field, "reason": error.reason}]
        case ProviderError():
            problem["error_class"] = error.failure.error_class.value
            problem["detail"] = error.failure.message
            problem["next_step"] = error.failure.next_step
        case ToolFailedError():
            problem["error_class"], problem["next_step"] = error.fault.value, error.next_step
        case OverBudgetError():
            _add_options(problem, error.budget_options)
        case SelectionChangedError():
            problem["x"], problem["y"] = error.composition.x, error.composition.y
            problem["tokens"] = error.composition.estimate.tokens
            problem["cost"] = describe_cost(error.composition.estimate.cost)
            problem["selection"], problem["model"] = error.selection, error.model
        case LaterPairsError():
            problem["later"] = error.count
        case PairChangedError():
            problem["version"] = error.version
        case RateLimitedError():
            problem["retry_after"], headers = error.wait, {"Retry-After": str(error.wait)}
        case _:
            pass
    return answer_problem(problem, headers)


def _add_options(problem: ProblemView, budget_options: BudgetOptions) -> None:
    shown = describe_ways_out(budget_options)
    problem["x"], problem["y"] = shown.x, shown.y
    problem["limit"], problem["limited_by"] = shown.limit, shown.limited_by
    if shown.fit is not None:
        problem["fit"] = shown.fit
    problem["force"] = shown.force
    if shown.summarise is not None:
        problem["summarise"] = shown.summarise
    problem["larger"], problem["model"] = list(shown.larger), budget_options.model


def _name_of(kind: type[Exception]) -> ProblemName:
    for ancestor in kind.mro():
        if (name := _NAMES.get(ancestor)) is not None:
            return name
    raise TypeError(f"{kind.__name__} is not among the errors of domain/errors.py.")


async def _answer_api_problem(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ApiProblemError):
        raise TypeError(type(error).__name__)
    return answer_problem(error.problem)


async def _answer_validation_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise TypeError(type(error).__name__)
    found: Sequence[dict[str, Any]] = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        place = found[0]["loc"][-1]
        return answer_problem(describe_problem("malformed-body", f"The body is not valid JSON at character {place}."))
    errors = [_describe_field(one) for one in found]
    problem = describe_problem("invalid-input", "; ".join(f"{one['field']}: {one['reason']}" for one in errors))
    problem["errors"] = errors
    return answer_problem(problem)


async def _answer_http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise TypeError(type(error).__name__)
    name = _STATUS_NAMES[error.status_code]
    details: Mapping[ProblemName, str] = {
        "malformed-body": "The body could not be read as JSON.",
        "no-such-route": f"{request.url.path} does not exist. See /api/v1/docs.",
        "method-not-allowed": f"{request.url.path} does not support {request.method}. See /api/v1/docs.",
        "body-too-slow": error.detail,
        "body-too-large": error.detail,
        "too-many-bodies": error.detail,
    }
    headers = _all_methods(request) if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED else None
    return answer_problem(describe_problem(name, _well_formed(details[name])), headers or error.headers)


def _all_methods(request: Request) -> dict[str, str] | None:
    """Return an Allow header with every method of the address. FastAPI would name only the methods of one route."""
    app: FastAPI = request.app
    for template, methods in app.openapi()["paths"].items():
        if compile_path(template)[0].match(request.scope["path"]):
            return {"Allow": ", ".join(method.upper() for method in methods)}
    return None


def _describe_field(error: Mapping[str, Any]) -> FieldProblem:
    _source, *path = error["loc"]  # the source is body, query, path or header
    field = ".".join(map(str, path)) or "body"
    reason = REASONS[error["ctx"]["pattern"]] if error["type"] == "string_pattern_mismatch" else str(error["msg"])
    return {"field": _well_formed(field), "reason": _well_formed(reason)}


def _well_formed(text: str) -> str:
    """Replace lone surrogates by `?`. A name in a request may contain them, but UTF-8 cannot encode them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _answer_logged(scope: Scope, error: Exception, name: ProblemName, advice: str = "") -> Response:
    log_id = uuid4().hex
    _log.error("request failed", log_id=log_id, method=scope.get("method"), path=scope["path"], exc_info=error)
    problem = describe_problem(name, f"{advice} The log has the details under {log_id}.".lstrip())
    problem["log_id"] = log_id
    return answer_problem(problem)


class _CatchUnforeseen:
    """Middleware that answers 500 to an exception without a handler.

    Starlette's own middleware would also raise the exception again, and so it would be logged twice.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watch_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watch_start)
        except Exception as error:
            if started:  # the answer has started, so the server ends the connection and logs the error
                raise
            await _answer_logged(scope, error, "internal")(scope, receive, send)
