"""Events of conversations as messages to other processes.

    decode_event(encode_event(PairsChanged(("p1",)))) == PairsChanged(("p1",))

`RunStarted` travels without its pair, which whoever receives it loads.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from app.domain.errors import StoreError
from app.runs.process.event_bus import (
    ComparisonChanged,
    ConversationChanged,
    ConversationRemoved,
    FeedEvent,
    PairsChanged,
    PairsCounted,
    PairsRemoved,
    PermissionsChanged,
    QueueChanged,
    RetryHurried,
    RunStarted,
    ToolProgress,
)


@dataclass(frozen=True, slots=True)
class RemoteStart:
    """Another process has started this run. Its pair is in the database."""

    run_id: str
    pair_id: str


Json = dict[str, Any]
_IDS: Final = "pair_ids"

_KINDS: Final[dict[str, Any]] = {
    kind.__name__: kind
    for kind in (
        ComparisonChanged,
        ConversationChanged,
        ConversationRemoved,
        PairsChanged,
        PairsCounted,
        PairsRemoved,
        PermissionsChanged,
        QueueChanged,
        RemoteStart,
        RetryHurried,
        ToolProgress,
    )
}


def encode_event(event: FeedEvent) -> Json:
    """An event as a JSON value."""
    told = RemoteStart(event.run_id, event.pair_id) if isinstance(event, RunStarted) else event
    return {"kind": type(told).__name__, **asdict(told)}


def decode_event(said: Json) -> FeedEvent | RemoteStart:
    """The event that was encoded.

    Raises:
        StoreError: this version knows none of that kind, or not with these fields.
    """
    fields: Json = {name: tuple(value) if name == _IDS else value for name, value in said.items() if name != "kind"}
    try:
        return _KINDS[said["kind"]](**fields)
    except (KeyError, TypeError) as error:
        raise StoreError(f"Another process sent an event that this version does not know: {said}.") from error
