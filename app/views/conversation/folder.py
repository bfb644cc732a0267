"""The views of folders."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.conversation.folders import Folder
from app.domain.conversation.metadata import decode_metadata
from app.views.conversation.pair import DamageView, describe_damage


@dataclass(frozen=True, slots=True)
class FolderView:
    """A folder. `count` is the number of its conversations, without those in the trash.

    `damage`: unreadable values. A new value replaces one of them.
    """

    id: str
    name: str
    metadata: dict[str, Any]
    count: int
    created_at: datetime
    updated_at: datetime
    damage: tuple[DamageView, ...] = ()


@dataclass(frozen=True, slots=True)
class FoldersView:
    """All folders of an owner, sorted by name."""

    items: tuple[FolderView, ...]


def describe_folder(folder: Folder, count: int) -> FolderView:
    """Convert a folder for the HTTP API. `count` is the number of its conversations."""
    return FolderView(
        folder.id,
        folder.name,
        decode_metadata(folder.metadata_json),
        count,
        folder.created_at,
        folder.updated_at,
        describe_damage(folder.damage),
    )
