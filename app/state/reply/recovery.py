"""Recovery of a reply that a crash cut off, from the text that the page still shows.

await tab.send(RecoveryState.give_back, run_id="r1", parts=[{"type": "text", "text": "…"}])

`runs.recovery.recovery` decides whether the text is used. If the text is not used, this is only logged, because it does
not concern the user.
"""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx

from app.domain.errors import InviewError
from app.domain.run.recovery import MAX_PARTS, ShownPart
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.runs.app_context import current
from app.runs.recovery.recovery import recover
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.toasts import show_fault
from app.state.tab.inputs import text_in

MAX_ID: Final = 64


class RecoveryState(rx.State):
    """A state without vars: the handler that recovers a reply."""

    @rx.event(background=True)
    async def give_back(self, run_id: str, parts: list[dict[str, str]]) -> None:
        """Store the text that this page shows of an interrupted reply, if it continues the stored text."""
        valid_id, shown = text_in(run_id, MAX_ID), _shown_in(parts)
        if not valid_id or shown is None:
            return
        try:
            await recover(current(), LOCAL_OWNER, valid_id, shown)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)


def _shown_in(value: object) -> tuple[ShownPart, ...] | None:
    """Return the parts that a page sent, None if they are not valid."""
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
