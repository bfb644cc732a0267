"""URI templates (RFC 6570), whose variables a person fills in. The value of each variable is one text, never a list.

Unreadable variables are skipped without an error, because some servers list invalid templates.

    >>> fill_template("note://{folder}/{name}{?page}", {"folder": "tea & cake", "name": "a"})
    'note://tea%20%26%20cake/a'
    >>> [one.name for one in list_variables("note://{folder}/{name}{?page}") if one.required]
    ['folder', 'name']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from app.domain.errors import InputError

_EXPRESSION: Final = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE: Final = re.compile(r"((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(?:\*|:([1-9][0-9]{0,3}))?")
_ESCAPED: Final = re.compile("%25([0-9A-Fa-f]{2})")
"""A percent escape that was escaped a second time, in an expression that allows escapes in its values."""
_RESERVED: Final = ":/?#[]@!$&'()*+,;="


@dataclass(frozen=True, slots=True)
class TemplateVariable:
    """A variable of a template.

    A variable that is not `required` is written with its name, as in `?page=2`. It is left out if a person enters no
    value.
    """

    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class _Operator:
    """An operator of RFC 6570, a row of the table in its appendix A.

    - `first`: written in front of the values.
    - `between`: separates the values.
    - `named`: each value follows its name and "=".
    - `safe`: the characters that are not escaped.

    The table's column for empty values has no field here, because an empty value is left out, like an undefined one.
    """

    first: str
    between: str
    named: bool = False
    safe: str = ""


_OPERATORS: Mapping[str, _Operator] = MappingProxyType(
    {
        "": _Operator("", ","),
        "+": _Operator("", ",", safe=_RESERVED),
        "#": _Operator("#", ",", safe=_RESERVED),
        ".": _Operator(".", "."),
        "/": _Operator("/", "/"),
        ";": _Operator(";", ";", named=True),
        "?": _Operator("?", "&", named=True),
        "&": _Operator("&", "&", named=True),
    }
)


def list_variables(template: str) -> tuple[TemplateVariable, ...]:
    """Return the variables of a template in order, each once. Unreadable ones are skipped."""
    found: dict[str, bool] = {}
    for operator, inside in _EXPRESSION.findall(template):
        for variable in filter(None, map(_VARIABLE.fullmatch, inside.split(","))):
            found[variable[1]] = found.get(variable[1], False) or not _OPERATORS[operator].named
    return tuple(TemplateVariable(name, required) for name, required in found.items())


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the URI of a template with these values. A text without variables is already a URI.

    Raises:
        InputError: `variables`: a value is missing, or no variable has this name. `uri`: the text is not a template.
    """
    variables = list_variables(template)
    if unknown := values.keys() - {one.name for one in variables}:
        raise InputError(f"variables.{min(unknown)}", "the address has no variable with this name.")
    for one in variables:
        if one.required and not values.get(one.name):
            raise InputError(f"variables.{one.name}", "a value is required.")
    if re.search(r"[{}]", _EXPRESSION.sub("", template)):
        raise InputError("uri", "its braces do not match.")
    return _EXPRESSION.sub(lambda found: _fill(found[1], found[2], values), template)


def _fill(operator: str, inside: str, values: Mapping[str, str]) -> str:
    how = _OPERATORS[operator]
    parts = list[str]()
    for one in inside.split(","):
        variable = _VARIABLE.fullmatch(one)
        if variable is None:
            raise InputError("uri", f"{{{operator}{inside}}} is not an expression of a URI template.")
        name, length = variable[1], int(variable[2]) if variable[2] else None
        if value := values.get(name, "")[:length]:
            parts.append(f"{name}={_escape(value, how)}" if how.named else _escape(value, how))
    return how.first + how.between.join(parts) if parts else ""


def _escape(value: str, how: _Operator) -> str:
    escaped = quote(value, safe=how.safe)
    return _ESCAPED.sub(r"%\1", escaped) if how.safe else escaped
