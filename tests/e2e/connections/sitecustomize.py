"""Loaded by Python as it starts, for `test_no_telemetry.py`: notes every address that this process connects to or asks
the name service for, one line each, in the file that CONNECTIONS names.

uvloop connects below Python, where nothing is told of it, so the server gets asyncio's own event loop.
"""

import asyncio
import os
import sys

_FILE = os.environ["CONNECTIONS"]


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        address = arguments[1]
        if isinstance(address, tuple):
            _write(f"{address[0]}:{address[1]}")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        _write(f"name {arguments[0]}")


def _write(line: str) -> None:
    with open(_FILE, "a", encoding="utf-8") as file:  # noqa: PTH123 - imports nothing that Python did not
        file.write(f"{line}\n")


sys.addaudithook(_note)

try:
    import uvloop
except ImportError:
    pass
else:
    uvloop.new_event_loop = asyncio.new_event_loop
