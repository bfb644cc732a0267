"""Processes of our own that answer questions over pipes: started, spoken to, and let go.

    process = start_worker("-m", "app.providers.counts.token_counts_worker")
    input_of(process).write(question)
    answer = output_of(process).readline()
    close_pipes(process)

Not here: what is asked, and when a process is ended (`schemas/checker.py`, `providers/counts/token_counts.py`).
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import IO


def start_worker(*arguments: str, shared: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """Start this Python with these arguments. Ctrl-C is for the server, which ends it: it does not reach the worker.

    `shared`: descriptors of open files that it has under the same numbers.
    """
    return subprocess.Popen(
        [sys.executable, "-I", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=shared,
    )


def input_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Where a worker is asked."""
    assert process.stdin is not None  # noqa: S101 - asked for when it was started
    return process.stdin


def output_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Where a worker answers."""
    assert process.stdout is not None  # noqa: S101 - as above
    return process.stdout


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close both pipes to a worker. One that still runs reads the end of its input then."""
    with suppress(BrokenPipeError):  # what it never read
        input_of(process).close()
    output_of(process).close()
