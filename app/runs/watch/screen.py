"""The content of one open page of a conversation, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from app.views.compare.compared import ComparedColumnsView
from app.views.composer.context import ContextView, RefusalView
from app.views.conversation.damage import DamagedSettingView
from app.views.reply.pair import ScreenPairView
from app.views.reply.panels import (
    CountingView,
    PermissionItemView,
    RetryView,
    ScreenComparisonView,
    ScreenQueueView,
    ToolProgressView,
)

EMPTY_QUEUE: Final = ScreenQueueView()


@dataclass(frozen=True, slots=True)
class Screen:
    """The content of one open page of a conversation.

    The pairs:

    - `pairs`: the pairs that the page has loaded, oldest first.
    - `earlier`, `later`: there are older or newer pairs in view.
    - `running`: the pair whose reply is running; "": none.
    - `ended`: the pair whose reply ended last; "": none.
    - `counting`: the progress of counting the tokens of pairs, while `context` has to wait for it; otherwise None.

    The next send:

    - `context`: describes the next send. None until it is known, or if the conversation cannot be composed.
    - `edition`: the number of the draft that `context` includes.
    - `refusal`: the reason why the last requested view options cannot be used.
    - `damaged`: the settings of the conversation that cannot be read. While there are any, nothing can be sent.

    The rest of the page:

    - `compared`: the replies of the `comparison`, while the page shows them.
    - `changes`: the number of changes of the conversation itself (title, agent, checkpoint).
    - `has_panels`: False until `queue`, `permissions` and `comparison` have been read; until then they are empty.
    """

    pairs: tuple[ScreenPairView, ...] = ()
    earlier: bool = False
    later: bool = False
    context: ContextView | None = None
    refusal: RefusalView | None = None
    edition: int = 0
    running: str = ""
    ended: str = ""
    retry: RetryView | None = None
    progress: tuple[ToolProgressView, ...] = ()
    queue: ScreenQueueView = EMPTY_QUEUE
    permissions: tuple[PermissionItemView, ...] = ()
    comparison: ScreenComparisonView | None = None
    compared: ComparedColumnsView | None = None
    changes: int = 0
    counting: CountingView | None = None
    damaged: tuple[DamagedSettingView, ...] = ()
    has_panels: bool = False

    def differs_in_pairs_alone(self, other: Screen) -> bool:
        """Return True if everything except the pairs is the same. This is the usual case while a reply streams."""
        return all(getattr(self, name) is getattr(other, name) for name in _BESIDE_PAIRS)

    def has_same_surroundings(self, other: Screen) -> bool:
        """Return True if both screens have the same data around the pairs: context, queue, comparison and so on."""
        return (
            self.context is other.context
            and self.refusal is other.refusal
            and self.has_panels == other.has_panels
            and self.queue is other.queue
            and self.permissions is other.permissions
            and self.comparison is other.comparison
            and self.compared is other.compared
            and self.running == other.running
            and self.counting == other.counting
            and self.edition == other.edition
        )


_BESIDE_PAIRS: Final = tuple(each.name for each in fields(Screen) if each.name != "pairs")
