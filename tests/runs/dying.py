"""A process that streams a reply and says how far it is, until somebody kills it.

Not a test: `test_kill.py` starts it and reads what it said. It is the real engine on the real store; only the moment of
its death is the test's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection

from app.domain.conversation.parts import plain_text
from app.runs.send.commands import LOCAL_OWNER, start_reply
from app.runs.send.intents import NewSend
from app.runs.wiring import open_workbench
from app.settings import load_settings

REPORT_SECONDS = 0.01


def stream(installation: Mapping[str, str], conversation_id: str, text: str, report: Connection) -> None:
    """Open the workbench, send `text`, and report (time, characters received) until killed."""
    asyncio.run(_stream(installation, conversation_id, text, report))


async def _stream(installation: Mapping[str, str], conversation_id: str, text: str, report: Connection) -> None:
    report.send(("alive", time.monotonic(), 0))
    async with open_workbench(load_settings({"INVIEW_TITLES": "off", **installation})) as wb:
        started = await start_reply(wb, LOCAL_OWNER, NewSend(conversation_id, text))
        run = wb.engine.runs[started.run_id]
        report.send((started.pair_id, time.monotonic(), 0))
        while True:
            report.send(("received", time.monotonic(), len(plain_text(run.state.parts))))
            await asyncio.sleep(REPORT_SECONDS)
