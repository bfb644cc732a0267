"""Several processes of Inview on this machine, as in an installation: PostgreSQL, Redis, and a proxy in front of them.

    make cluster                     # to try it, on http://127.0.0.1:3000

    with cluster_serving(folder) as cluster:
        cluster.url                  # of the proxy, which keeps a browser at one process
        cluster.processes[0].url     # of one process
        cluster.kill(0)
        cluster.start(0)
        cluster.restart(1)

The servers are those of Debian's packages. Everything listens on 127.0.0.1 alone and is gone at the end.
"""

from __future__ import annotations

import base64
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import make_url

from tests import postgres
from tests.redis_server import PROGRAM as REDIS
from tests.redis_server import RedisServer, redis_serving
from tests.serving import Served, free_port, serving

HAPROXY: Final = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
PROCESSES: Final = 3
START_SECONDS: Final = 30
DRAIN_SECONDS: Final = 60
_PROXY: Final = """
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 5s
  retries 3
  option redispatch
frontend page
  bind 127.0.0.1:{port}
  default_backend inview
backend inview
  balance leastconn
  cookie INVIEW_PROCESS insert indirect nocache httponly attr "SameSite=Lax"
  option httpchk
  http-check send meth GET uri /api/v1/ready ver HTTP/1.1 hdr Host 127.0.0.1:{port}
  default-server check inter 500ms fall 1 rise 1
{servers}
"""


def find_missing() -> tuple[str, ...]:
    """The packages of Debian that are not installed and are needed."""
    found = {"postgresql": postgres.find_programs(), "redis-server": REDIS, "haproxy": HAPROXY}
    return tuple(package for package, program in found.items() if program is None)


@dataclass
class ServedCluster:
    """`processes` are reached through `url`; one that was killed stays in its place until it is started again.

    `own` are settings that one of them has beside those of all, by its number.
    """

    folder: Path
    port: int
    settings: Mapping[str, str]
    redis: RedisServer
    processes: list[Served] = field(default_factory=list[Served])
    own: dict[int, Mapping[str, str]] = field(default_factory=dict[int, Mapping[str, str]])
    _stacks: list[ExitStack] = field(default_factory=list[ExitStack])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add(self, port: int) -> None:
        """Start one more process."""
        self._stacks.append(stack := ExitStack())
        self.processes.append(stack.enter_context(self._serve(len(self.processes), port)))

    def kill(self, number: int) -> None:
        """End a process as a crash would."""
        process = self.processes[number].process
        process.send_signal(signal.SIGKILL)
        process.wait(10)

    def restart(self, number: int) -> None:
        """End a process in order, and start it again."""
        served = self.processes[number]
        served.stop(seconds=DRAIN_SECONDS + 30)
        assert served.process.returncode == 0, served.log()
        self.start(number)

    def start(self, number: int) -> None:
        """Start a process again that was killed or stopped, on its port."""
        self._stacks[number].close()
        self.processes[number] = self._stacks[number].enter_context(self._serve(number, self.processes[number].port))

    def close(self) -> None:
        """Stop all processes."""
        for stack in self._stacks:
            stack.close()

    def _serve(self, number: int, port: int) -> AbstractContextManager[Served]:
        data = self.folder / f"process-{number}"
        data.mkdir(mode=0o700, exist_ok=True)
        return serving(data, {**self.settings, **self.own.get(number, {})}, port=port)


@contextmanager
def cluster_serving(
    folder: Path, settings: Mapping[str, str] | None = None, *, count: int = PROCESSES, port: int | None = None
) -> Generator[ServedCluster]:
    """A running cluster of `count` processes, with its files in a folder."""
    programs = postgres.find_programs()
    assert programs is not None
    with ExitStack() as stack:
        server = make_url(stack.enter_context(postgres.serving(programs)))
        redis = stack.enter_context(redis_serving())
        port = port or free_port()
        ours = {
            "INVIEW_DATABASE_URL": server.render_as_string(hide_password=False),
            "INVIEW_REDIS_URL": redis.url,
            "INVIEW_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "INVIEW_KEY_FILE": str(_make_key(folder)),
            "INVIEW_DRAIN_SECONDS": str(DRAIN_SECONDS),
        }
        cluster = ServedCluster(folder, port, ours | dict(settings or {}), redis)
        stack.callback(cluster.close)
        ports = [free_port() for _ in range(count)]
        for each in ports:
            cluster.add(each)
        stack.enter_context(_proxy(folder, port, ports))
        yield cluster


def _make_key(folder: Path) -> Path:
    key = folder / "inview.key"
    key.write_bytes(base64.urlsafe_b64encode(os.urandom(32)))
    return key


@contextmanager
def _proxy(folder: Path, port: int, ports: list[int]) -> Generator[None]:
    servers = "\n".join(f"  server p{number} 127.0.0.1:{each} cookie p{number}" for number, each in enumerate(ports))
    config = folder / "haproxy.cfg"
    config.write_text(_PROXY.format(port=port, servers=servers))
    assert HAPROXY is not None
    process = subprocess.Popen([HAPROXY, "-f", config, "-db"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for_proxy(port)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _wait_for_proxy(port: int) -> None:
    due = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/ready", timeout=5).close()
        except OSError:
            if time.monotonic() > due:
                raise
            time.sleep(0.1)
        else:
            return


def main() -> int:
    if missing := find_missing():
        print(f"Not installed: {', '.join(missing)}. On Debian: apt-get install {' '.join(missing)}")
        return 1
    port = int(os.environ.get("INVIEW_PORT", "3000"))
    with TemporaryDirectory(prefix="inview-cluster-") as folder, cluster_serving(Path(folder), port=port) as cluster:
        print(f"Inview: {cluster.url}  ({PROCESSES} processes; Ctrl+C stops them and deletes everything)")
        for each in cluster.processes:
            print(f"  process {each.process.pid} on port {each.port}")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
