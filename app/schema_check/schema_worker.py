r"""The process that checks values against JSON schemas. It runs as a script and imports nothing of Inview.

It reads one question per line from its standard input and writes one answer per line, both JSON:

    {"schema": "{\"type\": \"string\"}", "value": 3}      {"faults": [[[], "3 is not of type 'string'"]]}
    {"schema": "{\"type\": 3}"}                            {"faults": [[["type"], "3 is not valid under …"]]}

A question without a `value` asks if the schema is valid. In a question, `slow` has patterns that took too long earlier,
each with the length of text from which the pattern is not tried again. If such a pattern would have to be tried, the
answer is `{"too_long": true}`. `open_path` leads to the place where the value is still incomplete: faults there that
more text can correct are left out. The answer `{"unusable": "…"}` means that the schema could not be applied. Every
answer also has the processor time in `seconds`.

The second argument is the descriptor of a file. The process writes the pattern that it is matching to this file. If the
process is ended during the match, the server reads the pattern there.

The first argument is the maximum processor time of a question, in seconds. The system ends the process when a question
takes longer, at any point of the check. A thread could not do this: a regular expression that backtracks holds Python's
lock.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

MAX_MEMORY: Final = 512 * 1024 * 1024
"""Maximum address space in bytes. To check a value of a megabyte against the schema of a real tool takes a tenth."""
MAX_MESSAGE: Final = 300
MAX_PATH: Final = 2_000
"""Maximum number of characters of a path.

A longer path is cut at its end, and then names a place that contains the fault.
"""
IDLE_SECONDS: Final = 60.0
"""Seconds without a question after which the process ends. The next question starts another process."""
LASTING: Final = frozenset({"type", "additionalProperties", "maxItems", "maxProperties", "maxLength"})
"""Keywords of a schema whose faults remain, even if more text of an incomplete value arrives."""

NOTE: Final = struct.Struct("=II")
"""The header of the file with the pattern.

It has the length of the pattern in bytes (0: no pattern) and the length of the text in characters.
"""
NOTE_BYTES: Final = 8_192

Fault = tuple[list[str | int], str]


def serve(seconds: float, noted: mmap.mmap) -> None:
    """Answer questions until the input ends or no question came for a minute.

    `seconds` is the maximum processor time of a question. `noted` is the file for the pattern that is being matched.
    """
    patterns = _Patterns(noted)
    re.search = patterns.search  # `jsonschema` calls this function for every keyword with a pattern
    os.nice(5)  # so that requests of users have priority
    with suppress(ValueError, OSError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    while select.select([sys.stdin], [], [], IDLE_SECONDS)[0] and (line := sys.stdin.buffer.readline()):
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = _answer(line, patterns)
        signal.setitimer(signal.ITIMER_PROF, 0)
        answer["seconds"] = time.process_time() - begun
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


class _TooSlowError(Exception):
    """Error: the pattern took too long in an earlier check."""


class _Patterns:
    """A replacement for `re.search` that refuses slow patterns, and records the pattern that is being matched."""

    def __init__(self, noted: mmap.mmap) -> None:
        self.slow: dict[str, int] = {}
        self._noted = noted
        self._search = re.search

    def search(self, pattern: Any, string: str, flags: int = 0) -> re.Match[str] | None:
        """Search as `re.search` does.

        Raises:
            _TooSlowError: this pattern took too long on a text of this length or less.
        """
        text = pattern if isinstance(pattern, str) else pattern.pattern
        if len(string) >= self.slow.get(text, sys.maxsize):
            raise _TooSlowError
        encoded = text.encode("utf-8", "surrogatepass")
        if len(encoded) > NOTE_BYTES - NOTE.size:
            return self._search(pattern, string, flags)
        self._noted[NOTE.size : NOTE.size + len(encoded)] = encoded
        self._noted[: NOTE.size] = NOTE.pack(len(encoded), len(string))
        try:
            return self._search(pattern, string, flags)
        finally:
            self._noted[: NOTE.size] = NOTE.pack(0, 0)


def _answer(line: bytes, patterns: _Patterns) -> dict[str, Any]:
    try:
        question: dict[str, Any] = json.loads(line)
        patterns.slow = question.get("slow", {})
        schema: str = question["schema"]
        if "value" not in question:
            return {"faults": _check_schema(schema)}
        found = _find_faults(schema, question["value"], question.get("open_path"))
        return {"faults": list(islice(found, question["limit"]))}
    except SchemaError as error:
        return {"unusable": f"is not a JSON schema: {error.message[:MAX_MESSAGE]}"}
    except Unresolvable as error:
        return {"unusable": f"refers to a place that does not exist: {str(error)[:MAX_MESSAGE]}"}
    except RecursionError:
        return {"unusable": "refers to itself without end, or is nested too deeply"}
    except re.error as error:
        return {"unusable": f"has a pattern that is not a regular expression here: {str(error)[:MAX_MESSAGE]}"}
    except _TooSlowError:
        return {"too_long": True}
    except MemoryError:
        return {"unusable": "takes too much memory to check"}
    except (ValueError, TypeError, OverflowError, AttributeError, LookupError) as error:
        return {"unusable": f"cannot be applied: {str(error)[:MAX_MESSAGE]}"}


def _check_schema(schema_json: str) -> list[Fault]:
    schema = json.loads(schema_json)
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        return [(list(error.absolute_path), error.message[:MAX_MESSAGE])]
    _read_schema(schema_json).is_valid({})  # an error if a reference at the root leads nowhere or in circles
    return []


def _find_faults(schema_json: str, value: Any, open_path: list[str | int] | None) -> Iterator[Fault]:
    for error in _read_schema(schema_json).iter_errors(value):
        path = list(error.absolute_path)
        is_open = open_path is not None and open_path[: len(path)] == path
        if not is_open or _is_lasting(str(error.validator), error.instance):
            yield _cut(path), error.message[:MAX_MESSAGE]


def _cut(path: list[str | int]) -> list[str | int]:
    kept, characters = list[str | int](), 0
    for step in path:
        characters += len(str(step))
        if characters > MAX_PATH:
            break
        kept.append(step)
    return kept


def _is_lasting(keyword: str, value: object) -> bool:
    """Return true if more text cannot correct a fault of this keyword. More digits may change a number's type."""
    return keyword in LASTING and not (keyword == "type" and isinstance(value, int | float))


@lru_cache(maxsize=64)
def _read_schema(schema_json: str) -> Validator:
    """Return the validator of a schema. Nothing that it refers to is fetched."""
    schema: dict[str, Any] = json.loads(schema_json)
    kind = validator_for(schema, default=Draft202012Validator)
    kind.check_schema(schema)
    return kind(schema, registry=Registry())


if __name__ == "__main__":
    serve(float(sys.argv[1]), mmap.mmap(int(sys.argv[2]) if len(sys.argv) > 2 else -1, NOTE_BYTES))
