"""Checks values against JSON schemas in a separate process, which is killed when a check takes too long.

    checked = await check_value('{"type": "string"}', 3, account=conversation_id)
    checked.faults           # (((), "3 is not of type 'string'"),)
    checked.unusable         # None, or the reason why the schema could not be applied

One process, and one thread that talks to it, make one check (a question) after the other. The account (see
`check_costs.py`) that spent least on slow checks is next. The process and the thread start with the first question; the
process ends after a minute without one. The check itself is in `schema_worker.py`, the processor time that slow checks
spent is in `check_costs.py`.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import select
import signal
import struct
import subprocess
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final

from app.domain.structured.partial_json import JsonPath
from app.schema_check.check_costs import MAX_SPENT, WINDOW_SECONDS, Costs, FairQueue, Slow
from app.workers import close_pipes, input_of, output_of, start_worker

MAX_SECONDS: Final = 2.0
"""Maximum seconds of processor time for one check."""
MAX_WAIT_SECONDS: Final = 30.0
"""Maximum seconds to wait for the result of a check, on a machine that is busy with other work."""
MAX_CHARACTERS: Final = 100_000
"""Maximum number of characters of a schema. Schemas of real tools have some thousand."""
BY_HAND: Final = "by hand"
"""The account of schemas that a person typed or a program sent, before they are part of a conversation."""
_WORKER: Final = Path(__file__).with_name("schema_worker.py")
_NOTE: Final = struct.Struct("=II")
_NOTE_BYTES: Final = 8_192
"""Bytes of the shared memory for the pattern that is being matched. `schema_worker.py` has the same number.

The server does not import that module, which takes 20 MB.
"""
_TOO_LONG: Final = f"takes more than {MAX_SECONDS:.0f} seconds to check; simplify its patterns, anyOf and references"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a schema or a value. `faults` are the places that do not match, each with the reason.

    - `unusable`: the reason why the check was impossible, such as "refers to itself …".
    - `too_long`: the check takes too much work.
    """

    faults: tuple[tuple[JsonPath, str], ...] = ()
    unusable: str | None = None
    too_long: bool = False


WORKS_TOO_LONG: Final = Checked(unusable=_TOO_LONG, too_long=True)
ALL_SPENT: Final = Checked(
    unusable=f"was not checked, as the slow schemas of this conversation or server took {MAX_SPENT:.0f} seconds within "
    f"{WINDOW_SECONDS:.0f} seconds; try again in a minute",
    too_long=True,
)


async def check_schema(schema_json: str, *, account: str) -> Checked:
    """Check that a text is a usable JSON schema. The path of each fault is a place in the schema.

    `account`: the account that the time of the check is charged to, such as a conversation.
    """
    return await _check(_Question(account, schema_json, {}))


async def check_value(
    schema_json: str, value: object, *, account: str, open_path: JsonPath | None = None, limit: int = 50
) -> Checked:
    """Check a value against a schema. Return the first faults, at most `limit`.

    `account`: the account that the time of the check is charged to, such as a conversation. `open_path` leads to the
    place where the value is still incomplete. Faults there that more text can correct are left out.
    """
    return await _check(_Question(account, schema_json, {"value": value, "open_path": open_path, "limit": limit}))


def close() -> None:
    """End the process that checks schemas, even during a check. The next question starts another process."""
    _checker.kill()
    _thread.submit(_checker.reap)


def process_id() -> int | None:
    """Return the id of the process that checks schemas, or None if it is not running."""
    return None if _checker.process is None else _checker.process.pid


def forget_refused() -> None:
    """Forget all patterns and schemas that were refused because they took too long, and the time charged for them."""
    _checker.slow.forget()
    _checker.costs.forget()


@dataclass(frozen=True, slots=True)
class _Question:
    """A question about a schema: whether it is usable or, with a value in `rest`, whether the value matches it."""

    account: str
    schema_json: str
    rest: dict[str, Any]
    answer: Future[Checked] = field(default_factory=Future[Checked])


async def _check(question: _Question) -> Checked:
    with _lock:
        _turns.add(question.account, question)
    _thread.submit(_answer_next)
    return await asyncio.wrap_future(question.answer)


def _answer_next() -> None:
    """Answer one of the waiting questions. This is called once for each question."""
    with _lock:
        question = _turns.take(lambda account: _checker.costs.spent(account, monotonic()))
    if question.answer.set_running_or_notify_cancel():
        try:
            question.answer.set_result(_checker.ask(question))
        except Exception as error:  # noqa: BLE001 - the caller receives the error
            question.answer.set_exception(error)


@dataclass(eq=False)
class _Checker:
    """The process that checks schemas, and the records of slow checks. Only one thread may call `ask`.

    - `process`: None if no process was started.
    - `noted`: the memory where the process writes the pattern that it is matching.
    - `slow`: the slow patterns and schemas.
    - `costs`: the processor time of slow checks.
    """

    process: subprocess.Popen[bytes] | None = None
    noted: mmap.mmap | None = None
    slow: Slow = field(default_factory=Slow)
    costs: Costs = field(default_factory=Costs)

    def ask(self, question: _Question) -> Checked:
        """Let the process answer a question about a schema, and return the result. This blocks its thread."""
        schema_json, now = question.schema_json, monotonic()
        if len(schema_json) > MAX_CHARACTERS:
            return Checked(unusable=f"has {len(schema_json):,} characters; the maximum is {MAX_CHARACTERS:,}")
        if self.slow.has(schema_json, now):
            return WORKS_TOO_LONG
        if self.costs.is_spent(question.account, now):
            return ALL_SPENT
        body = {"schema": schema_json, "slow": self.slow.patterns(now), **question.rest}
        try:
            line = json.dumps(body).encode() + b"\n"
        except (RecursionError, ValueError):
            return Checked(unusable="cannot be applied: the value is nested too deeply, or has a number too long")
        try:
            # if an idle process has just ended, the second attempt starts a new one
            answer = self._exchange(line) or self._exchange(line)
        except _KilledError as error:
            if error.refuse:
                self.slow.note(schema_json, self._read_note(), monotonic())
                self.costs.charge(question.account, MAX_SECONDS, monotonic())
            return Checked(unusable=str(error), too_long=error.refuse)
        if answer is None:
            raise RuntimeError(
                "The process that checks schemas does not start. Run `python app/schema_check/schema_worker.py 2`."
            )
        response: dict[str, Any] = json.loads(answer)
        self.costs.charge(question.account, response["seconds"], monotonic())
        if response.get("too_long"):
            return WORKS_TOO_LONG
        faults = tuple((tuple(path), message) for path, message in response.get("faults", ()))
        return Checked(faults, response.get("unusable"))

    def kill(self) -> None:
        """End the process at once. Any thread may do so."""
        if (process := self.process) is not None:
            process.kill()
            process.wait()

    def reap(self) -> None:
        """Release a process that has ended; the next question starts another. Call it only in the thread of `ask`."""
        if self.process is not None and self.process.poll() is not None:
            self._drop(self.process)

    def _exchange(self, line: bytes) -> bytes | None:
        """Send a question and wait for its answer. None: the process had already ended normally.

        Raises:
            _KilledError: the process was killed before or during the question.
        """
        process = self._start()
        answer = b""
        with suppress(BrokenPipeError):
            input_of(process).write(line)
            input_of(process).flush()
            if select.select([output_of(process)], [], [], MAX_WAIT_SECONDS)[0]:
                answer = output_of(process).readline()
            else:
                process.kill()
                process.wait()
                self._drop(process)
                raise _KilledError(_TOO_LONG)
        if answer.endswith(b"\n"):
            return answer
        code = process.wait()
        self._drop(process)
        if code >= 0:
            return None
        if code == -signal.SIGPROF:
            raise _KilledError(_TOO_LONG)
        if code == -signal.SIGKILL:
            raise _KilledError("was not checked: the process that does it was ended", refuse=False)
        raise _KilledError(f"crashed the process that checks it ({signal.Signals(-code).name})")

    def _start(self) -> subprocess.Popen[bytes]:
        self.reap()
        if self.process is None:
            with tempfile.TemporaryFile() as file:
                file.truncate(_NOTE_BYTES)
                self.noted = mmap.mmap(file.fileno(), _NOTE_BYTES)
                self.process = start_worker(str(_WORKER), str(MAX_SECONDS), str(file.fileno()), shared=(file.fileno(),))
        return self.process

    def _read_note(self) -> tuple[str, int] | None:
        """Return the pattern that the process was matching when it ended, with the text's length; None if none."""
        if self.noted is None:
            return None
        size, length = _NOTE.unpack_from(self.noted)
        text = bytes(self.noted[_NOTE.size : _NOTE.size + size]).decode("utf-8", "surrogatepass")
        return (text, length) if size else None

    def _drop(self, process: subprocess.Popen[bytes]) -> None:
        self.process = None
        close_pipes(process)


class _KilledError(Exception):
    """Error: the process was killed during a question. The message is the reason, as a statement about the schema.

    `refuse`: the schema is refused for a while.
    """

    def __init__(self, why: str, *, refuse: bool = True) -> None:
        super().__init__(why)
        self.refuse = refuse


_checker = _Checker()
_turns = FairQueue[_Question]()
_lock = Lock()
"""The lock of the queue: held while questions are added and removed."""
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="schemas")
