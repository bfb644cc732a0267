"""The imports that every process of the chaos run needs. Importing this module sends something, which imports
everything.

    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.chaos.rehearsal"])

Each process would otherwise need a second and a half for it. It leaves no thread and no connection behind.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from app.providers.base import load_adapter
from app.runs.wiring import open_app_context
from tests.providers.playing import a_provider
from tests.runs.steps import a_conversation, reply_to, settings_of

import_module("tests.chaos.dying")


async def _rehearse() -> None:
    with TemporaryDirectory() as folder:
        async with open_app_context(settings_of(Path(folder))) as ctx:
            await reply_to(ctx, await a_conversation(ctx, model="offline:demo"), "/echo Hello")


load_adapter("openai_compatible").open_link(a_provider("deepseek"))
asyncio.run(_rehearse())
