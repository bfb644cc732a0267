"""Child calls: a requested title or summary, as shown in the history at the place where it was requested.

The call has a `tool` conversation with its request, its reply and its cost. The conversation that it was made for shows
a node. The node is never sent, and it stays if the title or the checkpoint that the call produced is removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import Failure
from app.domain.usage import Usage

REPLY_ROLES = {Role.SYSTEM_TITLE: Role.TITLE, Role.SYSTEM_SUMMARY: Role.SUMMARY}
"""The role of the reply to each role of a request. Neither is ever sent."""


@dataclass(frozen=True, slots=True)
class ChildCall:
    """One stored call. `role` is the role of its request.

    The node is shown after the pair at `after_position`. A summary replaces the pairs before `position`. If `made` is
    None, the call's conversation no longer exists and nothing else is known about it.
    """

    id: str
    role: Role
    after_position: int
    created_at: datetime
    position: int | None = None
    made: MadeCall | None = None

    @property
    def title(self) -> bool:
        """True if a title was requested, not a summary."""
        return self.role is Role.SYSTEM_TITLE


@dataclass(frozen=True, slots=True)
class MadeCall:
    """The call in `conversation_id`. `text`: the text of the reply so far. `usage_is_partial`: same as in a pair."""

    conversation_id: str
    run_id: str | None
    model: str
    lifecycle: Lifecycle
    text: str
    usage: Usage | None
    failure: Failure | None
    usage_is_partial: bool = False
