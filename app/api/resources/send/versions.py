"""Routes for sending pairs again, for their versions, and for the stored request of a failed pair."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import IN_PLACE, WITH_BODY, answer, fails, says
from app.api.http.bodies import KeptToResend, PairToPreview, PairToResend, VersionToRestore
from app.api.http.event_stream import events_documented
from app.api.http.negotiation import EVENT_STREAM, JSON, HasBody, ReadsJson, offers
from app.api.resources.conversation.marks import PairId
from app.api.resources.send.send import answer_started, describe_planned, describe_started
from app.runs.app_context import AppContext
from app.runs.resend.in_place import ResendResult
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import ResendOptions, Seen, preview_resend, resend_pair, restore_version
from app.store.conversation.pairs import load_pair
from app.store.conversation.versions import load_versions
from app.store.run.snapshots import load_snapshot
from app.views.conversation.marks import describe_changes
from app.views.conversation.version import ResentView, SnapshotView, VersionsView, describe_version
from app.views.encode import raw_json
from app.views.request.preview import HeaderView, PreviewView

router = APIRouter(prefix="/pairs", tags=["versions"])


@router.post(
    "/{pair_id}/resend",
    summary="Edit and resend a pair, or answer it again",
    description="The pair keeps its place and its marks; its previous content stays as a version. The pairs in view "
    "above it are sent with it. Responds like `send`.",
    dependencies=[HasBody],
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(ResentView, status=202, description="Started. `Location` is the address of its events.")
    | fails(*IN_PLACE, "over-budget", "selection-changed"),
)
async def resend(
    ctx: Ctx,
    owner: Owner,
    pair_id: PairId,
    body: PairToResend,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    resend = ResendOptions(
        body.options(), await body.send_parameters(), body.later, body.choice(), body.seen(), body.selection
    )
    resent = await resend_pair(ctx, owner, pair_id, resend, text=body.text)
    return _answer_resent(ctx, owner, resent, media_type)


@router.post(
    "/{pair_id}/preview",
    summary="Preview the exact request of a resend",
    description="Like the preview of a conversation, with the pairs above this one. Calls and stores nothing.",
    dependencies=[ReadsJson, HasBody],
    responses=says(PreviewView, *WITH_BODY, "not-found", "conflict", "provider-refused"),
)
async def preview(ctx: Ctx, owner: Owner, pair_id: PairId, body: PairToPreview) -> Response:
    resend = ResendOptions(body.options(), await body.send_parameters(), over_budget=body.choice())
    planned = await preview_resend(ctx, owner, pair_id, resend, text=body.text)
    return answer(await describe_planned(ctx, owner, planned))


@router.get(
    "/{pair_id}/versions",
    summary="List the versions of a pair",
    dependencies=[ReadsJson],
    responses=says(VersionsView, "not-found", description="Ordered from the oldest to the newest."),
)
async def list_them(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    async with ctx.store.read() as session:
        pair = await load_pair(session, owner, pair_id)
        found = await load_versions(session, owner, pair)
    return answer(VersionsView(tuple(map(describe_version, found))))


@router.post(
    "/{pair_id}/restore",
    summary="Switch a pair to another version",
    dependencies=[ReadsJson, HasBody],
    responses=says(
        VersionsView,
        *WITH_BODY,
        "not-found",
        "send-locked",
        "pair-changed",
        description="The updated versions.",
    ),
)
async def restore(ctx: Ctx, owner: Owner, pair_id: PairId, body: VersionToRestore) -> Response:
    await restore_version(ctx, owner, pair_id, body.version, Seen(body.standing))
    return await list_them(ctx, owner, pair_id)


@router.get(
    "/{pair_id}/snapshot",
    summary="Read the stored request of a failed pair",
    description="`body` has the exact bytes that were sent. For a pair that succeeded, the bytes are not stored: "
    "`GET /calls/{call_id}` has the content of its calls.",
    dependencies=[ReadsJson],
    responses=says(SnapshotView, "not-found"),
)
async def snapshot(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    async with ctx.store.read() as session:
        kept = await load_snapshot(session, owner, pair_id)
    return answer(
        SnapshotView(
            pair_id=kept.pair_id,
            run_id=kept.run_id,
            model=kept.model,
            url=kept.url,
            headers=tuple(HeaderView(name, value) for name, value in kept.headers),
            body=raw_json(kept.body),
            content_hash=kept.content_hash,
            created_at=kept.created_at,
        )
    )


@router.post(
    "/{pair_id}/snapshot/resend",
    summary="Send the stored request of a failed pair again",
    description="Sends exactly the same bytes, whatever is in view now. If they exceed the budget of the send, nothing "
    "is sent unless `over_budget` is `force`. Responds like `resend`.",
    dependencies=[HasBody],
    response_class=Response,
    responses=events_documented("The run's log, from its beginning.")
    | says(ResentView, status=202, description="Started. `Location` is the address of its events.")
    | fails(*IN_PLACE, "over-budget"),
)
async def resend_kept(
    ctx: Ctx,
    owner: Owner,
    pair_id: PairId,
    body: KeptToResend,
    media_type: Annotated[str, Depends(offers(EVENT_STREAM, JSON))],
) -> Response:
    resend = ResendOptions(later=body.choice_for_later(), over_budget=body.choice(), seen=body.seen())
    resent = await resend_as_it_was(ctx, owner, pair_id, resend)
    return _answer_resent(ctx, owner, resent, media_type)


def _answer_resent(ctx: AppContext, owner: str, resent: ResendResult, media_type: str) -> Response:
    started = describe_started(resent.started)
    view = ResentView(
        run_id=started.run_id,
        pair_id=started.pair_id,
        content_hash=started.content_hash,
        events=started.events,
        conversation_id=resent.conversation_id,
        undo=describe_changes(resent.undo),
    )
    return answer_started(ctx, owner, resent.started, media_type, view)
