"""Takes back from the page the text of a reply that a crash cut off.

await tab.send(RecoveryState.give_back, run_id="r1", parts=[{"type": "text", "text": "…"}])

Whether it is taken is decided by `runs.recovery.returned_text`. A refusal does not concern the reader: it is in
the log.
"""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx

from app.domain.errors import InviewError
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.domain.run.returned_text import MAX_PARTS, ShownPart
from app.runs.caller import caller
from app.runs.recovery.returned_text import recover
from app.runs.workbench import current
from app.state.inputs import text_in
from app.state.toasts import show_fault

MAX_ID: Final = 64


class RecoveryState(rx.State):
    """Has no vars."""

    @rx.event(background=True)
    async def give_back(self, run_id: str, parts: list[dict[str, str]]) -> None:
        """Take what this page shows of an interrupted reply, if it is what was stored and more."""
        wanted, shown = text_in(run_id, MAX_ID), _shown_in(parts)
        if not wanted or shown is None:
            return
        try:
            await recover(current(), caller(), wanted, shown)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)


def _shown_in(value: object) -> tuple[ShownPart, ...] | None:
    """Parts as a page sends them; None for anything else."""
    if not isinstance(value, list) or len(items := cast("list[Any]", value)) > MAX_PARTS:
        return None
    found: list[ShownPart] = []
    for item in items:
        if not isinstance(item, dict):
            return None
        fields = cast("dict[str, Any]", item)
        kind, text = text_in(fields.get("type"), MAX_ID), text_in(fields.get("text"), MAX_REPLY_BYTES)
        if kind is None or text is None:
            return None
        found.append(ShownPart(kind, text))
    return tuple(found)
