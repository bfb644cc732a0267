"""Rows to domain values and back, except for parts (`parts_json.py`).

A stored word that this version does not know is a `StoreError`, never a guess.

Not here: queries. Each function takes the columns it names, as a row of a query has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any, TypeVar

from app.domain.conversation.conversation import (
    Checkpoint,
    Conversation,
    ConversationKind,
    ConversationStatus,
    Effort,
    Mark,
    Message,
    Pair,
    Parameters,
    Replaced,
    Role,
    ToolMode,
)
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import ErrorClass, Failure, StoreError
from app.domain.run.rounds import Round
from app.domain.run.run import Retry
from app.domain.stream_events import StopReason
from app.domain.usage import Usage, read_usage
from app.store.database.parts_json import decode_parts

Json = dict[str, Any]
Columns = Mapping[Any, Any]
Word = TypeVar("Word", bound=StrEnum)

MAX_REPLACED = 500
"""Of what marks stood for, so many are noted: who pastes a file of keys knows that there are more."""


def decode_word(words: type[Word], value: str) -> Word:
    """The member of that value.

    Raises:
        StoreError: there is none.
    """
    try:
        return words(value)
    except ValueError:
        raise StoreError(
            f"The database holds {value!r} as a {words.__name__}, which this version of Inview does not know. "
            "It was written by another version: start that one."
        ) from None


# --- conversations ---


def encode_conversation(conversation: Conversation) -> Json:
    """The columns of a conversation, without its revision."""
    columns = asdict(conversation)
    del columns["checkpoint"]
    columns["parameters"] = encode_parameters(conversation.parameters)
    return columns | encode_checkpoint(conversation.checkpoint)


def encode_checkpoint(checkpoint: Checkpoint | None) -> Json:
    """The columns of a conversation's checkpoint."""
    if checkpoint is None:
        return {"summary": None, "summary_position": None}
    return {"summary": checkpoint.summary, "summary_position": checkpoint.position}


def decode_conversation(row: Columns) -> Conversation:
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        title=row["title"],
        kind=decode_word(ConversationKind, row["kind"]),
        status=decode_word(ConversationStatus, row["status"]),
        agent_id=row["agent_id"],
        model=row["model"],
        system_prompt=row["system_prompt"],
        filter=row["filter"],
        tool_mode=decode_word(ToolMode, row["tool_mode"]),
        parent_id=row["parent_id"],
        trigger_message_id=row["trigger_message_id"],
        temporary=row["temporary"],
        checkpoint=None if row["summary"] is None else Checkpoint(row["summary"], row["summary_position"]),
        fork_pair_id=row["fork_pair_id"],
        titled_by_model=row["titled_by_model"],
        ticked_tools=tuple(row["ticked_tools"]),
        parameters=decode_parameters(row["parameters"]),
        retry_policy=decode_word(RetryPolicy, row["retry_policy"]),
    )


# --- what hangs on pairs and runs ---


def encode_parameters(parameters: Parameters) -> Json:
    """Only what is set."""
    return {name: value for name, value in asdict(parameters).items() if value is not None}


def decode_parameters(value: Json) -> Parameters:
    if not value:
        return NO_PARAMETERS
    fields = dict(value)
    if "effort" in fields:
        fields["effort"] = decode_word(Effort, fields["effort"])
    try:
        return Parameters(**fields)
    except TypeError as error:
        raise StoreError(f"Stored parameters cannot be read by this version of Inview ({error}).") from error


def encode_failure(reason: Failure) -> Json:
    columns = asdict(reason)
    if not reason.recovered:  # nearly always
        del columns["recovered"]
    return columns


def decode_failure(value: Json | None) -> Failure | None:
    if value is None:
        return None
    return Failure(
        decode_word(ErrorClass, value["error_class"]),
        value["message"],
        value["next_step"],
        value["retry_after"],
        value.get("recovered", 0),
    )


def encode_usage(usage: Usage | None) -> Json | None:
    return None if usage is None else asdict(usage)


def decode_usage(value: Json | None) -> Usage | None:
    """What a provider reported of a call; None: nothing, or no counts."""
    return None if value is None else read_usage(value)


def encode_retry(retry: Retry) -> Json:
    return {
        "attempt": retry.attempt,
        "seconds": retry.seconds,
        "reason": encode_failure(retry.reason),
        "after": retry.after,
    }


def decode_retry(value: Json) -> Retry:
    reason = decode_failure(value["reason"])
    if reason is None:
        raise StoreError("A stored retry has no reason: the database is damaged. Restore a backup.")
    return Retry(value["attempt"], value["seconds"], reason, value.get("after", 0))  # none in runs before rounds


def encode_round(ended: Round) -> Json:
    return {"attempt": ended.attempt, "usage": encode_usage(ended.usage)}


def decode_round(value: Json) -> Round:
    return Round(value["attempt"], decode_usage(value["usage"]))


def decode_total(usage: Json | None, rounds: list[Json]) -> Usage | None:
    """What a reply used over all its rounds; None: nobody told."""
    told = [one for one in (*(decode_round(each).usage for each in rounds), decode_usage(usage)) if one is not None]
    return sum(told[1:], told[0]) if told else None


def decode_stop_reason(value: str | None) -> StopReason | None:
    return None if value is None else decode_word(StopReason, value)


# --- messages and pairs ---


def decode_message(message_id: str, role: str, parts: list[Json], created_at: Any) -> Message:
    return Message(message_id, decode_word(Role, role), decode_parts(parts), created_at)


def decode_pair(row: Columns, request: Message, reply: Message | None) -> Pair:
    """A pair from its own columns and those of its run (`usage`, `stop_reason`, `failure`)."""
    mark = row["mark"]
    return Pair(
        id=row["id"],
        conversation_id=row["conversation_id"],
        position=row["position"],
        request=request,
        reply=reply,
        model=row["model"],
        lifecycle=decode_word(Lifecycle, row["lifecycle"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        agent_id=row["agent_id"],
        agent=row["agent"],
        topic=row["topic"],
        stars=row["stars"],
        flagged=row["flagged"],
        mark=None if mark is None else decode_word(Mark, mark),
        failure=decode_failure(row["failure"]),
        stop_reason=decode_stop_reason(row["stop_reason"]),
        usage=decode_total(row["usage"], row["rounds"] or []),
        parameters=decode_parameters(row["parameters"]),
        run_id=row["run_id"],
        version=row["version"],
        versions=row["versions"],
        replayed=row["replay_of"] is not None,
        redacted=decode_replaced(row["redacted"]) or (),
    )


def encode_replaced(replaced: tuple[Replaced, ...] | None) -> list[Json] | None:
    """What marks stood for; None: nobody looked for secrets."""
    if replaced is None:
        return None
    return [{"kind": one.kind, "place": one.place, "pair_id": one.pair_id} for one in replaced[:MAX_REPLACED]]


def decode_replaced(stored: list[Json] | None) -> tuple[Replaced, ...] | None:
    return None if stored is None else tuple(Replaced(one["kind"], one["place"], one["pair_id"]) for one in stored)
