"""Encodes views as JSON. All code uses this module; orjson reads dataclasses, enums and UTC times itself.

>>> to_json({"at": None})
b'{"at":null}'
"""

from __future__ import annotations

import orjson

JSON_OPTIONS = orjson.OPT_UTC_Z
"""Times end in `Z`: every stored time is an aware UTC time."""


def to_json(view: object) -> bytes:
    """Encode a view as UTF-8 JSON.

    Raises:
        TypeError: it contains a value that is not a view.
    """
    return orjson.dumps(view, option=JSON_OPTIONS)


def to_readable_json(view: object) -> bytes:
    """Encode a view as JSON with a line for each value: for files that people read and change.

    Raises:
        TypeError: it contains a value that is not a view.
    """
    return orjson.dumps(view, option=JSON_OPTIONS | orjson.OPT_INDENT_2)


def raw_json(body: bytes) -> orjson.Fragment:
    """Wrap JSON text to be included byte for byte in a larger JSON text, such as the body of a preview."""
    return orjson.Fragment(body)
