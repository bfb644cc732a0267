"""The states of a run as messages: one whole, then what each has more than the one before.

    whole = encode_whole(1, state)
    grown = encode_growth(2, state, later)
    decode(grown, decode(whole).state).state == later

A message has a number, so that a follower sees that one is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, assert_never

import orjson

from app.domain.errors import StoreError
from app.domain.run.growth import Growth, apply_growth, describe_growth
from app.domain.run.state import Canceled, Failed, Outcome, RunStart, RunState, Succeeded
from app.domain.stream_events import StopReason
from app.store.database.mapping import (
    decode_failure,
    decode_retry,
    decode_round,
    decode_stop_reason,
    decode_usage,
    decode_word,
    encode_failure,
    encode_retry,
    encode_round,
    encode_usage,
)
from app.store.database.parts_json import decode_parts, encode_parts

Json = dict[str, Any]


class GapError(Exception):
    """The message continues a state that is not there."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A state, and the number of the message that made it."""

    number: int
    state: RunState


def encode_whole(number: int, state: RunState) -> bytes:
    """A message that has all of a state."""
    start = state.start
    named = {"run": start.run_id, "pair": start.pair_id, "model": start.model, "hash": start.request_hash}
    return orjson.dumps({"number": number, "start": named, "parts": encode_parts(state.parts), "rest": _rest(state)})


def encode_growth(number: int, before: RunState, state: RunState) -> bytes:
    """A message that has what a state has more than the one before."""
    growth = describe_growth(before.parts, state.parts)
    grown: Json = {"number": number, "kept": growth.kept}
    if growth.text:
        grown["text"] = growth.text
    if growth.parts:
        grown["more"] = encode_parts(growth.parts)
    if replace(before, parts=state.parts) != state:
        grown["rest"] = _rest(state)
    return orjson.dumps(grown)


def decode(message: bytes, before: Numbered | None) -> Numbered:
    """The state after a message.

    Raises:
        GapError: it does not continue `before`.
    """
    said: Json = orjson.loads(message)
    number = int(said["number"])
    if "start" in said:
        named = said["start"]
        start = RunStart(named["run"], named["pair"], named["model"], named["hash"])
        return Numbered(number, _with_rest(RunState(start, parts=decode_parts(said["parts"])), said["rest"]))
    if before is None or number != before.number + 1:
        raise GapError
    growth = Growth(said["kept"], said.get("text", ""), decode_parts(said.get("more", ())))
    state = replace(before.state, parts=apply_growth(before.state.parts, growth))
    return Numbered(number, _with_rest(state, said["rest"]) if "rest" in said else state)


def _rest(state: RunState) -> Json:
    """All of a state but its start and its parts."""
    return {
        "phase": state.phase,
        "attempt": state.attempt,
        "retries": [encode_retry(retry) for retry in state.retries],
        "part_open": state.part_open,
        "usage": encode_usage(state.usage),
        "report_fault": state.report_fault,
        "stop_reason": state.stop_reason,
        "outcome": _encode_outcome(state.outcome),
        "rounds": [encode_round(ended) for ended in state.rounds],
    }


def _with_rest(state: RunState, rest: Json) -> RunState:
    return replace(
        state,
        phase=rest["phase"],
        attempt=rest["attempt"],
        retries=tuple(map(decode_retry, rest["retries"])),
        part_open=rest["part_open"],
        usage=decode_usage(rest["usage"]),
        report_fault=rest["report_fault"],
        stop_reason=decode_stop_reason(rest["stop_reason"]),
        outcome=_decode_outcome(rest["outcome"]),
        rounds=tuple(map(decode_round, rest["rounds"])),
    )


def _encode_outcome(outcome: Outcome | None) -> Json | None:
    match outcome:
        case None:
            return None
        case Succeeded(stop_reason):
            return {"succeeded": stop_reason}
        case Failed(reason):
            return {"failed": encode_failure(reason)}
        case Canceled():
            return {"canceled": True}
        case _:
            assert_never(outcome)


def _decode_outcome(said: Json | None) -> Outcome | None:
    if said is None:
        return None
    if "succeeded" in said:
        return Succeeded(decode_word(StopReason, said["succeeded"]))
    if (reason := decode_failure(said.get("failed"))) is not None:
        return Failed(reason)
    if "canceled" in said:
        return Canceled()
    raise StoreError(f"Another process sent an outcome that this version does not know: {sorted(said)}.")
