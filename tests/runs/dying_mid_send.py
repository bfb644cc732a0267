"""A process that sends and is dead before the statement of that number is done.

Not a test: `test_recorded_or_not_sent.py` starts it, and looks at what it left.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from sqlalchemy import Engine, event

from app.runs.send.commands import LOCAL_OWNER, start_reply
from app.runs.send.intents import NewSend
from app.runs.wiring import open_workbench
from app.settings import load_settings

WRITES = ("INSERT", "UPDATE", "DELETE")


def send_and_die(installation: Mapping[str, str], conversation_id: str, die_at: int, report: Connection) -> None:
    """Send. Die as the write or commit of this number, from 0, would be made; else report that there are fewer."""
    asyncio.run(_send_and_die(installation, conversation_id, die_at, report))


async def _send_and_die(installation: Mapping[str, str], conversation_id: str, die_at: int, report: Connection) -> None:
    async with open_workbench(load_settings({"INVIEW_TITLES": "off", **installation})) as wb:
        _die_at(die_at)
        await start_reply(wb, LOCAL_OWNER, NewSend(conversation_id, f"/rate 200\n/echo {'word ' * 2000}"))
        report.send("sent")
        await asyncio.Event().wait()


def _die_at(number: int) -> None:
    steps = count()

    def step(*_args: Any) -> None:
        if next(steps) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(_connection: Any, _cursor: Any, statement: str, *_args: Any) -> None:
        if statement.lstrip().startswith(WRITES):
            step()

    event.listen(Engine, "before_cursor_execute", write)
    event.listen(Engine, "commit", step)
