"""Whether arguments fit the schema that a tool's server gave for them.

    check_arguments(tool.input_schema_json, {"path": 3})   # (("path", "3 is not of type 'string'"),)

The schema is somebody else's text: nothing it refers to is fetched, its regular expressions are not run, and references
are followed so many times and no more (either could take minutes, and would stop everything). A schema that is none, or
takes more than that, says nothing of arguments: the server judges them itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MOST_PROBLEMS: Final = 20
MOST_WORDS: Final = 300
MOST_REFERENCES: Final = 5_000
"""Followed in one check. Real schemas follow a few for every value."""

_left: ContextVar[list[int]] = ContextVar("references that may be followed")


class _TooMuchError(Exception):
    """A schema leads on and on."""


Problems = tuple[tuple[str, str], ...]
"""Where in the arguments, as a dotted path, and what is wrong there."""


def check_arguments(schema_json: str, arguments: Mapping[str, Any]) -> Problems:
    """What is wrong with the arguments; nothing if they fit. At most 20 things are told."""
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - memory that only an installation with tools needs
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - as above

    _left.set([MOST_REFERENCES])
    try:
        validator = _read_schema(schema_json)
        found = sorted(validator.iter_errors(dict(arguments)), key=lambda error: str(error.absolute_path))
    except (SchemaError, Unresolvable, RecursionError, ValueError, TypeError, _TooMuchError):
        return ()
    return tuple(
        (".".join(map(str, error.absolute_path)), error.message[:MOST_WORDS]) for error in found[:MOST_PROBLEMS]
    )


@lru_cache(maxsize=256)
def _read_schema(schema_json: str) -> Validator:
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - as above
    from referencing import Registry  # noqa: PLC0415 - as above

    schema = json.loads(schema_json)
    kind = validators.validator_for(schema, default=Draft202012Validator)
    kind.check_schema(schema)
    additional = kind.VALIDATORS["additionalProperties"]
    extend = cast("Callable[..., Any]", validators.extend)  # pyright: ignore[reportUnknownMemberType] - typed by halves
    bounded = extend(
        kind,
        {
            "pattern": _say_nothing,
            "patternProperties": _say_nothing,
            "unevaluatedProperties": _say_nothing,
            "additionalProperties": _unless_patterns(additional),
        }
        | {
            name: _counted(check)
            for name, check in kind.VALIDATORS.items()
            if name in {"$ref", "$dynamicRef", "$recursiveRef"}
        },
    )
    return bounded(schema, registry=Registry())  # pyright: ignore[reportUnknownArgumentType] - as above


def _say_nothing(*_: object) -> Iterator[Any]:
    yield from ()


def _counted(follow: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    def check(*given: Any) -> Iterator[Any]:
        left = _left.get()
        left[0] -= 1
        if left[0] < 0:
            raise _TooMuchError
        yield from follow(*given) or ()

    return check


def _unless_patterns(additional: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """Which properties are additional depends on regular expressions if there are any."""

    def check(validator: Any, additional_schema: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
        if "patternProperties" not in schema:
            yield from additional(validator, additional_schema, instance, schema) or ()

    return check
