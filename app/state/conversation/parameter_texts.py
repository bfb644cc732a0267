"""Conversion between parameters and the texts in a form.

    read = read_parameters({"temperature": "0.2", "seed": "x"})
    read.parameters                               # None, because:
    read.faults["seed"]                           # "Not a whole number. …"

`domain.conversation.parameters` decides which values are allowed. This module only checks that they can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import NAMES
from app.domain.errors import InputError
from app.domain.retry_policy import LEAST_BACKOFF, LONGEST_BACKOFF, MOST_RETRIES, RetryLimits, require_retries

_NUMBERS: Final[Mapping[str, Callable[[str], float]]] = {
    "temperature": float,
    "top_p": float,
    "max_output_tokens": int,
    "seed": int,
}
_EFFORTS: Final = frozenset(Effort)
_SWITCHES: Final[Mapping[str, bool]] = {"true": True, "false": False}


@dataclass(frozen=True)
class ParameterTexts:
    """A text for each parameter; "" if it is not set.

    `effort` and `thinking` are chosen in menus, the other parameters are typed.
    """

    temperature: str = ""
    top_p: str = ""
    max_output_tokens: str = ""
    seed: str = ""
    effort: str = ""
    thinking: str = ""


@dataclass(frozen=True)
class ReadParameters:
    """The parameters that were read from a form, or the errors of its fields.

    `faults` has an error for each parameter that cannot be read, by its name. If there are any, `parameters` is None.
    """

    parameters: Parameters | None
    faults: Mapping[str, str]


def write_parameters(parameters: Parameters) -> ParameterTexts:
    """Return the texts that a form shows for these parameters."""
    return ParameterTexts(**{name: _write(getattr(parameters, name)) for name in NAMES})


def read_parameters(given: Mapping[str, str]) -> ReadParameters:
    """Read the parameters in a form. A missing field counts as empty."""
    numbers: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for name, read in _NUMBERS.items():
        try:
            numbers[name] = read(text) if (text := given.get(name, "").strip()) else None
        except ValueError:
            faults[name] = f"Not a {'whole ' if read is int else ''}number. Correct it or leave it empty."
    if faults:
        return ReadParameters(None, faults)
    effort = given.get("effort", "")
    parameters = Parameters(
        **numbers,
        effort=Effort(effort) if effort in _EFFORTS else None,
        thinking=_SWITCHES.get(given.get("thinking", "")),
    )
    return ReadParameters(parameters, {})


def _write(value: float | bool | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class RetryTexts:
    """A text for each limit of retries: the values in a form ("": the default), or their errors ("": no error)."""

    max_retries: str = ""
    max_backoff_seconds: str = ""


RETRY_LIMITS: Final = ("max_retries", "max_backoff_seconds")
_RETRY_FAULTS: Final[Mapping[str, str]] = {
    "max_retries": f"Enter a number from 0 to {MOST_RETRIES}.",
    "max_backoff_seconds": f"Enter {LEAST_BACKOFF:g} to {LONGEST_BACKOFF:g} seconds.",
}


def read_retry_limits(texts: Mapping[str, str], known: RetryLimits) -> tuple[RetryLimits, RetryTexts]:
    """Read the limits of retries from texts. Return them, and the error of each text that cannot be used.

    A limit without a text keeps its value in `known`.

    >>> read_retry_limits({"max_retries": "5"}, RetryLimits(max_backoff_seconds=30.0))[0]
    RetryLimits(max_retries=5, max_backoff_seconds=30.0)
    >>> read_retry_limits({"max_retries": "", "max_backoff_seconds": "soon"}, RetryLimits(2))[1].max_backoff_seconds
    'Enter 0.1 to 300 seconds.'
    """
    limits, faults = known, RetryTexts()
    readers: Mapping[str, Callable[[str], float]] = {"max_retries": int, "max_backoff_seconds": float}
    for name, read in readers.items():
        text = texts.get(name)
        if text is None:
            continue
        try:
            limits = replace(limits, **{name: read(text.strip()) if text.strip() else None})
            require_retries(limits)
        except (ValueError, InputError):
            limits, faults = replace(limits, **{name: None}), replace(faults, **{name: _RETRY_FAULTS[name]})
    return limits, faults


def write_retry_limits(limits: RetryLimits) -> RetryTexts:
    """Return the limits as the texts of the form.

    >>> write_retry_limits(RetryLimits(5, 30.0))
    RetryTexts(max_retries='5', max_backoff_seconds='30')
    """
    retries, longest = limits.max_retries, limits.max_backoff_seconds
    return RetryTexts("" if retries is None else str(retries), "" if longest is None else f"{longest:g}")
