"""Retention over HTTP: what the rules would move to the trash, what they moved, Undo. Preferences hold the rules."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import JSON, offers
from app.runs.library.retention import LoggedSweep, count_due, list_logged, load_rules, undo_sweep
from app.views.retention import BroughtBackView, RetentionRuleView, RetentionView, SweepView

router = APIRouter(prefix="/retention", tags=["trash"], dependencies=[Depends(offers(JSON))])

SweepNumber = Annotated[int, Path(ge=1, le=2**53 - 1, description="A sweep, by its number in the log.")]


@router.get(
    "",
    summary="Read what retention rules would move and have moved",
    description="The rules are the preferences `chat_days`, `child_days` and `imported_days`, and `retention_days` of "
    "a folder, which goes before the others; none is set at first. Conversations with a star or a flag are kept. What "
    "is due goes to the trash within an hour.",
    responses=says(RetentionView),
)
async def read(bench: Bench, owner: Owner) -> Response:
    due = [
        RetentionRuleView(rule.kind, rule.days, await count_due(bench, owner, rule), rule.folder_id or None)
        for rule in await load_rules(bench, owner)
    ]
    logged = await list_logged(bench, owner)
    sweeps = tuple(map(_describe, logged))
    return answer(RetentionView(tuple(due), sweeps))


def _describe(one: LoggedSweep) -> SweepView:
    sweep, rule = one.sweep, one.sweep.rule
    return SweepView(sweep.number, sweep.at, rule.kind, rule.days, sweep.count, one.left, rule.folder_id or None)


@router.post(
    "/sweeps/{number}/undo",
    summary="Bring back what a rule moved into the trash",
    description="As far as it is still there.",
    responses=says(BroughtBackView, "not-found"),
)
async def undo(bench: Bench, owner: Owner, number: SweepNumber) -> Response:
    return answer(BroughtBackView(await undo_sweep(bench, owner, number)))
