"""Checks whether a handler can take an event from a browser, before Reflex reads the event.

    find_fault({"name": "no.such.handler"})   # "no handler has this name"

Without this check, an event that Reflex cannot handle is logged whole, with the headers of the connection, or the
handler fails with a traceback. A fault found here names the handler and the argument, but no value.
"""

# Reflex's private parts that this module uses are only partly typed.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, cast, get_args, get_origin

from reflex_base.event import EventHandler
from reflex_base.event.processor.base_state_processor import _transform_event_payload
from reflex_base.registry import RegistrationContext

_SCALARS: Final = (str, int, float, bool)
_CONTAINERS: Final = (dict, list)


def find_fault(event: Any) -> str | None:
    """Return the reason why no handler can take this event. The reason quotes no values.

    None: a handler can take it.
    """
    if not isinstance(event, dict):
        return f"it is a {type(event).__name__} and not an object"
    fields = cast("dict[str, Any]", event)
    name, payload = fields.get("name"), fields.get("payload", {})
    if not isinstance(name, str):
        return "it has no name"
    registered = RegistrationContext.get().event_handlers.get(name)
    if registered is None:
        return "no handler has this name"
    if not isinstance(payload, dict) or not isinstance(fields.get("router_data", {}), dict):
        return "its payload or its router data is not an object"
    return _find_fault_of_arguments(registered.handler, cast("dict[str, Any]", payload))


def name_of(event: Any) -> str:
    """Return the name of an event for a log line. An unknown name is replaced, because a browser can send any text."""
    name: object = cast("dict[str, Any]", event).get("name") if isinstance(event, dict) else None
    if not isinstance(name, str):
        return "none"
    return repr(name) if name in RegistrationContext.get().event_handlers else "unknown"


def _find_fault_of_arguments(handler: EventHandler, payload: Mapping[str, Any]) -> str | None:
    parameters = _parameters_of(handler.fn)
    unknown = next((name for name in payload if name not in parameters), None)
    if unknown is not None and not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return "it has an argument that the handler does not take"
    for name, parameter in parameters.items():
        if name not in payload and parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            return f"it has no argument {name!r}"
    hints = handler._get_type_hints()  # noqa: SLF001 - Reflex itself uses this, and has no public name for it
    for name, value in payload.items():
        if not _is_possible(value, hints.get(name, Any)):
            return f"its argument {name!r} is a {type(value).__name__}"
        try:
            _transform_event_payload({name: value}, hints)
        except ValueError:
            return f"its argument {name!r} cannot be read"
    return None


def _is_possible(value: Any, hint: Any) -> bool:
    """Return False if a JSON value does not fit a parameter: a container for a scalar, or a scalar for a container."""
    if hint in _SCALARS:
        return not isinstance(value, _CONTAINERS)
    kind = get_origin(hint) or hint
    if kind in (list, tuple, set, frozenset, dict):
        return value is None or isinstance(value, _CONTAINERS)
    scalar = bool(get_args(hint)) and all(one in _SCALARS or one is type(None) for one in get_args(hint))
    return not (scalar and isinstance(value, _CONTAINERS))


@lru_cache(maxsize=2_000)
def _parameters_of(function: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a handler, except the first one, which is the state."""
    return MappingProxyType(dict(list(inspect.signature(function).parameters.items())[1:]))
