"""Reads PDFs in processes of their own, so that a hostile one can neither stop nor fill the server.

    pages = await read_pdf(data, "plan.pdf")
    pages[0]                     # the text of page 1; "" if it has none, None if it could not be read

At most two are read at once. The reading itself is in `pdf_worker.py`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from app.domain.errors import InputError

MAX_AT_ONCE: Final = 2
MAX_WAIT_SECONDS: Final = 60.0
"""How long a document may take on a machine that is busy otherwise."""
_WORKER: Final = Path(__file__).with_name("pdf_worker.py")
_threads: Final = ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="documents")


async def read_pdf(data: bytes, name: str) -> tuple[str | None, ...]:
    """The text of each page of a PDF: "" of one that has none, None of one that could not be read.

    Raises:
        InputError: it is damaged, locked, too large, or takes too long. The message begins with `name`.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads, _read, data, name)


def _read(data: bytes, name: str) -> tuple[str | None, ...]:
    command = [sys.executable, "-I", str(_WORKER)]
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=MAX_WAIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _refusal(name, "takes too long to read") from None
    if not ended.stdout.endswith(b"\n"):  # it was ended by its bounds, or by the document
        raise _refusal(name, "takes too much time or memory to read")
    said: dict[str, Any] = json.loads(ended.stdout)
    if "fault" in said:
        raise _refusal(name, said["fault"])
    return tuple(said["pages"])


def _refusal(name: str, reason: str) -> InputError:
    return InputError("attachment", f"{name} {reason}. Save or print it anew as a PDF, and try again.")
