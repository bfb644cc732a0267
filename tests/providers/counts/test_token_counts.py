"""Token counts in a separate process: the same counts as in this one, without a wait and without its memory."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.providers.counts import token_counts
from app.providers.counts.token_counts import QUESTION, close, count_texts, end_if_idle, process_id, warm_up
from app.providers.counts.vocabularies import CL100K, O200K, PIECE, counter
from tests.effort import examples

ROOT = Path(__file__).parents[3]
DAY = 86_400.0


@pytest.fixture(autouse=True, scope="module")
def _process_ends() -> Generator[None]:
    yield
    close()


def running_process() -> int:
    found = process_id()
    assert found is not None
    return found


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.text(max_size=50), max_size=8), st.sampled_from((O200K, CL100K)))
async def test_texts_are_counted_as_in_this_process(texts: list[str], vocabulary: str) -> None:
    assert await count_texts(vocabulary, texts) == list(map(counter(vocabulary), texts))


async def test_half_a_character_and_nul_are_counted() -> None:
    assert await count_texts(O200K, ["a \ud83d b", "\x00"]) == list(map(counter(O200K), ["a \ud83d b", "\x00"]))


async def test_texts_longer_than_a_question_are_counted_whole() -> None:
    long, short = "some words, " * (QUESTION // 5), "and two more"

    assert await count_texts(O200K, [short, long, "", short]) == list(map(counter(O200K), [short, long, "", short]))
    assert len(long) > 2 * QUESTION > 2 * PIECE


async def test_a_short_text_does_not_wait_for_all_of_a_long_one() -> None:
    await count_texts(O200K, ["ready"])
    long = asyncio.create_task(count_texts(O200K, ["some words, " * 1_000_000]))
    await asyncio.sleep(0)

    await count_texts(O200K, ["short"])

    assert not long.done()
    assert await long > [0]


async def test_a_process_that_was_killed_is_replaced_by_the_next_question() -> None:
    await count_texts(O200K, ["hello"])
    before = running_process()
    os.kill(before, signal.SIGKILL)

    assert await count_texts(O200K, ["hello world"]) == [2]
    assert process_id() != before


async def test_an_idle_process_ends_and_gives_its_memory_back() -> None:
    await count_texts(O200K, ["hello"])
    before = running_process()

    assert not end_if_idle(DAY)
    assert end_if_idle(0)

    assert process_id() is None
    assert not psutil.pid_exists(before)
    assert not end_if_idle(0)


async def test_a_warm_process_exists_before_the_first_count(monkeypatch: pytest.MonkeyPatch) -> None:
    close()
    start: Any = subprocess.Popen
    started = list[object]()

    def note(*arguments: Any, **options: Any) -> object:
        started.append(arguments)
        return start(*arguments, **options)

    monkeypatch.setattr(token_counts.subprocess, "Popen", note)
    warm_up()
    warm_up()  # a second client
    thread = token_counts._thread  # pyright: ignore[reportPrivateUsage] - it does one thing after the other
    await asyncio.get_running_loop().run_in_executor(thread, lambda: None)
    warm = running_process()

    assert await count_texts(O200K, ["hello world"]) == [2]
    assert (process_id(), len(started)) == (warm, 1)


async def test_an_unknown_vocabulary_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no vocabulary 'p50k_base'"):
        await count_texts("p50k_base", ["hello"])


ASKING = """
import asyncio, sys
from app.providers.counts.token_counts import count_texts, process_id
assert asyncio.run(count_texts("o200k_base", ["hello world"])) == [2]
assert not {"tiktoken", "regex"} & sys.modules.keys()
print(process_id(), flush=True)
sys.stdin.read()
"""


def test_the_caller_loads_no_vocabulary_and_its_process_ends_with_it_when_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ASKING], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asking:
        assert asking.stdout is not None
        counting = psutil.Process(int(asking.stdout.readline()))
        asking.kill()

    counting.wait(10)
    assert not counting.is_running()


FORKED = """
import asyncio, os, sys
from app.providers.counts.token_counts import count_texts, process_id

asyncio.run(count_texts("o200k_base", ["one"]))
parents, child = process_id(), os.fork()
if not child:
    counts = asyncio.run(asyncio.wait_for(count_texts("o200k_base", ["one two"]), 20))
    os._exit(0 if counts == [2] and process_id() not in {None, parents} else 1)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert asyncio.run(count_texts("o200k_base", ["one two three"])) == [3]
sys.exit(ended or process_id() != parents)
"""


def test_a_fork_counts_in_a_new_process_and_leaves_its_parents_alone() -> None:
    forked = subprocess.run([sys.executable, "-c", FORKED], cwd=ROOT, capture_output=True, timeout=60, check=False)

    assert (forked.returncode, forked.stderr) == (0, b"")


STARTING_A_PROGRAM = """
import asyncio, io, os, signal, uvloop
from app.providers.counts import token_counts
from app.providers.counts.token_counts import count_texts, process_id

class Noted(io.RawIOBase):
    def __init__(self, pipe, loop, begun):
        self.pipe, self.loop, self.begun = pipe, loop, begun
    def readable(self):
        return True
    def fileno(self):
        return self.pipe.fileno()
    def readinto(self, buffer):
        self.loop.call_soon_threadsafe(self.begun.set)  # who reads holds the buffer's lock by now
        return self.pipe.readinto(buffer)

async def main():
    await count_texts("o200k_base", ["one"])
    worker = process_id()
    os.kill(worker, signal.SIGSTOP)
    process, begun = token_counts._process.running, asyncio.Event()
    process.stdout = io.BufferedReader(Noted(process.stdout.detach(), asyncio.get_running_loop(), begun))
    counting = asyncio.create_task(count_texts("o200k_base", ["one two"]))
    await begun.wait()
    program = await asyncio.create_subprocess_exec("true")
    assert await program.wait() == 0
    os.kill(worker, signal.SIGCONT)
    assert await counting == [2]
    assert process_id() == worker

uvloop.run(main())
"""


def test_a_program_is_started_while_an_answer_is_read() -> None:
    """Tool servers are started by uvloop, whose children run the functions that Python registered for forks."""
    started = subprocess.run(
        [sys.executable, "-c", STARTING_A_PROGRAM], cwd=ROOT, capture_output=True, timeout=60, check=False
    )

    assert (started.returncode, started.stderr) == (0, b"")
