"""(g) Time until the first page: after a restart without changes, and from a clone with nothing installed."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from pathlib import Path

from tests.bench.report import Report
from tests.bench.servers.targets import APP_PORT, ROOT, Process, Stub, app_environment


async def restart(stub: Stub, report: Report, times: int = 3) -> None:
    """`make run` with everything built: seconds from the Enter key to the front page."""
    with tempfile.TemporaryDirectory(prefix="inview-bench-data-") as data:
        environment = app_environment(stub.base_url, Path(data), APP_PORT)
        for number in range(times + 1):
            server = Process(["make", "--silent", "run"], environment)
            seconds = await server.answers(f"http://127.0.0.1:{APP_PORT}/", 120)
            if number > 0:  # the first run creates the database, and builds the page if needed
                report.add("g.restart", "app", seconds)
            await server.stop()


async def first_start(report: Report) -> None:
    """`git clone` and `make run` with every cache empty; most of the time is the network's."""
    with tempfile.TemporaryDirectory(prefix="inview-bench-clone-") as folder:
        clone = Path(folder) / "inview"
        command = ["git", "clone", "--quiet", str(ROOT), str(clone)]
        await asyncio.to_thread(subprocess.run, command, check=True)
        caches = {name: f"{folder}/{name}" for name in ("UV_CACHE_DIR", "PIP_CACHE_DIR", "npm_config_cache")}
        environment = {**caches, "INVIEW_PORT": str(APP_PORT), "INVIEW_DATA_DIR": f"{folder}/data"}
        server = Process(["make", "--directory", str(clone), "run"], environment)
        report.add("g.fresh", "app", await server.answers(f"http://127.0.0.1:{APP_PORT}/", 600))
        await server.stop()
