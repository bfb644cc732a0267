r"""Patterns of texts in requests, each with the message for a text that does not match.

The patterns are part of the OpenAPI document, which programs in any language read. So character classes whose meaning
differs in other regular expression engines (`\s`, `\d`) are written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MODEL: Final = r"^[a-z0-9][a-z0-9_-]{0,39}:[^\x00-\x20]+$"
# A character that no regular expression engine treats as blank.
NOT_BLANK: Final = r"[^\s\x1c-\x1f\x85\ufeff]"
PAIR_CURSOR: Final = "^(before|after)-[0-9]{1,15}$"
# A position, or the id of a pair.
NEWER_CURSOR: Final = "^after-([0-9]{1,15}|pair-[0-9a-z]{1,64})$"
# Microseconds since 1970 (17 digits last until the year 5138), then the id.
CONVERSATION_CURSOR: Final = "^[0-9]{1,17}-[0-9a-z]{1,64}$"
SHA256: Final = "^[0-9a-f]{64}$"
# The SHA-256 of bytes, or the id of an upload with these bytes.
UPLOAD_ID: Final = "^([0-9a-f]{64}|[0-9a-z]{26})$"
ENTRY_CURSOR: Final = "^[0-9]{1,15}$"
TOOL_NAME: Final = "^[a-zA-Z0-9_-]{1,64}$"
SERVER_NAME: Final = "^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$"
MONEY: Final = r"^[0-9]{1,7}(\.[0-9]{1,6})?$"

NO_CURSOR = "This is not a cursor of this list. Use one from a response of this endpoint."

REASONS: Mapping[str, str] = MappingProxyType(
    {
        MODEL: 'This is not a model. Write it as "provider:model", for example "offline:demo".',
        UPLOAD_ID: "This is not an attachment id. Use one from POST /attachments or from a part of a message.",
        SHA256: "This is not an attachment id. Use one from a part of a message.",
        NOT_BLANK: "The text is blank. Write something to send.",
        TOOL_NAME: "This is not a tool name. A tool name has letters, digits, - and _, at most 64, as in GET …/tools.",
        SERVER_NAME: "use letters and digits, with single hyphens or underscores between them, such as files.",
        MONEY: 'This is not an amount of US dollars. Write it in digits, for example "2.50".',
        PAIR_CURSOR: NO_CURSOR,
        NEWER_CURSOR: NO_CURSOR,
        CONVERSATION_CURSOR: NO_CURSOR,
        ENTRY_CURSOR: NO_CURSOR,
    }
)
