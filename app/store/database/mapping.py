"""Rows to domain values and back, except for parts (`parts_json.py`).

A stored word that this version does not know is a `StoreError`, never a guess.

Not here: queries. Each function takes the columns it names, as a row of a query has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final, TypeVar, cast, get_type_hints

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
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.conversation.retry_policy import RetryPolicy
from app.domain.errors import ErrorClass, Failure, StoreError
from app.domain.model_profile import split_model_name
from app.domain.run.rounds import Round
from app.domain.run.state import Retry
from app.domain.stream_events import StopReason
from app.domain.usage import Usage, read_usage
from app.store.database.damage import UNREADABLE, BadJson, describe_fault, note_damage
from app.store.database.parts_json import decode_parts

Json = dict[str, Any]
Columns = Mapping[Any, Any]
Word = TypeVar("Word", bound=StrEnum)
Value = TypeVar("Value")
Choice = TypeVar("Choice")

_PARAMETERS = get_type_hints(Parameters) | dict.fromkeys(("temperature", "top_p"), int | float | None) | {"stop": tuple}
NO_MODEL: Final = "unknown:unreadable"
"""Stands for the name of a model that cannot be read."""
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


@dataclass(slots=True)
class Reading:
    """Reads the columns of one row one by one. What cannot be read is noted in `damage` and has the value `instead`."""

    table: str
    row_id: str
    damage: tuple[Damage, ...] = ()

    def value(self, column: str, decode: Callable[[Any], Value], stored: Any, instead: Value) -> Value:
        """What `decode` makes of a column."""
        try:
            return decode(stored)
        except UNREADABLE as fault:
            self.note(column, describe_fault(fault, stored))
            return instead

    def word(self, column: str, words: type[Word], stored: Any, instead: Choice) -> Word | Choice:
        """The member of a set of words that a column holds."""
        try:
            return words(stored)
        except ValueError:
            self.note(column, f"{stored!r} is no {words.__name__} that this version knows")
            return instead

    def note(self, column: str, reason: str, *, table: str | None = None, row_id: str | None = None) -> None:
        """This cannot be read, in this row or in another one that belongs to it."""
        one = Damage(table or self.table, row_id or self.row_id, column, reason)
        note_damage(one.table, one.row_id, one.column, one.reason)
        self.damage = (*self.damage, one)


# --- conversations ---


def encode_conversation(conversation: Conversation) -> Json:
    """The columns of a conversation, without its revision."""
    columns = asdict(conversation)
    del columns["checkpoint"], columns["damage"]
    columns["parameters"] = encode_parameters(conversation.parameters)
    return columns | encode_checkpoint(conversation.checkpoint)


def encode_checkpoint(checkpoint: Checkpoint | None) -> Json:
    """The columns of a conversation's checkpoint."""
    if checkpoint is None:
        return {"summary": None, "summary_position": None}
    return {"summary": checkpoint.summary, "summary_position": checkpoint.position}


def decode_conversation(row: Columns) -> Conversation:
    """The conversation; where a column cannot be read, its default with the `damage`."""
    read = Reading("conversation", row["id"])
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        title=row["title"],
        kind=read.word("kind", ConversationKind, row["kind"], ConversationKind.AGENT),
        status=read.word("status", ConversationStatus, row["status"], ConversationStatus.ACTIVE),
        agent_id=row["agent_id"],
        model=read.value("model", decode_model, row["model"], None),
        system_prompt=row["system_prompt"],
        filter=row["filter"],
        tool_mode=read.word("tool_mode", ToolMode, row["tool_mode"], ToolMode.CACHED),
        parent_id=row["parent_id"],
        trigger_message_id=row["trigger_message_id"],
        temporary=row["temporary"],
        checkpoint=read.value("summary_position", _decode_checkpoint, (row["summary"], row["summary_position"]), None),
        fork_pair_id=row["fork_pair_id"],
        titled_by_model=row["titled_by_model"],
        ticked_tools=read.value("ticked_tools", decode_names, row["ticked_tools"], ()),
        parameters=read.value("parameters", decode_parameters, row["parameters"], NO_PARAMETERS),
        retry_policy=read.word("retry_policy", RetryPolicy, row["retry_policy"], RetryPolicy.EXPONENTIAL),
        damage=read.damage,
    )


def decode_names(value: Any) -> tuple[str, ...]:
    """A list of texts.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[Any]", value)):
        raise TypeError("it is no list of texts")
    return tuple(cast("list[str]", value))


def decode_model(value: str | None) -> str | None:
    """The name of a model.

    Raises:
        InputError: it is none.
    """
    if value is not None:
        split_model_name(value)
    return value


def _decode_checkpoint(columns: tuple[str | None, int | None]) -> Checkpoint | None:
    summary, position = columns
    if summary is None:
        return None
    if not isinstance(position, int):
        raise TypeError("a summary has no position")
    return Checkpoint(summary, position)


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
    if "stop" in fields:
        fields["stop"] = decode_names(fields["stop"])
    wrong = [name for name, field in fields.items() if not isinstance(field, _PARAMETERS.get(name, ()))]
    if wrong:
        raise StoreError(f"Stored parameters cannot be read by this version of Inview ({', '.join(wrong)}).")
    return Parameters(**fields)


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


def read_pair(row: Columns) -> Pair:
    """The pair of a row that has its columns, those of its run and of its messages; what cannot be read is `damage`."""
    try:
        split_model_name(row["model"])
        request = decode_message(
            row["request_id"], row["request_role"], row["request_parts"], row["request_created_at"]
        )
        reply = None
        if row["reply_id"] is not None:
            reply = decode_message(row["reply_id"], row["reply_role"], row["reply_parts"], row["reply_created_at"])
        return decode_pair(row, request, reply)
    except UNREADABLE:
        return _salvage_pair(row)


def _salvage_pair(row: Columns) -> Pair:
    """The pair as far as it can be read, column by column."""
    read = Reading("pair", row["id"])
    request = _salvage_message(read, row, "request", Role.USER)
    reply = None if row["reply_id"] is None else _salvage_message(read, row, "reply", Role.ASSISTANT)
    of_run = Reading("run", row["run_id"] or "")
    lifecycle = read.word("lifecycle", Lifecycle, row["lifecycle"], Lifecycle.ERROR)
    nothing: Json = {"usage": None, "rounds": [], "failure": None, "redacted": None, "stop_reason": None, "mark": None}
    pair = decode_pair(dict(row) | nothing | {"lifecycle": lifecycle, "parameters": {}}, request, reply)
    return replace(
        pair,
        model=read.value("model", lambda model: decode_model(model) or NO_MODEL, row["model"], NO_MODEL),
        mark=None if row["mark"] is None else read.word("mark", Mark, row["mark"], None),
        parameters=read.value("parameters", decode_parameters, row["parameters"], NO_PARAMETERS),
        failure=of_run.value("failure", decode_failure, row["failure"], None),
        stop_reason=of_run.value("stop_reason", decode_stop_reason, row["stop_reason"], None),
        redacted=of_run.value("redacted", decode_replaced, row["redacted"], None) or (),
        usage=of_run.value("usage", _decode_counters, (row["usage"], row["rounds"]), None),
        damage=(*read.damage, *of_run.damage),
    )


def _decode_counters(columns: tuple[Any, Any]) -> Usage | None:
    usage, rounds = columns
    return decode_total(usage, rounds or [])


def _salvage_message(read: Reading, row: Columns, name: str, role: Role) -> Message:
    """A message as far as it can be read: the parts that can, in their order."""
    message_id, parts = row[f"{name}_id"], row[f"{name}_parts"]
    if row[f"{name}_role"] is None:
        read.note("", "the message is missing", table="message", row_id=message_id)
        return Message(message_id, role, (), row["created_at"])
    try:
        found_role = Role(row[f"{name}_role"])
    except ValueError:
        read.note("role", f"{row[f'{name}_role']!r} is no role", table="message", row_id=message_id)
        found_role = role
    kept: list[Part] = []
    if not isinstance(parts, list):
        reason = "it is no JSON" if isinstance(parts, BadJson) else "it is no list of parts"
        read.note("parts", reason, table="message", row_id=message_id)
    else:
        for number, part in enumerate(cast("list[Any]", parts), start=1):
            try:
                kept += decode_parts([part])
            except UNREADABLE:
                kind = cast("Json", part).get("type") if isinstance(part, dict) else type(part).__name__
                reason = f"part {number} cannot be read ({kind})"
                read.note("parts", reason, table="message", row_id=message_id)
    return Message(message_id, found_role, tuple(kept), row[f"{name}_created_at"])


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
