"""Views of the versions of a pair, and of the stored request of a failed pair."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.conversation.conversation import Version
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.views.conversation.marks import ChangeView
from app.views.conversation.pair import (
    DamageView,
    FailureView,
    UsageView,
    describe_damage,
    describe_failure,
    describe_usage,
)
from app.views.conversation.parts import PartView, describe_parts
from app.views.conversation.run import StartedRunView
from app.views.request.parameters import ParametersView, show_parameters
from app.views.request.preview import HeaderView


@dataclass(frozen=True, slots=True)
class VersionView:
    """One version of a pair: the request and the reply of one of its sends.

    `version` is its number, from 1. `standing`: it is the current version. `damage` lists unreadable values.
    """

    version: int
    standing: bool
    model: str
    parameters: ParametersView
    user_text: str
    reply_text: str
    parts: tuple[PartView, ...]
    lifecycle: Lifecycle
    error: FailureView | None
    usage: UsageView | None
    run_id: str | None
    created_at: datetime
    damage: tuple[DamageView, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionsView:
    """All versions of a pair, oldest first."""

    items: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResentView(StartedRunView):
    """A pair that is being sent again. `undo` are the changes that restore discarded later pairs (`POST …/marks`)."""

    conversation_id: str
    undo: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """The exact request that was sent for a failed pair. `body` is the JSON body, byte for byte."""

    pair_id: str
    run_id: str
    model: str
    url: str
    headers: tuple[HeaderView, ...]
    body: Any
    content_hash: str
    created_at: datetime


def describe_version(version: Version) -> VersionView:
    """Convert a version of a pair to the form that the HTTP API returns."""
    parts = () if version.reply is None else version.reply.parts
    return VersionView(
        version=version.number,
        standing=version.standing,
        model=version.model,
        parameters=show_parameters(version.parameters),
        user_text=plain_text(version.request.parts),
        reply_text=plain_text(parts),
        parts=describe_parts(parts),
        lifecycle=version.lifecycle,
        error=None if version.failure is None else describe_failure(version.failure),
        usage=None if version.usage is None else describe_usage(version.usage),
        run_id=version.run_id,
        created_at=version.created_at,
        damage=describe_damage(version.damage),
    )
