"""Parameters of requests: their names, their bounds, and their precedence.

A value of the send applies first, then the conversation's, then the agent's, and then the provider's default.
Which parameters a model supports depends on its protocol (`app/providers/models/fitting.py`).

    >>> merge_parameters(Parameters(temperature=1.0), Parameters(temperature=0.2, seed=7)).seed
    7
    >>> trace_parameters(Parameters(seed=1), Parameters(temperature=0.5), Parameters(seed=7))[0].source
    <Source.CONVERSATION: 'conversation'>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.errors import InputError

NO_PARAMETERS: Final = Parameters()
NAMES: Final = ("temperature", "top_p", "max_output_tokens", "seed", "effort", "thinking")
"""The fields of `Parameters` except `reply_schema`, in the order on the screen."""
NOUNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "temperature": "temperature",
        "top_p": "top_p",
        "max_output_tokens": "output token limit",
        "seed": "seed",
        "effort": "effort",
        "thinking": "switch for thinking",
    }
)
"""The noun for each parameter, as in the sentence "This model has no …"."""

MAX_TEMPERATURE: Final = 2
MAX_OUTPUT_TOKENS: Final = 10_000_000
MAX_SEED: Final = 2**31 - 1

Value = float | int | bool | Effort


class Source(StrEnum):
    """The level that sets a parameter: the send, the conversation, or the agent."""

    SEND = "send"
    CONVERSATION = "conversation"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter that is set, and the level that sets it."""

    name: str
    value: Value
    source: Source


def merge_parameters(parameters: Parameters, usual: Parameters) -> Parameters:
    """Return `parameters`, with the values of `usual` in the fields that are not set.

    If `parameters` switch thinking off, the effort of `usual` is not used.
    """
    if parameters.thinking is False and parameters.effort is None:
        usual = replace(usual, effort=None)
    set_here = {name: value for name in _FIELDS if (value := getattr(parameters, name)) is not None}
    return replace(usual, **set_here)


def list_set(parameters: Parameters) -> tuple[tuple[str, Value], ...]:
    """Return the names and values of the parameters that are set, except `reply_schema`."""
    return tuple((name, value) for name in NAMES if (value := getattr(parameters, name)) is not None)


def trace_parameters(send: Parameters, conversation: Parameters, agent: Parameters) -> tuple[Setting, ...]:
    """Return every parameter that is set for a send, with the level that sets it (see `Source`)."""
    merged = merge_parameters(send, merge_parameters(conversation, agent))
    layers = ((Source.SEND, send), (Source.CONVERSATION, conversation), (Source.AGENT, agent))
    return tuple(
        Setting(name, value, next(source for source, layer in layers if getattr(layer, name) is not None))
        for name, value in list_set(merged)
    )


def describe_value(value: Value) -> str:
    """Describe a value for people.

    >>> describe_value(0.5), describe_value(64000), describe_value(True), describe_value(Effort.HIGH)
    ('0.5', '64,000', 'on', 'high')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def describe_parameter(name: str, value: Value) -> str:
    """Describe a parameter for people.

    >>> describe_parameter("max_output_tokens", 500), describe_parameter("thinking", False)
    ('at most 500 output tokens', 'thinking off')
    """
    if name == "max_output_tokens":
        return f"at most {describe_value(value)} output token{'' if value == 1 else 's'}"
    text = str(value) if name == "seed" else describe_value(value)
    return f"{name} {text}"


def describe_parameters(parameters: Parameters) -> str:
    """Describe the parameters that are set, on one line; "" if none is set."""
    return ", ".join(describe_parameter(name, value) for name, value in list_set(parameters))


def require_parameters(parameters: Parameters) -> None:
    """Refuse values that are out of bounds for all models.

    Raises:
        InputError: a value is out of bounds. The error names the first such value.
    """
    if parameters.temperature is not None and not 0 <= parameters.temperature <= MAX_TEMPERATURE:
        raise InputError("parameters.temperature", "must be a number from 0 to 2.")
    if parameters.top_p is not None and not 0 <= parameters.top_p <= 1:
        raise InputError("parameters.top_p", "must be a number from 0 to 1.")
    if parameters.max_output_tokens is not None and not 1 <= parameters.max_output_tokens <= MAX_OUTPUT_TOKENS:
        raise InputError("parameters.max_output_tokens", "must be a number of tokens from 1 to 10,000,000.")
    if parameters.seed is not None and not 0 <= parameters.seed <= MAX_SEED:
        raise InputError("parameters.seed", "must be a whole number from 0 to 2,147,483,647.")


_FIELDS: Final = (*NAMES, "reply_schema")
