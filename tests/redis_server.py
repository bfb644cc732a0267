"""A real server of Redis for tests, on a free port, with nothing kept on the disk.

with redis_serving() as server:
    server.url
    server.restart()         # as after a crash: it has forgotten everything, and every connection is cut
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

from tests.serving import free_port

PROGRAM = shutil.which("redis-server")
START_SECONDS = 10


@dataclass
class RedisServer:
    """A server on `port`, with its files in `folder`."""

    port: int
    folder: str
    process: subprocess.Popen[bytes] = field(init=False)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        assert PROGRAM is not None
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen([PROGRAM, *options], cwd=self.folder, stdout=subprocess.DEVNULL)
        due = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert time.monotonic() < due, "Redis does not start"
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()


@contextmanager
def redis_serving() -> Generator[RedisServer]:
    """A running server, which is killed at the end."""
    with TemporaryDirectory(prefix="inview-redis-") as folder:
        server = RedisServer(free_port(), folder)
        server.start()
        try:
            yield server
        finally:
            server.kill()
