"""A server of PostgreSQL for tests, of Debian's package, in a folder of its own; gone at the end.

    make test-postgres                                   # all that is to pass on it
    python -m tests.postgres tests/store/audit -x        # what pytest is told

It listens on a socket in its folder and on no port. A superuser of the machine may not run it: it then runs as the
user that Debian's package makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from sqlalchemy import make_url

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGED: Final = Path("/usr/lib/postgresql")
SUITES: Final = (
    ("-n3", "--dist=loadfile", "tests/store", "tests/house/test_moving.py", "tests/runs", "tests/api"),
    ("tests/e2e/test_reply.py", "tests/e2e/test_queue.py"),
)
"""What is to pass on it. Browser tests and others do not share a process."""
SETTINGS: Final = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=200")
"""Nothing outlives the server, so nothing need outlive a loss of power."""


def find_programs() -> Path | None:
    """The folder of the newest installed server's programs, None where none is."""
    found = [path.parent for path in PACKAGED.glob("*/bin/initdb")]
    return max(found, key=lambda path: int(path.parent.name), default=None)


@contextmanager
def serving(programs: Path) -> Generator[str]:
    """The URL of a running server, which is stopped and deleted at the end."""
    folder = Path(mkdtemp(prefix="inview-postgres-", dir="/tmp"))  # the path of a socket has 107 bytes at most
    data, log = folder / "data", folder / "log"
    run_as: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        run_as |= {"user": "postgres", "group": "postgres", "extra_groups": []}
    initdb = [programs / "initdb", "-D", data, "-U", "inview", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"]
    options = " ".join(f"-c {each}" for each in (*SETTINGS, "listen_addresses=", f"unix_socket_directories={folder}"))
    control = [programs / "pg_ctl", "-D", data, "-w", "-l", log]
    try:
        subprocess.run(initdb, check=True, **run_as)
        subprocess.run([*control, "-o", options, "start"], check=True, **run_as)
        try:
            yield f"postgresql+psycopg://inview@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, **run_as)
    finally:
        shutil.rmtree(folder)


def restart(url: str) -> None:
    """Restart the server that `serving` has started: it cuts all connections, and keeps what was committed."""
    folder = Path(str(make_url(url).query["host"]))
    programs = find_programs()
    assert programs is not None
    run_as: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    command = [programs / "pg_ctl", "-D", folder / "data", "-w", "-m", "fast", "-l", folder / "log", "restart"]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **run_as)


def run_tests(url: str, arguments: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run these tests on a server."""
    command = [sys.executable, "-m", "pytest", *arguments]
    environment = {**os.environ, "INVIEW_TEST_DATABASE_URL": url}
    return subprocess.run(command, cwd=ROOT, env=environment, text=True, check=False, **options)


def main() -> int:
    if (programs := find_programs()) is None:
        print("No server of PostgreSQL is installed. On Debian: apt-get install postgresql")
        return 1
    with serving(programs) as url:
        suites = (sys.argv[1:],) if sys.argv[1:] else SUITES
        return max(run_tests(url, suite).returncode for suite in suites)


if __name__ == "__main__":
    sys.exit(main())
