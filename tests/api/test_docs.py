"""The commands of docs/api.md do what the page says."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from tests.api.served import Api

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
TOOLS = ("bash", "curl", "jq")


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"docs/api.md is run by {', '.join(TOOLS)}")
async def test_every_command_of_the_page_works_unchanged(api: Api):
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))

    process = await asyncio.create_subprocess_exec(
        *("bash", "-euo", "pipefail", "-c", commands),
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "INVIEW_URL": f"http://{api.host}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = (text.decode() for text in await process.communicate())

    assert process.returncode == 0, output + errors
    assert 'data: {"index":0,"text":' in output
    assert "event: done" in output
    assert '"canceled"' in output
    assert "event: cancelled" in output
    assert "urn:inview:problem:invalid-input" in output
    assert (await api.http.get("/conversations")).json()["items"] == []
