"""What every process of the chaos run begins with, read once: importing this module sends something, so imports all.

    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.chaos.rehearsal"])

To each process it would be a second and a half of its life. It leaves no thread and no connection behind.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from app.providers.base import load_adapter
from app.runs.wiring import open_workbench
from tests.providers.playing import a_provider
from tests.runs.steps import a_conversation, reply_to, settings_of

import_module("tests.chaos.dying")


async def _rehearse() -> None:
    with TemporaryDirectory() as folder:
        async with open_workbench(settings_of(Path(folder))) as wb:
            await reply_to(wb, await a_conversation(wb, model="offline:demo"), "/echo Hello")


load_adapter("openai_compatible").open_link(a_provider("deepseek"))
asyncio.run(_rehearse())
