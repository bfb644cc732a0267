"""Encodes views as JSON, the one way: orjson reads dataclasses, enums and UTC times itself.

>>> to_json({"at": None})
b'{"at":null}'
"""

from __future__ import annotations

import orjson

JSON_OPTIONS = orjson.OPT_UTC_Z
"""Times end in `Z`: every stored time is an aware UTC time."""


def to_json(view: object) -> bytes:
    """The view as UTF-8 JSON.

    Raises:
        TypeError: it holds something that is not a view.
    """
    return orjson.dumps(view, option=JSON_OPTIONS)


def to_readable_json(view: object) -> bytes:
    """The same with a line for each value: for files that people read and change.

    Raises:
        TypeError: it holds something that is not a view.
    """
    return orjson.dumps(view, option=JSON_OPTIONS | orjson.OPT_INDENT_2)


def raw_json(body: bytes) -> orjson.Fragment:
    """JSON text that is to stand in a larger one byte for byte, such as the body of a preview."""
    return orjson.Fragment(body)
