r"""Variables of a prompt: `{{name}}`, or `{{name=default}}`; `\{{name}}` stands for itself.

    >>> list_variables("Translate into {{language=German}}: {{text}}")
    (Variable(name='language', default='German'), Variable(name='text', default=None))
    >>> fill_in("Translate into {{language=German}}: {{text}}", {"text": "{{tea}}"})
    'Translate into German: {{tea}}'

A value is put in as it is: what looks like a variable in it is none. Braces around anything else are text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.errors import InputError

MAX_VARIABLES: Final = 20
"""Variables of one prompt: a dialog asks for all of them."""

_PLACE: Final = re.compile(r"(\\?)\{\{[ \t]*([^\W\d_]\w*(?:[ -]\w+)*)[ \t]*(?:=([^{}\n]*))?\}\}")


@dataclass(frozen=True, slots=True)
class Variable:
    """A name, and the value where none is given; None: one has to be given."""

    name: str
    default: str | None = None


def list_variables(text: str) -> tuple[Variable, ...]:
    """The variables of a text in their order. One that occurs several times has the first default that is written."""
    found: dict[str, str | None] = {}
    for place in _PLACE.finditer(text):
        escaped, name, default = place.groups()
        if not escaped:
            known = found.get(name)
            found[name] = known if known is not None else None if default is None else default.strip()
    return tuple(Variable(name, default) for name, default in found.items())


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """The text with a value for each variable. One that is not given has its default.

    Raises:
        InputError: one without a default is not given. Values that no variable has are left out of account.
    """
    known = {one.name: values.get(one.name, one.default) for one in list_variables(text)}

    def put(place: re.Match[str]) -> str:
        escaped, name, _ = place.groups()
        if escaped:
            return place[0][1:]
        value = known[name]
        if value is None:
            raise InputError(f"values.{name}", "is missing, and has no default.")
        return value

    return _PLACE.sub(put, text)
