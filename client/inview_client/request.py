"""A request as a value: what is asked, and the type of its answer. A client carries it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

from pydantic import BaseModel

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True)
class Request(Generic[Answer_co]):
    """`answer` is the type of what comes back: a model, bytes of a file, or None."""

    method: str
    path: str
    answer: Any
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    body: BaseModel | bytes | None = None
    media_type: str = "application/json"

    def params(self) -> list[tuple[str, str]]:
        """The query as it is sent: what is None is left out, a sequence repeats its name."""
        return [(name, _written(value)) for name, given in self.query.items() for value in _each(given)]

    def content(self) -> bytes | None:
        """The body as it is sent: of a model the fields that were set, so that a change leaves the others alone."""
        if isinstance(self.body, BaseModel):
            return self.body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        return self.body


def path_of(template: str, **values: str | int | date) -> str:
    """The template with its ids in place, quoted.

    >>> path_of("/filters/{name}", name="a/b")
    '/filters/a%2Fb'
    """
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


def _each(given: Any) -> Sequence[Any]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not isinstance(given, Sequence) else cast("Sequence[Any]", given)


def _written(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case datetime() | date():
            return value.isoformat()
        case _:
            return str(value)
