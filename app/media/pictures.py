"""Converts pictures in separate processes, so that a malicious picture can neither stop nor fill the server.

    converted = await convert_picture(data)
    converted.data, converted.width

At most two pictures are converted at once. The conversion itself is in `picture_worker.py`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from app.domain.errors import InputError

MAX_AT_ONCE: Final = 2
MAX_WAIT_SECONDS: Final = 60.0
"""Maximum seconds of a conversion, on a machine that is busy with other work."""
_WORKER: Final = Path(__file__).with_name("picture_worker.py")
_threads: Final = ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="pictures")


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted picture, ready to send. Sizes are in pixels.

    `full_width` and `full_height` are the size of the original picture.
    """

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    full_width: int
    full_height: int


async def convert_picture(data: bytes, name: str = "picture") -> Converted:
    """Decode a picture and encode it again: scaled down to the maximum size of models, with nothing but its pixels.

    Raises:
        InputError: the picture is damaged, too large, or takes too long. The message begins with `name`.
    """
    return await asyncio.get_running_loop().run_in_executor(_threads, _convert, data, name)


def _convert(data: bytes, name: str) -> Converted:
    command = [sys.executable, "-I", str(_WORKER)]
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=MAX_WAIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _refusal(name, "takes too long to read") from None
    line, found, written = ended.stdout.partition(b"\n")
    if not found:  # the process reached its limits, or the picture made it crash
        raise _refusal(name, "could not be read")
    response: dict[str, Any] = json.loads(line)
    if "fault" in response:
        raise _refusal(name, response["fault"])
    return Converted(data=written, **response)


def _refusal(name: str, reason: str) -> InputError:
    return InputError("attachment", f"{name} {reason}. Save it again as PNG or JPEG, and try again.")
