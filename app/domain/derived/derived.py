"""Derived calls: a title or a summary that was asked for, as it stands in the history where it happened.

The call itself has a `tool` conversation of its own, with its request, its reply and its cost. In the conversation it
was made for stands a node: never sent, and gone with neither the title nor the checkpoint that came of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import Failure
from app.domain.usage import Usage

REPLY_ROLES = {Role.SYSTEM_TITLE: Role.TITLE, Role.SYSTEM_SUMMARY: Role.SUMMARY}
"""What answers which request; neither is ever sent."""


@dataclass(frozen=True, slots=True)
class DerivedCall:
    """One call as stored. `role` is that of its request.

    It stands after the pair at `after_position`. A summary stands for the pairs before `position`. Without `made`, its
    conversation is gone and nothing else is known of it.
    """

    id: str
    role: Role
    after_position: int
    created_at: datetime
    position: int | None = None
    made: MadeCall | None = None

    @property
    def title(self) -> bool:
        """Whether a title was asked for, not a summary."""
        return self.role is Role.SYSTEM_TITLE


@dataclass(frozen=True, slots=True)
class MadeCall:
    """The call in `conversation_id`. `text`: the words of the reply so far. `usage_is_partial`: as that of a pair."""

    conversation_id: str
    run_id: str | None
    model: str
    lifecycle: Lifecycle
    text: str
    usage: Usage | None
    failure: Failure | None
    usage_is_partial: bool = False
