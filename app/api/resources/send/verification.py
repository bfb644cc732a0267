"""Routes of earlier requests: the request of a run, and a check of its hash."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.api.resources.send.runs import RunId
from app.domain.errors import NotFoundError
from app.runs.resend.verification import Verified, verify_run
from app.views.request.verification import SentRequestView, VerificationView, describe_sent_request

router = APIRouter(prefix="/runs", tags=["runs"], dependencies=[ReadsJson])


@router.get(
    "/{run_id}/verify",
    summary="Verify the hash of a run's request",
    description="Computes the hash again from the stored pairs that were sent, the draft, the parameters and the "
    "system prompt. If the hash differs, `reasons` says what has changed since, and `recorded` whether the record of "
    "the call has the hash. For a failed request, the bytes are compared as well.",
    responses=says(VerificationView, "not-found"),
)
async def verify(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    return answer(_describe(await verify_run(ctx, owner, run_id)))


@router.get(
    "/{run_id}/request",
    summary="Read the request of a run",
    description=(
        "Builds the request again from the stored data. `matches` says whether it equals the request that was "
        "sent. 404: it cannot be built."
    ),
    responses=says(SentRequestView, "not-found"),
)
async def read_request(ctx: Ctx, owner: Owner, run_id: RunId) -> Response:
    verified = await verify_run(ctx, owner, run_id)
    if verified.request is None:
        raise NotFoundError("request of run", run_id)
    positions = {pair.id: pair.position for pair in verified.pairs}
    return answer(describe_sent_request(_describe(verified), verified.request, verified.hashes, positions))


def _describe(verified: Verified) -> VerificationView:
    return VerificationView(
        run_id=verified.run_id,
        pair_id=verified.pair_id,
        matches=verified.matches,
        stored_hash=verified.stored_hash,
        content_hash=verified.hashes[-1] if verified.hashes else None,
        bytes_match=verified.bytes_match,
        recorded=verified.recorded is not None,
        reasons=verified.reasons,
    )
