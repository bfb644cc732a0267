"""A process that streams a reply and reports its saves until the test kills it.

It is not a test: `test_kill.py` starts it and reads its reports. It uses the real engine and the real store; the test
chooses only the moment of the kill.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from app.config.settings import load_settings
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.wiring import open_app_context
from tests.runs.saves import Save, SaveClock, report_saves


@dataclass(frozen=True)
class Report:
    """A report of the process, made at `at`: it is alive, it has sent a pair, or it has completed a save."""

    pair_id: str | None = None
    save: Save | None = None
    at: float = field(default_factory=time.monotonic)


def stream(data: Path, conversation_id: str, text: str, connection: Connection) -> None:
    """Open the app context, send `text`, and report until killed."""
    asyncio.run(_stream(data, conversation_id, text, connection.send))


async def _stream(data: Path, conversation_id: str, text: str, report: Callable[[Report], None]) -> None:
    report(Report())
    clock = SaveClock()
    async with open_app_context(load_settings({"INVIEW_DATA_DIR": str(data), "INVIEW_TITLES": "off"}), clock) as ctx:
        started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text))
        report(Report(started.pair_id))
        report_saves(ctx, clock, lambda save: report(Report(save=save)))
        await asyncio.Event().wait()
