"""Bodies of requests for titles, summaries, checkpoints and the cache keep-alive."""

from __future__ import annotations

from pydantic import Field

from app.api.http.bodies import Body, FilterLine, Instant, ModelName, Sending, TopicId, ZoneName
from app.api.http.patterns import NOT_BLANK
from app.domain.cache.keep_alive import MAX_MINUTES
from app.runs.derived.summaries import Extent
from app.runs.send.context_selection import UTC_ZONE, ViewOptions


class ToSummarise(Sending):
    """What is to be summarised: what of the pairs in view does not fit beside this draft, or as is said."""

    text: str = Field("", description="The draft that is to fit beside the newer pairs.")
    everything: bool = Field(default=False, description="All pairs in view, also those that fit.")
    up_to: int | None = Field(
        None, ge=1, le=2**53 - 1, description="The pairs in view at this position and before it, also those that fit."
    )

    def extent(self) -> Extent:
        return Extent(self.everything, self.up_to)


class ToTitle(Body):
    """How the conversation is looked at that is to have a title. Without `model`, the conversation's own is asked."""

    model: ModelName | None = None
    filter: FilterLine | None = Field(None, description="Which pairs are in view. Without it, the conversation's own.")
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE
    as_of: Instant | None = Field(None, description="When ages are read. Without it, now.")

    def view_options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)


class ToKeepWarm(Body):
    """What is to be kept warm: what a send with these view options would read of the provider's cache."""

    minutes: int = Field(ge=1, le=MAX_MINUTES, description="For how long from now on.")
    model: ModelName | None = None
    filter: FilterLine | None = Field(None, description="Which pairs are in view. Without it, the conversation's own.")
    topic: TopicId | None = None
    zone: ZoneName = UTC_ZONE

    def view_options(self) -> ViewOptions:
        return ViewOptions(self.filter, self.model, self.topic, self.zone)


class ChangedCheckpoint(Body):
    """What a checkpoint is to say."""

    summary: str = Field(pattern=NOT_BLANK, max_length=200_000, description="Sent in the place of what it stands for.")
    position: int | None = Field(
        None, ge=1, le=2**53 - 1, description="Also before which pair. Without it, where it stands."
    )
