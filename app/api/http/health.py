"""Routes by which supervisors and proxies check that the process is alive and that the server is ready."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, Literal

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Ctx
from app.api.http.answers import ANYWHERE, VIEW, answer, says
from app.api.http.negotiation import JSON, offers
from app.api.http.problems import documented
from app.store.database.migrations import HEAD, check

_VERSION: Final = version("inview")
router = APIRouter(tags=["server"], dependencies=[Depends(offers(JSON))])


@dataclass(frozen=True, slots=True)
class HealthView:
    """Confirmation that the process is alive."""

    status: Literal["ok"]
    version: str


@dataclass(frozen=True, slots=True)
class ReadyView:
    """Confirmation that the database can be used.

    `migration` is the id of the newest migration (Alembic revision): the server is ready only if all were applied.
    """

    status: Literal["ready"]
    database: Literal["ok"]
    migration: str


@router.get(
    "/health",
    summary="Check that the process is alive",
    responses={200: {VIEW: HealthView, "description": "It is."}, **documented(*ANYWHERE)},
)
async def health() -> Response:
    return answer(HealthView("ok", _VERSION))


@router.get(
    "/ready",
    summary="Check that the server is ready: database and migrations",
    responses=says(ReadyView),
)
async def ready(ctx: Ctx) -> Response:
    # This opens the database again, as a start does, because a pooled connection still works after its file was
    # removed.
    await asyncio.to_thread(check, ctx.settings.database_url)
    return answer(ReadyView("ready", "ok", HEAD))
