"""A run and the record of its first call are stored together: whenever the process dies, there are both or neither."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from app.runs.wiring import open_workbench
from app.store.run.sent_calls import check_sent_calls
from tests.databases import ask, installation
from tests.runs.dying_mid_send import send_and_die
from tests.runs.steps import a_conversation, settings_of

PATIENCE = 60
"""Seconds that a process has for what it does in one."""


def die(data: Path, conversation_id: str, die_at: int) -> bool:
    """Whether the process died before it had sent. What outlives the send is killed after it."""
    server = multiprocessing.get_context("forkserver")
    ours, theirs = server.Pipe(duplex=False)
    process = server.Process(target=send_and_die, args=(installation(data), conversation_id, die_at, theirs))
    process.start()
    theirs.close()
    assert ours.poll(PATIENCE)
    try:
        ours.recv()
        died = False
    except EOFError:
        died = True
    assert process.pid is not None
    if not died:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return died


def left(data: Path) -> tuple[set[str], set[str], set[str]]:
    """The pairs' runs, the runs and the runs of recorded calls, as the dead left them."""
    pairs, runs, calls = (
        {run_id for (run_id,) in ask(data, query)}
        for query in ("SELECT run_id FROM pair", "SELECT id FROM run", "SELECT run_id FROM sent_call")
    )
    return pairs, runs, calls


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_kill_9_at_each_write_of_a_send_leaves_a_run_with_its_recorded_call_or_neither(tmp_path: Path) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.runs.dying_mid_send"])
    data = tmp_path / "data"
    async with open_workbench(settings_of(data)) as wb:
        conversation_id = await a_conversation(wb, model="offline:demo")
    came, before, die_at, died = Counter[str](), 0, 0, True

    while died:
        died = await asyncio.to_thread(die, data, conversation_id, die_at)
        pairs, runs, calls = left(data)

        assert pairs == runs == calls, f"killed at write {die_at}"
        came["both" if len(runs) > before else "neither"] += 1
        async with open_workbench(settings_of(data)) as wb, wb.store.read() as session:  # ends what the dead left
            checked = await check_sent_calls(session)
        assert (checked.count, checked.faults) == (len(runs), ())
        before, die_at = len(runs), die_at + 1

    print(f"{die_at} kills: {dict(came)}")
    assert came["neither"] >= 5  # the writes of the transaction that begins the run
    assert came["both"] >= 1
