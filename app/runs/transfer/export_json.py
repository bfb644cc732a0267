"""The JSON values of Inview's own export format: a conversation, its pairs and nodes, and topics. Nothing is left out.

The field names are the same as in the HTTP API. The text of a message is `user_text` or `reply_text`; `parts` are
written only for a message that has more than a text.

Not here: reading the format (`import_file.py`). `docs/export-format.md` describes it for people.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.domain.conversation.conversation import Conversation, Message
from app.domain.conversation.metadata import decode_metadata
from app.domain.conversation.parts import Part, Text, plain_text
from app.domain.tools.tool_records import ToolCallRecord
from app.domain.topics.topic_rules import FiledTopic
from app.domain.transfer.records import NodeRecord, PairRecord, RunRecord, SnapshotRecord, VersionRecord
from app.store.database.mapping import (
    encode_failure,
    encode_parameters,
    encode_replaced,
    encode_retry,
    encode_retry_limits,
    encode_round,
    encode_usage,
)
from app.store.database.parts_json import encode_parts

FORMAT = "inview"
VERSION = 1

Json = dict[str, Any]


def write_conversation(conversation: Conversation) -> Json:
    """Return a conversation as JSON, without its pairs."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "titled_by_model": conversation.titled_by_model,
        "kind": conversation.kind,
        "status": conversation.status,
        "agent_id": conversation.agent_id,
        "model": conversation.model,
        "system_prompt": conversation.system_prompt,
        "filter": conversation.filter,
        "tool_mode": conversation.tool_mode,
        "ticked_tools": list(conversation.ticked_tools),
        "parameters": encode_parameters(conversation.parameters),
        "retry_policy": conversation.retry_policy,
        "retry_limits": encode_retry_limits(conversation.retry_limits),
        "middleware": asdict(conversation.middleware),
        "metadata": decode_metadata(conversation.metadata_json),
        "parent_id": conversation.parent_id,
        "fork_pair_id": conversation.fork_pair_id,
        "trigger_message_id": conversation.trigger_message_id,
        "temporary": conversation.temporary,
        "checkpoint": None if conversation.checkpoint is None else asdict(conversation.checkpoint),
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
    }


def write_pair(record: PairRecord, paths: Mapping[str, str]) -> Json:
    """Return a pair as JSON, with its messages, runs and versions. `paths` has the path of each topic by its id."""
    pair = record.pair
    return {
        "id": pair.id,
        "position": pair.position,
        "topic": None if pair.topic is None else paths.get(pair.topic),
        "model": pair.model,
        "agent_id": pair.agent_id,
        "agent": pair.agent,
        "stars": pair.stars,
        "flagged": pair.flagged,
        "mark": pair.mark,
        "lifecycle": pair.lifecycle,
        "parameters": encode_parameters(pair.parameters),
        "user_text": plain_text(pair.request.parts),
        "reply_text": None if pair.reply is None else plain_text(pair.reply.parts),
        "request": _write_message(pair.request),
        "reply": None if pair.reply is None else _write_message(pair.reply),
        # None if the run of the pair is damaged and therefore missing
        "run_id": pair.run_id if any(run.id == pair.run_id for run in record.runs) else None,
        "runs": [_write_run(run) for run in record.runs],
        "version": pair.version,
        "versions": pair.versions,
        "earlier": [_write_version(version) for version in record.versions],
        "messages": [{**_write_message(message), "text": plain_text(message.parts)} for message in record.messages],
        "snapshot": None if record.snapshot is None else _write_snapshot(record.snapshot),
        "created_at": pair.created_at,
        "updated_at": pair.updated_at,
    }


def write_node(node: NodeRecord) -> Json:
    """Return a node (an entry of the log between pairs, which is never sent) as JSON."""
    return {
        "id": node.id,
        "after_position": node.after_position,
        "role": node.role,
        "data": dict(node.data),
        "created_at": node.created_at,
    }


def write_topic(filed: FiledTopic, path: str) -> Json:
    """Return a topic as JSON, with its path."""
    return {"path": path, "created_at": filed.created_at, "used_at": filed.used_at}


def text_alone(text: str) -> tuple[Part, ...]:
    """Return the parts of a message that consists only of this text."""
    return (Text(text),) if text else ()


def _write_message(message: Message) -> Json:
    """Return a message as JSON. Its parts are included only if it has more than a text."""
    written: Json = {"id": message.id, "role": message.role, "created_at": message.created_at}
    if message.parts != text_alone(plain_text(message.parts)):
        written["parts"] = encode_parts(message.parts)
    if message.metadata_json:
        written["metadata"] = decode_metadata(message.metadata_json)
    return written


def _write_run(run: RunRecord) -> Json:
    return {
        "id": run.id,
        "reply_id": run.reply_id,
        "model": run.model,
        "request_hash": run.request_hash,
        "outcome": run.outcome,
        "attempt": run.attempt,
        "attempt_started_at": run.attempt_started_at,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "retries": [encode_retry(retry) for retry in run.retries],
        "rounds": [encode_round(ended) for ended in run.rounds],
        "tool_calls": [_write_tool_call(call) for call in run.tool_calls],
        "usage": encode_usage(run.usage),
        "report_fault": run.report_fault,
        "stop_reason": run.stop_reason,
        "failure": None if run.failure is None else encode_failure(run.failure),
        "sent": None if run.sent is None else [list(span) for span in run.sent],
        "replay_of": run.replay_of,
        "prelude": run.prelude,
        "redacted": encode_replaced(run.redacted),
    }


def _write_tool_call(call: ToolCallRecord) -> Json:
    return {**asdict(call), "content": None if call.content is None else encode_parts(call.content)}


def _write_version(version: VersionRecord) -> Json:
    return {
        "number": version.number,
        "request_id": version.request_id,
        "reply_id": version.reply_id,
        "run_id": version.run_id,
        "model": version.model,
        "parameters": encode_parameters(version.parameters),
        "agent_id": version.agent_id,
        "agent": version.agent,
        "lifecycle": version.lifecycle,
        "created_at": version.created_at,
    }


def _write_snapshot(kept: SnapshotRecord) -> Json:
    return {
        "run_id": kept.run_id,
        "model": kept.model,
        "content_hash": kept.content_hash,
        "url": kept.url,
        "headers": [list(header) for header in kept.headers],
        "body_base64": b64encode(kept.body).decode(),
        "created_at": kept.created_at,
    }
