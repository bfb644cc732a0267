"""URI templates (RFC 6570), as far as a person fills them in: every variable is one text, never a list.

That one can be read is not said: who lists servers' templates meets broken ones.

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
"""What was escaped before, where that stays as it is."""
_RESERVED: Final = ":/?#[]@!$&'()*+,;="


@dataclass(frozen=True, slots=True)
class TemplateVariable:
    """A variable. One that is not `required` belongs to a query: what is left empty is left out."""

    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class _Operator:
    """RFC 6570, appendix A: what stands first, what between, whether names are told, and what is not escaped.

    Its column for empty values is not here: what a person leaves empty is left out, as what is not defined is.
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
    """The variables of a template, in their order, each once. What cannot be read as one is none."""
    found: dict[str, bool] = {}
    for operator, inside in _EXPRESSION.findall(template):
        for variable in filter(None, map(_VARIABLE.fullmatch, inside.split(","))):
            found[variable[1]] = found.get(variable[1], False) or not _OPERATORS[operator].named
    return tuple(TemplateVariable(name, required) for name, required in found.items())


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """The URI that these values make of a template; a text without variables is one already.

    Raises:
        InputError: `variables`: a value is missing, or there is no such variable. `uri`: it is no template.
    """
    variables = list_variables(template)
    if unknown := values.keys() - {one.name for one in variables}:
        raise InputError(f"variables.{min(unknown)}", "the address has no variable of that name.")
    for one in variables:
        if one.required and not values.get(one.name):
            raise InputError(f"variables.{one.name}", "fill it in.")
    if re.search(r"[{}]", _EXPRESSION.sub("", template)):
        raise InputError("uri", "its braces do not fit together.")
    return _EXPRESSION.sub(lambda found: _fill(found[1], found[2], values), template)


def _fill(operator: str, inside: str, values: Mapping[str, str]) -> str:
    how = _OPERATORS[operator]
    parts = list[str]()
    for one in inside.split(","):
        variable = _VARIABLE.fullmatch(one)
        if variable is None:
            raise InputError("uri", f"{{{operator}{inside}}} is no expression of a URI template.")
        name, length = variable[1], int(variable[2]) if variable[2] else None
        if value := values.get(name, "")[:length]:
            parts.append(f"{name}={_escape(value, how)}" if how.named else _escape(value, how))
    return how.first + how.between.join(parts) if parts else ""


def _escape(value: str, how: _Operator) -> str:
    escaped = quote(value, safe=how.safe)
    return _ESCAPED.sub(r"%\1", escaped) if how.safe else escaped
