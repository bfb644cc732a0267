"""Shares as shown, without the token that opens them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.sharing.shares import Share


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """A share. `system_prompt`, `thinking` and `tools` say what its page shows beside requests and replies.

    `author` is the name on the page, "" for none; `views` is how often the page was opened.
    """

    id: str
    conversation_id: str
    title: str
    system_prompt: bool
    thinking: bool
    tools: bool
    cost: bool
    author: str
    pairs: int
    created_at: datetime
    expires_at: datetime
    views: int


@dataclass(frozen=True, slots=True)
class MadeShareView:
    """A share that was just made. `path` is that of its link: it is not said again."""

    share: ShareView
    path: str


@dataclass(frozen=True, slots=True)
class SharesView:
    """Shares that open something, the newest first."""

    items: tuple[ShareView, ...]


@dataclass(frozen=True, slots=True)
class SharePreviewView:
    """The page that a share would open, as HTML. `secrets` stand on it as marks, `running` pairs are not on it."""

    html: str
    pairs: int
    secrets: int
    running: int


def describe_share(share: Share) -> ShareView:
    """Show a share."""
    choice = share.choice
    return ShareView(
        id=share.id,
        conversation_id=share.conversation_id,
        title=share.title,
        system_prompt=choice.system_prompt,
        thinking=choice.thinking,
        tools=choice.tools,
        cost=choice.cost,
        author=choice.author,
        pairs=share.pairs,
        created_at=share.created_at,
        expires_at=share.expires_at,
        views=share.views,
    )
