"""Conversion of a checked import file to records for the store: the runs of a pair, the request of a failed pair.

Not here: the schema (`import_shapes.py`), pairs (`import_records.py`) and tool calls (`import_tools.py`).
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence

from app.domain.conversation.conversation import Replaced
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.errors import ErrorClass, Failure, failure
from app.domain.run.rounds import Round
from app.domain.run.run import Retry
from app.domain.transfer.records import RunRecord, SnapshotRecord
from app.domain.usage import Usage
from app.runs.transfer.import_ids import Ids
from app.runs.transfer.import_scan import FaultError
from app.runs.transfer.import_shapes import FailureShape, RunShape, SnapshotShape, UsageShape
from app.runs.transfer.import_tools import read_tool_calls

INTERRUPTED = failure(
    ErrorClass.INTERRUPTED, "The reply was still running at the time of the export. This is the part received by then."
)


def read_run(shape: RunShape, place: str, ids: Ids) -> RunRecord:
    """Convert a run of the import file to a record for the store.

    A run that was active when the file was written becomes an interrupted run.

    Raises:
        FaultError: values of the run contradict each other.
    """
    outcome, reason, ended = shape.outcome, _read_failure(shape.failure), shape.ended_at
    if outcome is None or outcome in RUNNING:
        outcome, reason, ended = Lifecycle.ERROR, INTERRUPTED, ended or shape.attempt_started_at
    if outcome is Lifecycle.SUCCEEDED and shape.stop_reason is None:
        raise FaultError(f"{place}.stop_reason", "is missing from a run that succeeded.")
    if outcome is Lifecycle.ERROR and reason is None:
        raise FaultError(f"{place}.failure", "is missing from a run that failed.")
    if outcome is not Lifecycle.ERROR and reason is not None:
        raise FaultError(f"{place}.failure", "must be null for a run that did not fail.")
    if outcome is Lifecycle.IDLE:
        raise FaultError(
            f"{place}.outcome", "must be succeeded, error or canceled, or null for a run that was running."
        )
    return RunRecord(
        id=ids.take(shape.id, f"{place}.id"),
        reply_id=shape.reply_id,
        model=shape.model,
        request_hash=shape.request_hash,
        outcome=outcome,
        attempt=shape.attempt,
        attempt_started_at=shape.attempt_started_at,
        started_at=shape.started_at,
        ended_at=ended,
        retries=tuple(_read_retries(shape)),
        tool_calls=tuple(read_tool_calls(shape.tool_calls, place, None if shape.outcome is outcome else ended)),
        rounds=tuple(Round(ended.attempt, _read_usage(ended.usage), ended.report_fault) for ended in shape.rounds),
        usage=_read_usage(shape.usage),
        report_fault=shape.report_fault,
        stop_reason=shape.stop_reason,
        failure=reason,
        sent=None if shape.sent is None else tuple((first, last) for first, last in shape.sent),
        replay_of=shape.replay_of,
        prelude=shape.prelude,
        redacted=None
        if shape.redacted is None
        else tuple(Replaced(one.kind, one.place, one.pair_id) for one in shape.redacted),
    )


def read_snapshot(shape: SnapshotShape, place: str) -> SnapshotRecord:
    """Convert the exact request of a failed pair in the import file to a record for the store.

    Raises:
        FaultError: its body is not base64.
    """
    try:
        body = b64decode(shape.body_base64, validate=True)
    except (NotBase64, ValueError) as error:
        raise FaultError(f"{place}.body_base64", "is not base64.") from error
    headers: Sequence[list[str]] = shape.headers
    return SnapshotRecord(
        run_id=shape.run_id,
        model=shape.model,
        content_hash=shape.content_hash,
        url=shape.url,
        headers=tuple((name, value) for name, value in headers),
        body=body,
        created_at=shape.created_at,
    )


def _read_retries(shape: RunShape) -> Iterator[Retry]:
    for retry in shape.retries:
        reason = retry.reason
        yield Retry(retry.attempt, retry.seconds, Failure(**reason.model_dump()), retry.after)


def _read_usage(shape: UsageShape | None) -> Usage | None:
    return None if shape is None else Usage(**shape.model_dump())


def _read_failure(shape: FailureShape | None) -> Failure | None:
    return None if shape is None else Failure(**shape.model_dump())
