"""Answers supervisors and proxies: does the server live, and is it ready to work?"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Bench
from app.api.http.answers import ANYWHERE, VIEW, answer, says
from app.api.http.negotiation import JSON, offers
from app.api.http.problems import ApiProblemError, documented
from app.store.database.migrations import HEAD, check

router = APIRouter(tags=["server"], dependencies=[Depends(offers(JSON))])


@dataclass(frozen=True, slots=True)
class HealthView:
    """The process answers."""

    status: Literal["ok"]
    version: str


@dataclass(frozen=True, slots=True)
class ReadyView:
    """The database can be used. `migration` is the revision it has, which is the one this code knows."""

    status: Literal["ready"]
    database: Literal["ok"]
    migration: str


@router.get(
    "/health",
    summary="Is the process alive?",
    responses={200: {VIEW: HealthView, "description": "It is."}, **documented(*ANYWHERE)},
)
async def health() -> Response:
    return answer(HealthView("ok", version("inview")))


@router.get(
    "/ready",
    summary="Can it serve: are database and migrations fine?",
    responses=says(ReadyView),
)
async def ready(bench: Bench) -> Response:
    if bench.draining.is_set():
        raise ApiProblemError("not-ready", "This process is about to end. Others serve.")
    # Opens the database anew, as a start would: a pooled connection outlives a file that was removed.
    await asyncio.to_thread(check, bench.settings.database_url)
    return answer(ReadyView("ready", "ok", HEAD))
