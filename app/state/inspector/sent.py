"""The recorded provider calls of a pair, each with a way to its exact bytes.

    await tab.send(SentState.open, pair_id="p1")

Nothing that is done to the conversation changes what is listed, but for words that are deleted for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.workbench import bench_of, current
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.state.usage.labels import describe_purpose, short_model
from app.store.conversation.pairs import load_pair
from app.store.run.sent_calls import Kept, KeptCall, list_kept_calls
from app.views.figures import number

MAX_ID: Final = 64
_SHORT: Final = 12
"""Characters of a hash that are shown."""
_STANDINGS: Final = {
    Kept.WHOLE: "inspector.recorded_whole",
    Kept.FORGOTTEN: "inspector.recorded_forgotten",
    Kept.DAMAGED: "inspector.recorded_damaged",
}


@dataclass(frozen=True, slots=True)
class SentItem:
    """A recorded call. `kept` is for the stylesheet, `standing` its words; `download` is "" where no body is left.

    `at` is ISO 8601; `sha256` is the whole hash, `digest` its beginning; `name` is the name of the link.
    """

    id: str
    what: str
    model: str
    at: str
    size: str
    digest: str
    sha256: str
    kept: str
    standing: str
    download: str
    name: str


class SentState(rx.State):
    """`pair` is the one whose calls are listed: then the dialog is open. `calls` is None until they are read."""

    pair: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    calls: rx.Field[tuple[SentItem, ...] | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def open(self, pair_id: str) -> None:
        """List the calls of this pair, those of its earlier versions as well."""
        wanted = text_in(pair_id, MAX_ID)
        if not wanted:
            return
        async with self:
            self.reset()
            self.pair, self.title = wanted, translate("inspector.recorded_calls")
        try:
            wb = await bench_of(current(), wanted)
            async with wb.store.read() as session:
                pair = await load_pair(session, caller(), wanted)
                calls = await list_kept_calls(session, caller(), wanted)
        except InviewError as error:
            async with self:
                if self.pair == wanted:
                    self.fault = describe_fault(error)
            return
        async with self:
            if self.pair == wanted:
                self.title = translate("inspector.recorded_for_pair", position=pair.position)
                self.calls = tuple(map(_describe, calls))

    @rx.event
    async def close(self) -> None:
        self.reset()


def _describe(one: KeptCall) -> SentItem:
    call = one.call
    what = translate("inspector.recorded_call", what=describe_purpose(call.purpose), number=call.number)
    call_id = f"{call.run_id}-{call.number}"
    return SentItem(
        id=call_id,
        what=what,
        model=short_model(call.model),
        at=call.sent_at.isoformat(),
        size=translate("inspector.recorded_bytes", number=number(one.body_bytes)),
        digest=one.body_sha256[:_SHORT],
        sha256=one.body_sha256,
        kept=one.kept.value,
        standing=translate(_STANDINGS[one.kept]),
        download=f"/api/v1/calls/{call_id}/body" if one.kept is Kept.WHOLE else "",
        name=translate("inspector.download_recorded", what=what),
    )
