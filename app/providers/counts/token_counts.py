"""Counts the tokens of texts with OpenAI's vocabularies, in another process.

    await count_texts("o200k_base", ["hello world", "hello"])      # [2, 1]
    warm_up()                                                      # a page is open: read the usual vocabulary now

Reading a vocabulary holds Python's lock for 0.15 s at a time and takes 50 MB. In another process it does not block the
server, and the memory is freed when the process ends
(docs/decisions/0069-count-tokens-in-a-child-process.md).

One process serves all users, one question after the other; one thread of the server exchanges messages with it.
`vocabularies.py` counts; `token_counts_worker.py` is the code of the process.
"""

from __future__ import annotations

import asyncio
import atexit
import marshal
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Final

from app.providers.counts.token_counts_worker import read_message, write_message
from app.providers.counts.vocabularies import O200K, check_vocabulary, split_pieces
from app.workers import close_pipes, input_of, output_of, start_worker

QUESTION: Final = 500_000
"""Maximum characters of one question to the process: about 20 ms of work. Longer texts are sent as several questions,
so that those of other users can run in between."""
_WORKER: Final = "app.providers.counts.token_counts_worker"


async def count_texts(vocabulary: str, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text in a vocabulary.

    Raises:
        ValueError: there is no such vocabulary.
        RuntimeError: the process that counts does not start.
    """
    check_vocabulary(vocabulary)
    counts = [0] * len(texts)
    for places, pieces in _cut(texts):
        for place, count in zip(places, await _request_counts(vocabulary, pieces), strict=True):
            counts[place] += count
    return counts


def warm_up() -> None:
    """Start the process that counts, unless it is running, and let it read the usual vocabulary. Return at once."""
    if _process.pid is None and not _process.warming:
        _process.warming = True
        _thread.submit(_process.warm_up)


def process_id() -> int | None:
    """Return the id of the process that counts, or None if it is not running."""
    return _process.pid


def end_if_idle(seconds: float) -> bool:
    """End the process that counts if it received no question for this time. Return True if it was ended.

    The next question starts a new process.
    """
    return _process.end_if(lambda: monotonic() - _process.used_at >= seconds)


def close() -> None:
    """End the process that counts. The next question starts a new one."""
    _process.end_if(lambda: True)


def _cut(texts: Sequence[str]) -> Iterator[tuple[list[int], list[str]]]:
    """Yield the questions for these texts. Each has pieces of texts, and for each piece the index of its text."""
    places, pieces, size = list[int](), list[str](), 0
    for place, text in enumerate(texts):
        for piece in split_pieces(text):
            if pieces and size + len(piece) > QUESTION:
                yield places, pieces
                places, pieces, size = [], [], 0
            places.append(place)
            pieces.append(piece)
            size += len(piece)
    if pieces:
        yield places, pieces


async def _request_counts(vocabulary: str, texts: Sequence[str]) -> list[int]:
    return await asyncio.get_running_loop().run_in_executor(_thread, _process.ask, vocabulary, texts)


@dataclass(eq=False)
class _Process:
    """The process that counts, if it is running. The lock `busy` is held while a question is answered."""

    running: subprocess.Popen[bytes] | None = None
    used_at: float = 0.0
    warming: bool = False
    busy: Lock = field(default_factory=Lock)

    @property
    def pid(self) -> int | None:
        return None if self.running is None else self.running.pid

    def ask(self, vocabulary: str, texts: Sequence[str]) -> list[int]:
        """Return the token counts of texts, as the process answers. This blocks, so it is called in a thread."""
        question = write_message((vocabulary, list(texts)))
        with self.busy:
            # if the process has just ended, the second attempt starts a new one
            answer = self._exchange(question) or self._exchange(question)
            self.used_at = monotonic()
        if answer is None:
            raise RuntimeError(f"The process that counts tokens does not start. Run `{sys.executable} -m {_WORKER}`.")
        counts: list[int] = marshal.loads(answer)  # noqa: S302 - the data come from another process of Inview
        return counts

    def warm_up(self) -> None:
        try:
            self.ask(O200K, [""])
        finally:
            self.warming = False

    def end_if(self, condition: Callable[[], bool]) -> bool:
        """End the process if no question is being answered and `condition` returns True. Return True if it ended."""
        if not self.busy.acquire(blocking=False):
            return False
        try:
            if self.running is None or not condition():
                return False
            self._drop(self.running)
            return True
        finally:
            self.busy.release()

    def leave(self) -> None:
        """Close the copies of the pipes that a forked child has, so that the process that counts ends with the parent.

        The file descriptors are closed without the pipe objects: if a thread of the parent was reading from one, the
        object stays locked in the child forever.
        """
        if self.running is None:
            return
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for pipe in (input_of(self.running), output_of(self.running)):
            os.dup2(nothing, pipe.fileno(), inheritable=False)
        os.close(nothing)
        self.running.returncode = 0  # only the parent can wait for the process

    def _exchange(self, question: bytes) -> bytes | None:
        """Send a question and return its answer. None: the process has ended."""
        if self.running is None:
            self.running = start_worker("-m", _WORKER)
        process, answer = self.running, None
        with suppress(BrokenPipeError):
            input_of(process).write(question)
            input_of(process).flush()
            answer = read_message(output_of(process))
        if answer is None:
            self._drop(process)
        return answer

    def _drop(self, process: subprocess.Popen[bytes]) -> None:
        self.running = None
        process.kill()
        process.wait()
        close_pipes(process)


def _begin_anew() -> None:
    """Replace, in a forked child, the process and thread of the parent: threads of the parent do not run in the child.

    uvloop runs this function in each child before the child executes another program. A thread of the parent may have
    held any lock at the fork, so this function must not wait for a lock. The old process object is kept, because
    deleting it would close the pipes.
    """
    global _process, _thread
    _process.leave()
    _left.append(_process)
    _process, _thread = _Process(), _make_thread()


def _make_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="counting")


_process = _Process()
_thread = _make_thread()
_left: Final[list[_Process]] = []
atexit.register(close)
os.register_at_fork(after_in_child=_begin_anew)
