"""Encodes views as JSON. All code that writes views as JSON uses this module. Views may contain enums and UTC times.

>>> to_json({"at": None})
b'{"at":null}'
"""

from __future__ import annotations

import orjson

JSON_OPTIONS = orjson.OPT_UTC_Z
"""The options of orjson. UTC times end in `Z`: every stored time is an aware UTC time."""


def to_json(view: object) -> bytes:
    """Encode a view as UTF-8 JSON.

    Raises:
        TypeError: the view contains a value that JSON and `JSON_OPTIONS` cannot express.
    """
    return orjson.dumps(view, option=JSON_OPTIONS)


def to_readable_json(view: object) -> bytes:
    """Encode a view as UTF-8 JSON with a line for each value, for files that people read and change.

    Raises:
        TypeError: the view contains a value that JSON and `JSON_OPTIONS` cannot express.
    """
    return orjson.dumps(view, option=JSON_OPTIONS | orjson.OPT_INDENT_2)


def raw_json(body: bytes) -> orjson.Fragment:
    """Wrap JSON text, such as the body of a preview, in a value that `to_json` writes unchanged into its result."""
    return orjson.Fragment(body)
