"""aimock (npm), a server nobody here wrote that speaks the vendors' dialects, with answers by what it is asked.

with an_aimock(folder, {"match": {"userMessage": "greet"}, "response": {"content": "Hello"}}) as url: ...
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.node import NODE
from tests.serving import free_port

AIMOCK = Path(__file__).parents[1] / "third_party/node_modules/@copilotkit/aimock/dist/cli.js"


@contextmanager
def an_aimock(folder: Path, *fixtures: dict[str, Any]) -> Generator[str, None, None]:
    """The server's address. Skips the test where it is not installed."""
    if not AIMOCK.exists():
        pytest.skip("aimock is not installed here: `make test` installs it from npm")
    (folder / "answers.json").write_text(json.dumps({"fixtures": fixtures}))
    port = free_port()
    command = [str(NODE), str(AIMOCK), "-p", str(port), "-f", str(folder / "answers.json"), "--log-level", "silent"]
    process = subprocess.Popen(command)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/v1/models", process)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        assert process.poll() is None, "aimock ended"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
    pytest.fail(f"aimock did not answer at {url}")
