"""The search for the pair that a person acts on, also on a page that was opened or reloaded a moment ago.

Such a page may still show the pairs that it had before, while its new watcher reads them again. A click or a key on a
pair then waits for this reading.

    if (pair := await find_pair(self, pair_id)) is None:
        return None                      # a toast gives the reason
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.messages.toasts import show_fault
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import loaded_watcher_of, wait_for_watcher
from app.views.reply.pair import ScreenPairView

MAX_ID: Final = 64
NOT_SHOWN: Final = "This pair is no longer on the page."
NOT_LOADED: Final = "The pairs are not loaded. Try again, or reload the page."


async def find_pair(state: rx.State, pair_id: object) -> ScreenPairView | None:
    """Return a pair of this page. If there is none with this id, show a toast with the reason and return None.

    Background handlers call `find_pair_in_background`.
    """
    pair, fault = await _look_up(state, pair_id, locked=True)
    if fault:
        await show_fault(state, fault)
    return pair


async def find_pair_in_background(state: rx.State, pair_id: object) -> ScreenPairView | None:
    """Do the same as `find_pair`, for a background handler that does not hold the lock of the state."""
    await wait_for_watcher(state)
    pair, fault = await _look_up(state, pair_id, locked=False)
    if fault:
        async with state:
            await show_fault(state, fault)
    return pair


async def find_pair_if_shown(state: rx.State, pair_id: object) -> ScreenPairView | None:
    """Return a pair of this page, or None if there is none with this id. Show no toast."""
    pair, _ = await _look_up(state, pair_id, locked=True)
    return pair


async def _look_up(state: rx.State, pair_id: object, *, locked: bool) -> tuple[ScreenPairView | None, str]:
    """Return a pair of this page, and the reason if there is none. The reason is "" for an id that no page sends."""
    if not (valid_id := text_in(pair_id, MAX_ID)):
        return None, ""
    if (watcher := await loaded_watcher_of(state, locked=locked)) is None:
        return None, NOT_LOADED
    pair = watcher.pair(valid_id)
    return pair, NOT_SHOWN if pair is None else ""
