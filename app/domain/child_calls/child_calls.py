"""Child calls: calls that were made for a title or a summary, as the history of the conversation shows them.

A child call is stored in a conversation of kind `tool`, with its request, its reply and its cost. The conversation that
the call was made for shows a node at the place where the call was requested. The node is never sent, and it stays even
if the title or the checkpoint is removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.conversation import Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import Failure
from app.domain.usage import Usage

REPLY_ROLES = {Role.SYSTEM_TITLE: Role.TITLE, Role.SYSTEM_SUMMARY: Role.SUMMARY}
"""The role of a child call's reply, for each role of its request. No message with one of these roles is sent."""


@dataclass(frozen=True, slots=True)
class ChildCall:
    """One stored child call. The page shows it as a node, a line between pairs.

    - `role`: the role of its request.
    - `after_position`: the node is shown after the pair at this position.
    - `position`: for a summary; it replaces the pairs with a lower position.
    - `made`: the provider call; None if its conversation no longer exists, so that nothing else is known about the
      call.
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
    """The provider call of a child call. `conversation_id` is the conversation that holds it.

    `text` is the text of the reply so far. `usage_is_partial` has the same meaning as in `Pair`.
    """

    conversation_id: str
    run_id: str | None
    model: str
    lifecycle: Lifecycle
    text: str
    usage: Usage | None
    failure: Failure | None
    usage_is_partial: bool = False
