"""Worker processes of Inview that answer questions over pipes: start one, use its pipes and close them.

    process = start_worker("-m", "app.providers.counts.token_counts_worker")
    input_of(process).write(question)
    answer = output_of(process).readline()
    close_pipes(process)

`schema_check/checker.py` and `providers/counts/token_counts.py` ask the questions and end the processes.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import IO


def start_worker(*arguments: str, shared: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """Start a worker with this Python and these arguments. Ctrl-C reaches only the server, which then ends the worker.

    `shared`: descriptors of open files that the worker inherits with the same numbers.
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
    """Return the pipe for questions to a worker."""
    assert process.stdin is not None  # noqa: S101 - the process was started with a pipe
    return process.stdin


def output_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Return the pipe with the answers of a worker."""
    assert process.stdout is not None  # noqa: S101 - as above
    return process.stdout


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close both pipes to a worker. A worker that is still running then reads the end of its input."""
    with suppress(BrokenPipeError):  # the worker never read all of its input
        input_of(process).close()
    output_of(process).close()
