"""aimock (npm), a third-party server that implements the vendors' dialects, with answers by request text.

with an_aimock(folder, {"match": {"userMessage": "greet"}, "response": {"content": "Hello"}}) as url: ...
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.node import NODE
from tests.serving import announcing

AIMOCK = Path(__file__).parents[1] / "third_party/node_modules/@copilotkit/aimock/dist/cli.js"


@contextmanager
def an_aimock(folder: Path, *fixtures: dict[str, Any]) -> Generator[str, None, None]:
    """Start the server and yield its address. Skip the test if it is not installed."""
    if not AIMOCK.exists():
        pytest.skip("aimock is not installed here: `make test` installs it from npm")
    (folder / "answers.json").write_text(json.dumps({"fixtures": fixtures}))
    command = [str(NODE), str(AIMOCK), "-p", "0", "-f", str(folder / "answers.json"), "--log-level", "info"]
    with announcing(command, r"listening on (http://\S+)") as (_, url):
        yield url
