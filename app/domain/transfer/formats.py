"""The formats of other applications that can be imported, and which of them a file has.

>>> detect({"uuid": "c1", "chat_messages": []}).name
'Claude'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from app.domain.transfer.chatgpt import is_chatgpt, read_chatgpt
from app.domain.transfer.claude import is_claude, read_claude
from app.domain.transfer.foreign import ForeignConversation, UnreadableError
from app.domain.transfer.maichat import is_maichat, read_maichat
from app.domain.transfer.open_webui import is_open_webui, read_open_webui

INVIEW: Final = "inview"
"""The key of Inview's own format, which is read elsewhere (`runs/transfer/imports/file.py`)."""


@dataclass(frozen=True, slots=True)
class ForeignFormat:
    """A format. `key` names its vendor in the names of models (`chatgpt:gpt-4o`); `name` is for people."""

    key: str
    name: str
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[dict[str, Any]], ForeignConversation]


# In this order: the last one takes any list of messages.
FORMATS: Final = (
    ForeignFormat("chatgpt", "ChatGPT", is_chatgpt, read_chatgpt),
    ForeignFormat("claude", "Claude", is_claude, read_claude),
    ForeignFormat("maichat", "MaiChat", is_maichat, read_maichat),
    ForeignFormat("open-webui", "Open WebUI", is_open_webui, read_open_webui),
)
NAMES: Final[Mapping[str, str]] = MappingProxyType({INVIEW: "Inview", **{one.key: one.name for one in FORMATS}})


def detect(item: dict[str, Any]) -> ForeignFormat:
    """The format of a conversation.

    Raises:
        UnreadableError: it is none of those that are known.
    """
    for one in FORMATS:
        if one.recognises(item):
            return one
    raise UnreadableError("It is no conversation of ChatGPT, Claude, Open WebUI or MaiChat.")
