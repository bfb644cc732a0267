"""Who asks, and of what: the two things every route begins with.

One local owner for now; a session or a token will name another here, and nowhere else. Another owner's objects are not
found: every command and query asks for the owner.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench, bench_of, current


async def owner_of(_connection: HTTPConnection) -> str:
    """The owner whose objects this request sees."""
    return LOCAL_OWNER


async def workbench(connection: HTTPConnection) -> Workbench:
    """The workbench to use with what the address names: that of temporary conversations has some of it."""
    return await bench_of(current(), *map(str, connection.path_params.values()))


Owner = Annotated[str, Depends(owner_of)]
Bench = Annotated[Workbench, Depends(workbench)]
