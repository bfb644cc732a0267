"""A real `inview serve` for tests: a separate process and data folder, on a free port that the server binds itself.

    with serving(tmp_path) as server:
        server.url            # http://127.0.0.1:PORT
        server.get("/api/v1/health")

The page is built first if needed (once for all, under a lock). Tests that need no process should mount the API on an
ASGI transport instead.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parents[1]
INVIEW = str(Path(sys.executable).parent / "inview")
START_SECONDS = 120  # includes a first build of the page
RUNNING: list[Served] = []
"""The servers that `serving` has started and not yet ended."""
LISTENS = re.compile(r"^Listening on port (\d+)\.$", re.MULTILINE)


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Served:
    """A running server. `output` is the file of its two streams. `port` is known once the server has printed it."""

    process: subprocess.Popen[bytes]
    output: Path
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **headers: str) -> Answer:
        """Send a GET request and return an answer of any status. Header names have `_` for `-`."""
        request = urllib.request.Request(
            self.url + path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        try:
            with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
                return Answer(answer.status, dict(answer.headers.items()), answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, dict(refused.headers.items()), refused.read())

    def stop(self, with_signal: signal.Signals = signal.SIGTERM, seconds: float = 15) -> float:
        """End the server and return the seconds that it took."""
        started = time.monotonic()
        self.process.send_signal(with_signal)
        self.process.wait(seconds)
        return time.monotonic() - started

    @property
    def is_ready(self) -> bool:
        """Return whether its output says that the API and the sockets answer as well."""
        return "(Ctrl+C stops it)" in self.log()

    def log(self) -> str:
        return self.output.read_text()


@contextmanager
def serving(
    data_dir: Path,
    environment: Mapping[str, str] | None = None,
    *,
    port: int = 0,
    until: Callable[[Served], bool] = lambda server: server.is_ready,
) -> Generator[Served]:
    """Start a server on `data_dir`, wait until it is ready, and end it. It does not see the keys of this machine.

    `port` is that of a server that has ended; 0: any free one.
    """
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    output = data_dir.parent / f"{data_dir.name}-output.txt"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [INVIEW, "serve"],
            cwd=ROOT,
            env=server_environment(data_dir, port, environment),
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    server = Served(process, output, port)
    RUNNING.append(server)
    try:
        _wait(server, until)
        yield server
    finally:
        RUNNING.remove(server)
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def server_environment(data_dir: Path, port: int, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process without settings and keys, plus those of the test. Titles are off."""
    prefixes = ("INVIEW_", "ANTHROPIC_", "OPENAI_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    paths = os.pathsep.join(filter(None, (kept.get("PYTHONPATH"), str(ROOT))))  # else that where Inview was installed
    ours = {"INVIEW_DATA_DIR": str(data_dir), "INVIEW_PORT": str(port), "INVIEW_TITLES": "off", "PYTHONPATH": paths}
    return {**kept, **ours, **(extra or {})}


@contextmanager
def announcing(command: Sequence[str], announcement: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """Start a program that chooses its port, and end it. Yield its process and its announcement.

    `announcement` is a pattern that one line of its output matches; its group is what the caller needs.
    """
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    lines, output = iter(process.stdout), list[str]()
    rest = Thread(target=lambda: output.extend(lines), daemon=True)  # a full pipe would block the program
    try:
        for line in lines:
            output.append(line)
            if found := re.search(announcement, line):
                rest.start()
                yield process, found[1]
                return
        raise AssertionError(f"The program ended with {process.wait()}:\n{''.join(output)}")
    finally:
        process.terminate()
        process.wait(20)
        if rest.is_alive():
            rest.join()
        process.stdout.close()


def listen() -> socket.socket:
    """Return a socket that listens on a free port of 127.0.0.1, for a server of this process.

    As in uvloop, it sends each write immediately. Otherwise the body of an answer waits 40 ms for the receipt of its
    headers.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def free_port() -> int:
    """Return a port for a server that no other program receives while this process lives.

    A socket that does not listen holds it. Linux still lets a server bind it if both sockets may share an address, as
    the sockets of servers may.
    """
    holder = socket.socket()
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        holder.setsockopt(socket.SOL_SOCKET, option, 1)
    holder.bind(("127.0.0.1", 0))
    atexit.register(holder.close)
    port: int = holder.getsockname()[1]
    return port


def _wait(server: Served, until: Callable[[Served], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            raise AssertionError(f"The server ended with {server.process.returncode}:\n{server.log()}")
        if not server.port and (named := LISTENS.search(server.log())):
            server.port = int(named[1])
        if server.port and until(server):
            return
        time.sleep(0.02)
    raise AssertionError(f"The server did not start within {START_SECONDS} s:\n{server.log()}")
