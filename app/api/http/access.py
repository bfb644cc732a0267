"""The two arguments that every route begins with: the owner who asks, and the workbench to use.

The sign-in gate names the caller before any route runs (`sign_in_gate.py`). Another owner's objects are not found:
every command and query asks for the owner.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.runs.caller import caller
from app.runs.workbench import Workbench, bench_of, current


async def owner_of(_connection: HTTPConnection) -> str:
    """The owner whose objects this request sees: its caller."""
    return caller()


async def workbench(connection: HTTPConnection) -> Workbench:
    """The workbench to use with what the address names: that of temporary conversations has some of it."""
    return await bench_of(current(), *map(str, connection.path_params.values()))


Owner = Annotated[str, Depends(owner_of)]
Bench = Annotated[Workbench, Depends(workbench)]
