"""Faults of a gateway call, before they take the form of a vendor's API.

>>> describe_fault(NotFoundError("agent", "a1")).status
404
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType

from pydantic import ValidationError

from app.domain.context.over_budget import OverBudgetError
from app.domain.costs.budgets import BudgetSpentError
from app.domain.errors import (
    ErrorClass,
    Failure,
    ForbiddenError,
    InputError,
    InviewError,
    NotFoundError,
    ProviderError,
    StoreError,
)

OVERLOADED = 529
"""Anthropic's status for an overloaded provider."""
CANCELED = "canceled"

_STATUS: Mapping[ErrorClass, int] = MappingProxyType(
    {
        ErrorClass.AUTH: HTTPStatus.UNAUTHORIZED,
        ErrorClass.RATE: HTTPStatus.TOO_MANY_REQUESTS,
        ErrorClass.NETWORK: HTTPStatus.BAD_GATEWAY,
        ErrorClass.SERVER: HTTPStatus.BAD_GATEWAY,
        ErrorClass.OVERLOADED: OVERLOADED,
        ErrorClass.CONTENT_FILTER: HTTPStatus.BAD_REQUEST,
        ErrorClass.CONTEXT_LENGTH: HTTPStatus.BAD_REQUEST,
        ErrorClass.MODEL: HTTPStatus.BAD_REQUEST,
        ErrorClass.STREAM: HTTPStatus.BAD_GATEWAY,
        ErrorClass.TOO_LONG: HTTPStatus.BAD_GATEWAY,
        ErrorClass.CANCELED: HTTPStatus.CONFLICT,
        ErrorClass.INTERRUPTED: HTTPStatus.SERVICE_UNAVAILABLE,
        ErrorClass.UNKNOWN: HTTPStatus.BAD_GATEWAY,
    }
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a call has no reply. `field` names the place in the body; `again`: sending it again may help."""

    status: int
    code: str
    message: str
    field: str | None = None
    again: bool = False
    retry_after: float | None = None

    @property
    def headers(self) -> dict[str, str]:
        """What clients go by: both vendors' obey `x-should-retry`."""
        wait = {} if self.retry_after is None else {"Retry-After": f"{self.retry_after:.0f}"}
        return {"Cache-Control": "no-store", "x-should-retry": "true" if self.again else "false", **wait}


def describe_fault(error: InviewError) -> Fault:
    """The fault that an error of the domain is to a program."""
    match error:
        case ProviderError():
            return describe_failure(error.failure)
        case OverBudgetError():
            return Fault(HTTPStatus.BAD_REQUEST, "context_length_exceeded", str(error), "messages")
        case BudgetSpentError():
            return Fault(HTTPStatus.PAYMENT_REQUIRED, "budget_spent", str(error))
        case InputError(field="model"):
            return Fault(HTTPStatus.NOT_FOUND, "model_not_found", str(error), "model")
        case InputError():
            return Fault(HTTPStatus.BAD_REQUEST, "invalid_value", str(error), error.field)
        case NotFoundError():
            return Fault(HTTPStatus.NOT_FOUND, "model_not_found", str(error), "model")
        case ForbiddenError():
            return Fault(HTTPStatus.FORBIDDEN, "forbidden", str(error))
        case StoreError():
            return Fault(HTTPStatus.SERVICE_UNAVAILABLE, "not_ready", str(error), again=True)
        case _:
            return Fault(HTTPStatus.CONFLICT, "conflict", str(error))


def describe_failure(reason: Failure) -> Fault:
    """The fault that a failed reply is to a program."""
    status = _STATUS[reason.error_class]
    again = status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    code = "context_length_exceeded" if reason.error_class is ErrorClass.CONTEXT_LENGTH else reason.error_class.value
    message = f"{reason.message} {reason.next_step}"
    return Fault(int(status), code, message, again=again, retry_after=reason.retry_after)


def describe_canceled() -> Fault:
    """The fault that a reply is which a person stopped in Inview."""
    return Fault(HTTPStatus.CONFLICT, CANCELED, "A person stopped this reply in Inview.")


def describe_invalid(error: ValidationError) -> Fault:
    """The fault that a body is which does not have the form of the API."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    said = first["msg"]
    if first["type"] == "extra_forbidden":
        said = "Inview does not take this parameter. Leave it out."
    return Fault(HTTPStatus.BAD_REQUEST, "invalid_value", f"{field}: {said}" if field else said, field or None)
