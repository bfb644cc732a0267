"""A grant: its owner lets another person of the installation read a conversation, or continue it in a copy.

What a person with a grant gets is what a share with everything chosen shows (`shares.py`): requests, replies, the
system prompt, thinking and calls of tools, without secrets of known forms. Stars, marks, topics, earlier versions and
costs stay the owner's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from app.domain.sharing.shares import ShareChoice

WHOLE: Final = ShareChoice(system_prompt=True, thinking=True, tools=True)
"""What of a conversation is granted."""


class Access(StrEnum):
    """What a grant allows. `continue`: to read, and to have a copy of one's own to go on in."""

    READ = "read"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class Grant:
    """A person with access to a conversation of somebody else."""

    id: str
    owner: str
    conversation_id: str
    person_id: str
    access: Access
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Granted:
    """A grant with the title of its conversation, the beginning of its first request, and when it changed last."""

    grant: Grant
    title: str
    opening: str
    updated_at: datetime
