"""The stored rows of a pair over HTTP, not decoded: for rows that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import JSON, offers
from app.api.resources.conversation.marks import PairId
from app.store.conversation.raw import load_raw_pair

router = APIRouter(tags=["pairs"], dependencies=[Depends(offers(JSON))])


@dataclass(frozen=True, slots=True)
class RawPairView:
    """The rows of a pair by table, each by column, as they are stored. Bytes are an object with `base64`."""

    tables: dict[str, list[dict[str, Any]]]


@router.get(
    "/pairs/{pair_id}/raw",
    summary="The stored rows of a pair as they are",
    description="Whether they can be read or not, as a file: for a pair with `damage`. Deleted pairs too.",
    responses=says(RawPairView, "not-found"),
)
async def read(bench: Bench, owner: Owner, pair_id: PairId) -> Response:
    async with bench.store.read() as session:
        raw = await load_raw_pair(session, owner, pair_id)
    name = f"pair-{raw['pair'][0]['id']}.json"
    return answer(RawPairView(raw), headers={"Content-Disposition": f'attachment; filename="{name}"'})
