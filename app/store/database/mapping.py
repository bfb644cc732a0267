"""Conversion of rows to domain values and back. Parts are converted in `parts_json.py`.

A stored value of an enum that this version does not know raises a `StoreError`; nothing is guessed.

Each function takes a row of a query, which must have all columns that the function reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Any, Final, TypeVar

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
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import MAX_STARS
from app.domain.conversation.metadata import decode_metadata
from app.domain.conversation.middleware_choices import USUAL_MIDDLEWARE, MiddlewareChoices
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import ErrorClass, Failure, InputError, StoreError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.parser import parse_line
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, require_retries
from app.domain.run.rounds import Round
from app.domain.run.run import Retry
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage, read_usage
from app.store.database.damage import (
    UNKNOWN_MODEL,
    UNKNOWN_TIME,
    Reading,
    a_flag,
    a_model,
    a_model_or_none,
    a_number,
    a_text,
    a_text_list,
    a_text_or_none,
    a_time,
)
from app.store.database.parts_json import read_parts
from app.store.database.row import Json

Columns = Mapping[Any, Any]
Word = TypeVar("Word", bound=StrEnum)

NO_FILTER: Final = "it is not a filter"
MAX_REPLACED = 500
"""Maximum number of replaced secrets that are stored for a request."""


def decode_word(words: type[Word], value: str) -> Word:
    """Return the member of an enum with this value.

    Raises:
        StoreError: the enum has no such member.
    """
    try:
        return words(value)
    except ValueError:
        raise StoreError(
            f"The database has {value!r} as a {words.__name__}, which this version of Inview does not know. "
            "Another version wrote it: start that version."
        ) from None


# --- conversations ---


def encode_conversation(conversation: Conversation) -> Json:
    """Return the columns of a conversation, without its revision."""
    columns = asdict(conversation)
    del columns["checkpoint"], columns["damage"]
    columns["parameters"] = encode_parameters(conversation.parameters)
    columns["retry_limits"] = encode_retry_limits(conversation.retry_limits)
    return columns | encode_checkpoint(conversation.checkpoint)


def encode_checkpoint(checkpoint: Checkpoint | None) -> Json:
    """Return the columns of a conversation's checkpoint."""
    if checkpoint is None:
        return {"summary": None, "summary_position": None}
    return {"summary": checkpoint.summary, "summary_position": checkpoint.position}


def decode_conversation(row: Columns) -> Conversation:
    """Decode a conversation. `damage` lists the columns that cannot be read."""
    take = (reading := Reading("conversation", str(row["id"]))).take

    def word(column: str, words: type[Word], otherwise: Word) -> Word:
        return take(column, row[column], lambda value: decode_word(words, value), otherwise)

    def text(column: str) -> str:
        return take(column, row[column], a_text, "")

    def text_or_none(column: str) -> str | None:
        return take(column, row[column], a_text_or_none, None)

    summary, position = text_or_none("summary"), take("summary_position", row["summary_position"], _place, None)
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        updated_at=take("updated_at", row["updated_at"], a_time, UNKNOWN_TIME),
        title=text("title"),
        kind=word("kind", ConversationKind, ConversationKind.AGENT),
        status=word("status", ConversationStatus, ConversationStatus.ACTIVE),
        agent_id=text_or_none("agent_id"),
        model=take("model", row["model"], a_model_or_none, None),
        system_prompt=text("system_prompt"),
        filter=take("filter", row["filter"], _read_filter, ""),
        tool_mode=word("tool_mode", ToolMode, ToolMode.ALL_OFF),
        parent_id=text_or_none("parent_id"),
        trigger_message_id=text_or_none("trigger_message_id"),
        temporary=take("temporary", row["temporary"], a_flag, otherwise=False),
        checkpoint=None if summary is None or position is None else Checkpoint(summary, position),
        fork_pair_id=text_or_none("fork_pair_id"),
        titled_by_model=take("titled_by_model", row["titled_by_model"], a_flag, otherwise=False),
        ticked_tools=take("ticked_tools", row["ticked_tools"], a_text_list, ()),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        retry_policy=word("retry_policy", RetryPolicy, RetryPolicy.EXPONENTIAL),
        retry_limits=take("retry_limits", row["retry_limits"], decode_retry_limits, USUAL_RETRIES),
        middleware=take("middleware", row["middleware"], decode_middleware, USUAL_MIDDLEWARE),
        metadata_json=take("metadata_json", row["metadata_json"], a_metadata, ""),
        folder_id=text_or_none("folder_id"),
        damage=tuple(reading.damage),
    )


def _read_filter(stored: Any) -> str:
    """Return a stored text if it is a valid filter."""
    try:
        parse_line(line := a_text(stored))
    except FilterError:
        raise StoreError(NO_FILTER) from None
    return line


def _place(stored: Any) -> int | None:
    return None if stored is None else a_number(stored)


# --- columns of pairs and runs ---


def decode_stars(stored: Any) -> int:
    """Return the stars of a pair, 0 to 3.

    Raises:
        StoreError: the stored value is no number from 0 to 3.
    """
    if not 0 <= (stars := a_number(stored)) <= MAX_STARS:
        raise StoreError("it is not a number of stars")
    return stars


def encode_parameters(parameters: Parameters) -> Json:
    """Encode the parameters that are set, without the others."""
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


def a_metadata(stored: Any) -> str:
    """Return the JSON text of metadata, if it can be read."""
    decode_metadata(text := a_text(stored))
    return text


def encode_retry_limits(limits: RetryLimits) -> Json:
    return {name: value for name, value in asdict(limits).items() if value is not None}


def decode_retry_limits(value: Json) -> RetryLimits:
    try:
        require_retries(limits := RetryLimits(**value))
    except (TypeError, InputError) as error:
        raise StoreError(f"Stored limits of retries cannot be read by this version of Inview ({error}).") from error
    return limits


def decode_middleware(value: Json) -> MiddlewareChoices:
    choices = MiddlewareChoices(**value)
    a_flag(choices.user_context)
    if choices.redaction is not None:
        a_flag(choices.redaction)
    return choices


def encode_failure(reason: Failure) -> Json:
    columns = asdict(reason)
    if not reason.recovered:  # usually, no text was recovered
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
    """Decode the usage that a provider reported.

    Return None if there is no report, or if its `input_tokens` is no valid count.
    """
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
    return Retry(value["attempt"], value["seconds"], reason, value.get("after", 0))  # `after` is missing in older runs


def encode_round(ended: Round) -> Json:
    return {"attempt": ended.attempt, "usage": encode_usage(ended.usage), "report_fault": ended.report_fault}


def decode_round(value: Json) -> Round:
    fault = value.get("report_fault")  # this field is missing in rounds stored before revision 0033
    return Round(value["attempt"], decode_usage(value["usage"]), a_text_or_none(fault))


def has_faulty_round(rounds: list[Json]) -> bool:
    """Return True if the provider's report on one of these rounds has a field that is not a valid count."""
    return any(decode_round(each).report_fault is not None for each in rounds)


def decode_total(usage: Json | None, rounds: list[Json]) -> Usage | None:
    """Add up the usage of all rounds of a reply. Return None if the provider reported none."""
    reported = [one for one in (*(decode_round(each).usage for each in rounds), decode_usage(usage)) if one is not None]
    return sum(reported[1:], reported[0]) if reported else None


def decode_stop_reason(value: str | None) -> StopReason | None:
    return None if value is None else decode_word(StopReason, value)


# --- messages and pairs ---


MESSAGE_COLUMNS = ("role", "parts", "created_at", "metadata_json")
"""The columns of a message that `read_message` takes after the id, in its order."""


def read_message(  # noqa: PLR0913 - the columns of a message, and the two ways to read them
    message_id: str | None,
    role: Any,
    parts: Any,
    created_at: Any,
    metadata_json: Any = "",
    *,
    expected: Role,
    release: bool = False,
) -> tuple[Message, tuple[Damage, ...]]:
    """Return a message of a pair with its readable values, and its damage. `role` is None if the message has no row.

    `release`: remove each value from the list `parts` when it is read.
    """
    take = (reading := Reading("message", str(message_id))).take
    if role is None:
        reading.note("id", "its pair refers to it, but it is missing", None)
        return Message(str(message_id), expected, (), UNKNOWN_TIME), tuple(reading.damage)
    message = Message(
        str(message_id),
        take("role", role, lambda value: decode_word(Role, value), expected),
        read_parts(parts, reading, release=release),
        take("created_at", created_at, a_time, UNKNOWN_TIME),
        "" if metadata_json == "" else take("metadata_json", metadata_json, a_metadata, ""),
    )
    return message, tuple(reading.damage)


def decode_pair(row: Columns) -> Pair:
    """Decode a pair from its own columns, the columns of its messages (`request_…`, `reply_…`) and of its run.

    This removes the parts from the row.

    `damage` lists the values that cannot be read. Damage of the run has the id of the run.
    """
    take = (reading := Reading("pair", str(row["id"]))).take
    of_run = (ran := Reading("run", str(row["run_id"]))).take

    def text_or_none(column: str) -> str | None:
        return take(column, row[column], a_text_or_none, None)

    def number(column: str, otherwise: int) -> int:
        return take(column, row[column], a_number, otherwise)

    def message(which: str, role: Role) -> tuple[Message, tuple[Damage, ...]]:
        values = (row[f"{which}_{name}"] for name in MESSAGE_COLUMNS)
        return read_message(row[f"{which}_id"], *values, expected=role, release=True)

    request, damaged = message("request", Role.USER)
    reply, damaged_reply = (None, ()) if row["reply_id"] is None else message("reply", Role.ASSISTANT)
    pair = Pair(
        id=row["id"],
        conversation_id=row["conversation_id"],
        position=row["position"],
        request=request,
        reply=reply,
        model=take("model", row["model"], a_model, UNKNOWN_MODEL),
        lifecycle=take("lifecycle", row["lifecycle"], lambda value: decode_word(Lifecycle, value), Lifecycle.ERROR),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        updated_at=take("updated_at", row["updated_at"], a_time, UNKNOWN_TIME),
        agent_id=text_or_none("agent_id"),
        agent=text_or_none("agent"),
        topic=text_or_none("topic"),
        stars=take("stars", row["stars"], decode_stars, 0),
        flagged=take("flagged", row["flagged"], a_flag, otherwise=False),
        mark=take("mark", row["mark"], lambda value: None if value is None else decode_word(Mark, value), None),
        failure=of_run("failure", row["failure"], decode_failure, None),
        stop_reason=of_run("stop_reason", row["stop_reason"], decode_stop_reason, None),
        usage=of_run("usage", row["usage"], decode_usage, None),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        run_id=text_or_none("run_id"),
        version=number("version", 1),
        versions=number("versions", 1),
        replayed=row["replay_of"] is not None,
        redacted=of_run("redacted", row["redacted"], decode_replaced, None) or (),
        usage_is_partial=of_run("report_fault", row["report_fault"], a_text_or_none, None) is not None,
    )
    if row["rounds"]:
        usage = of_run("rounds", row["rounds"], lambda rounds: decode_total(row["usage"], rounds), pair.usage)
        faulty = of_run("rounds", row["rounds"], has_faulty_round, otherwise=False)
        pair = replace(pair, usage=usage, usage_is_partial=pair.usage_is_partial or faulty)
    damage = (*reading.damage, *damaged, *damaged_reply, *ran.damage)
    return replace(pair, damage=damage) if damage else pair


def encode_replaced(replaced: tuple[Replaced, ...] | None) -> list[Json] | None:
    """Encode the records of replaced secrets. `replaced` is None if secrets were not searched for."""
    if replaced is None:
        return None
    return [{"kind": one.kind, "place": one.place, "pair_id": one.pair_id} for one in replaced[:MAX_REPLACED]]


def decode_replaced(stored: list[Json] | None) -> tuple[Replaced, ...] | None:
    return None if stored is None else tuple(Replaced(one["kind"], one["place"], one["pair_id"]) for one in stored)
