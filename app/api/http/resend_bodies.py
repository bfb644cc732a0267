"""Bodies of requests that send a pair again: unchanged, edited, from its snapshot, or in an earlier version."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.api.http.bodies import Body, Selection, Sending, Standing
from app.runs.resend.resend import Later, Seen

ChangedText = Annotated[
    str | None,
    Field(description="In the place of what was asked. Blank only where something is attached to it."),
]


class SeenBefore(Body):
    """What was seen of a pair before it is sent again."""

    standing: Standing = None
    later_count: int | None = Field(
        None, ge=0, le=2**53 - 1, description="How many pairs after it were seen: no others are discarded."
    )

    def seen(self) -> Seen:
        return Seen(self.standing, self.later_count)


class PairToResend(Sending, SeenBefore):
    """How a pair is sent again. Without `text`, as it was; without `later`, only if no pair stands after it."""

    text: ChangedText = None
    selection: Selection = None
    later: Later | None = Field(
        None,
        strict=False,
        description="What becomes of the pairs after it: they stay, they are deleted (`undo` brings them back), or "
        "nothing changes here and it is sent in a new conversation with copies of the pairs before it.",
    )


class PairToPreview(Sending):
    """How a pair would be sent again. Without `text`, as it was."""

    text: ChangedText = None


class KeptToResend(SeenBefore):
    """What becomes of the pairs after one whose kept request is sent again."""

    later: Literal["keep", "discard"] | None = Field(
        None, description="They stay, or they are deleted (`undo` brings them back)."
    )

    def choice(self) -> Later | None:
        return None if self.later is None else Later(self.later)


class VersionToRestore(Body):
    """Which version of a pair is to stand in it."""

    version: int = Field(ge=1, le=1_000_000)
    standing: Standing = None
