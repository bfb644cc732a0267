"""Commands to read and change a user's preferences for all conversations; see `domain/settings/preferences.py`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from app.domain.context.middleware import UserOptions, compose_system_prelude
from app.domain.settings.preferences import Preferences, read_user_options, require_usable
from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.store.settings import preferences


async def read_preferences(ctx: AppContext, owner: str) -> Preferences:
    """Read this owner's preferences."""
    async with ctx.store.read() as session:
        return await preferences.load_preferences(session, owner)


async def read_prelude(ctx: AppContext, owner: str) -> str | None:
    """Return the prelude: the text about this owner that models receive and a card shows, or None if there is none."""
    return prelude_of(await read_preferences(ctx, owner))


def prelude_of(known: Preferences) -> str | None:
    """Return the prelude in these preferences, or None if there is none."""
    return compose_system_prelude(read_user_options(known, now()))


async def set_preferences(ctx: AppContext, owner: str, changed: Preferences) -> None:
    """Replace all preferences.

    Raises:
        InputError: a preference is invalid.
    """
    await change_preferences(ctx, owner, lambda _: changed)


@shielded
async def change_preferences(ctx: AppContext, owner: str, change: Callable[[Preferences], Preferences]) -> Preferences:
    """Change some preferences and leave the others as stored. Return all of them.

    `change` receives the stored preferences and returns the changed ones:

        await change_preferences(ctx, owner, lambda known: replace(known, redact=True))

    Raises:
        InputError: a preference is invalid.
    """
    at = now()
    async with ctx.store.write() as session:
        before = await preferences.load_preferences(session, owner)
        changed = change(before)
        require_usable(changed)
        await preferences.save_preferences(session, owner, changed, at)
    if _read_all(before, at) != _read_all(changed, at):
        _publish(ctx, owner)
    return changed


def _read_all(known: Preferences, at: datetime) -> UserOptions:
    """Return the settings that change every request, for a conversation with a folder and a first request."""
    return read_user_options(known, at, first_request="request", project="project")


def _publish(ctx: AppContext, owner: str) -> None:
    """Make every open page build the request of its conversation again, with the changed preferences."""
    for each in filter(None, (ctx, ctx.temporary.ctx)):
        for conversation_id in each.event_bus.watched(owner):
            each.event_bus.publish(owner, conversation_id, ConversationChanged())
