"""Checks values against JSON schemas in a process of their own, which is killed when that takes too long.

    checked = await check_value('{"type": "string"}', 3)
    checked.faults           # (((), "3 is not of type 'string'"),)
    checked.unusable         # None; or a sentence that says why the schema could not be applied

One process and one thread that talks to it serve everybody, one question after the other. They start with the first
question, and the process ends after a minute without one. The checking itself is in `worker.py`.
"""

from __future__ import annotations

import asyncio
import json
import select
import signal
import subprocess
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from time import monotonic
from typing import Any, Final

from app.workers import close_pipes, input_of, output_of, start_worker

MAX_SECONDS: Final = 2.0
"""Processor time that one question may take."""
MAX_WAIT_SECONDS: Final = 30.0
"""How long an answer is waited for on a machine that is busy otherwise."""
MAX_CHARACTERS: Final = 100_000
"""Characters of a schema. Those of real tools have some thousand."""
REFUSED_SECONDS: Final = 60.0
"""How long a schema that took too long is refused unseen, so that it costs two seconds a minute at most."""
MAX_REFUSED: Final = 256
_WORKER: Final = FilePath(__file__).with_name("worker.py")
_TOO_LONG: Final = f"takes more than {MAX_SECONDS:.0f} seconds to check; simplify its patterns, anyOf and references"

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """Where something does not fit, and why. `unusable`: why nothing could be found out, as "refers to itself …".

    `too_long`: because the schema asks for too much work.
    """

    faults: tuple[tuple[Path, str], ...] = ()
    unusable: str | None = None
    too_long: bool = False


WORKS_TOO_LONG: Final = Checked(unusable=_TOO_LONG, too_long=True)


async def check_schema(schema_json: str) -> Checked:
    """Whether a text is a JSON schema that can be used. The paths of its faults lead through the schema."""
    return await _ask(lambda: _checker.ask(schema_json, {}))


async def check_value(schema_json: str, value: object, *, open_path: Path | None = None, limit: int = 50) -> Checked:
    """Whether a value fits a schema: the first faults, at most `limit`.

    `open_path` leads to the place of the value that still arrives. Faults there that more text can mend are left out.
    """
    question = {"value": value, "open_path": open_path, "limit": limit}
    return await _ask(lambda: _checker.ask(schema_json, question))


def close() -> None:
    """End the process, whatever it is busy with. The next question starts another."""
    _checker.kill()
    _thread.submit(_checker.reap)


def process_id() -> int | None:
    """The process that answers at present."""
    return None if _checker.process is None else _checker.process.pid


def forget_refused() -> None:
    """Try schemas again that took too long."""
    _checker.refused.clear()


async def _ask(ask: Callable[[], Checked]) -> Checked:
    return await asyncio.get_running_loop().run_in_executor(_thread, ask)


@dataclass(eq=False)
class _Checker:
    """The process, if it runs, and the schemas that took too long, with the time until which they are refused."""

    process: subprocess.Popen[bytes] | None = None
    refused: OrderedDict[str, float] = field(default_factory=OrderedDict[str, float])

    def ask(self, schema_json: str, question: dict[str, Any]) -> Checked:
        """Answer a question about a schema. Only one thread may ask."""
        if len(schema_json) > MAX_CHARACTERS:
            return Checked(unusable=f"has {len(schema_json):,} characters; the maximum is {MAX_CHARACTERS:,}")
        if self.refused.get(schema_json, 0.0) > monotonic():
            return WORKS_TOO_LONG
        try:
            line = json.dumps({"schema": schema_json, **question}).encode() + b"\n"
        except (RecursionError, ValueError):
            return Checked(unusable="cannot be applied: the value is nested too deeply, or has a number too long")
        try:
            answer = self._exchange(line) or self._exchange(line)  # it may have ended just now, for want of questions
        except _KilledError as error:
            if error.refuse:
                self._refuse(schema_json)
            return Checked(unusable=str(error), too_long=error.refuse)
        if answer is None:
            raise RuntimeError(
                "The process that checks schemas does not start. Run `python app/json_schemas/worker.py 2`."
            )
        said: dict[str, Any] = json.loads(answer)
        faults = tuple((tuple(path), message) for path, message in said.get("faults", ()))
        return Checked(faults, said.get("unusable"))

    def kill(self) -> None:
        """End the process at once. Any thread may do so."""
        if (process := self.process) is not None:
            process.kill()
            process.wait()

    def reap(self) -> None:
        """Forget a process that has ended. Only the thread that asks may do so."""
        if self.process is not None and self.process.poll() is not None:
            self._drop(self.process)

    def _exchange(self, line: bytes) -> bytes | None:
        """Send a question and wait for its answer. None: the process had ended by itself.

        Raises:
            _KilledError: the process was killed, or by now is.
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
            self.process = start_worker(str(_WORKER), str(MAX_SECONDS))
        return self.process

    def _drop(self, process: subprocess.Popen[bytes]) -> None:
        self.process = None
        close_pipes(process)

    def _refuse(self, schema_json: str) -> None:
        self.refused[schema_json] = monotonic() + REFUSED_SECONDS
        self.refused.move_to_end(schema_json)
        while len(self.refused) > MAX_REFUSED:
            self.refused.popitem(last=False)


class _KilledError(Exception):
    """The process was killed over a question. The text says why, of the schema, which is to be refused for a while."""

    def __init__(self, why: str, *, refuse: bool = True) -> None:
        super().__init__(why)
        self.refuse = refuse


_checker = _Checker()
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="schemas")
