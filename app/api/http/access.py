"""Dependencies that every route needs: the owner of the request and the app context.

At present there is one local owner. If sessions or tokens select other owners later, only this module changes. A
request cannot find objects of another owner, because every command and query takes the owner.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from app.runs.app_context import AppContext, context_for, current
from app.runs.runtime.owner import LOCAL_OWNER


async def owner_of(_connection: HTTPConnection) -> str:
    """Return the owner whose objects this request can see."""
    return LOCAL_OWNER


async def find_context(connection: HTTPConnection) -> AppContext:
    """Return the app context of temporary conversations if the path names one of their objects, else the main one."""
    return await context_for(current(), *map(str, connection.path_params.values()))


Owner = Annotated[str, Depends(owner_of)]
Ctx = Annotated[AppContext, Depends(find_context)]
