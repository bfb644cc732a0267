"""Content of messages that both vendors' APIs have: pictures as base64, and schemas of tools.

>>> write_schema({"type": "object"})
'{"type":"object"}'
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error
from collections.abc import Collection, Mapping
from typing import Any

from app.domain.conversation.attachments import Attachment, look_at
from app.domain.conversation.parameters import NAMED_TOOL, REQUIRED
from app.domain.errors import InputError
from app.domain.tools.tools import Tool

DATA = "data:"


def read_picture(data: str, field: str) -> Attachment:
    """The picture that base64 text holds. What its sender says of its type is not believed.

    Raises:
        InputError: it is no base64, or no picture that models take.
    """
    try:
        raw = b64decode(data, validate=True)
    except (Error, ValueError):
        raise InputError(field, "is no base64. Send the bytes of the picture in it.") from None
    if (picture := look_at(raw)) is None:
        raise InputError(field, "is no picture that models take. Send a PNG, JPEG, WebP or GIF.")
    return Attachment(picture.media_type, raw)


def read_data_url(url: str, field: str) -> Attachment:
    """The picture of a `data:` URL.

    Raises:
        InputError: it is another URL, which Inview does not fetch, or no picture.
    """
    head, found, data = url.partition(",")
    if not head.startswith(DATA) or not head.endswith(";base64") or not found:
        raise InputError(field, "is no data URL. Inview fetches no pictures: send data:image/png;base64,…")
    return read_picture(data, field)


def read_choice(told: Collection[Tool], name: str | None = None) -> str:
    """The choice that a reply calls one of the tools that are told, or the one of this name.

    Raises:
        InputError: there is no such tool among them.
    """
    if name is None and not told:
        raise InputError("tool_choice", "asks for a tool, and there are none in tools.")
    if name is not None and name not in {tool.name for tool in told}:
        raise InputError("tool_choice", f"names the tool {name!r}, which is not in tools.")
    return REQUIRED if name is None else NAMED_TOOL + name


def write_schema(schema: Mapping[str, Any]) -> str:
    """A JSON schema as text."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
