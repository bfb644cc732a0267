"""The examples of client/README.md do what the page says."""

from __future__ import annotations

import asyncio
import re
import sys

from tests.api.served import Api
from tests.client.generation import ROOT


async def test_every_example_of_the_page_works_as_it_stands(api: Api):
    page = (ROOT / "client/README.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program),
        env={"PYTHONPATH": str(ROOT / "client"), "INVIEW_URL": f"http://{api.host}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = (text.decode() for text in await process.communicate())

    assert process.returncode == 0, output + errors
    assert output.startswith("Hello, world!")
    assert "'And in French?'" in output
    assert "done {'stop_reason': 'end'}" in output
    assert "404 not-found" in output
    assert "['One', 'Two']" in output
    listed = (await api.http.get("/conversations")).json()["items"]
    assert {each["title"] for each in listed} >= {"Second steps"}
