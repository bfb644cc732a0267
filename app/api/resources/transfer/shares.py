"""Shares over HTTP: preview, make, list and revoke them; and the page that a link opens.

That page stands beside the described routes: whoever has the link may open it, and reads it in a browser.
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import Body, Instant, ModelName
from app.api.http.negotiation import JSON, offers, require_json_body
from app.api.resources.conversation.conversations import ConversationId
from app.domain.filters.parser.lexer import MAX_LENGTH
from app.domain.sharing.shares import DEFAULT_HOURS, MAX_AUTHOR, MAX_HOURS, ShareChoice
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.transfer.exports.sharing import (
    create_share,
    list_shares,
    open_share,
    prepare_share,
    revoke_share,
)
from app.runs.workbench import current
from app.views.share import (
    MadeShareView,
    SharePreviewView,
    SharesView,
    describe_share,
)
from app.views.shared_page import SHARE_POLICY, missing_page

router = APIRouter(tags=["shares"], dependencies=[Depends(offers(JSON))])
HasBody = Depends(require_json_body)

ShareId = Annotated[str, Path(max_length=64, description="A share.")]

HEADERS: Final = {
    "Content-Security-Policy": SHARE_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "private, no-store",
}
"""Of every answer below `/s/`, whether the link opens something or not."""


class ShareToBe(Body):
    """What is to be shared: the pairs that this filter shows, and what of them."""

    filter: str = Field("", max_length=MAX_LENGTH, description="Which pairs. Empty: all.")
    model: ModelName | None = Field(None, description="The model chosen in the composer.")
    topic: str | None = Field(None, max_length=64, description="The topic chosen in the composer.")
    zone: str = Field(UTC_ZONE, max_length=64, description="The reader's time zone.")
    as_of: Instant | None = Field(None, description="When ages are read. Without it, now.")
    system_prompt: bool = Field(default=False, description="Show the conversation's system prompt.")
    thinking: bool = Field(default=False, description="Show what models thought.")
    tools: bool = Field(default=False, description="Show calls of tools with their arguments and results.")
    cost: bool = Field(default=False, description="Show tokens and cost of each reply, and their sum.")
    author: str = Field("", max_length=MAX_AUTHOR, description="A name that stands on the page; empty: none.")

    @property
    def view_options(self) -> ViewOptions:
        """What is in view."""
        return ViewOptions(self.filter, self.model, self.topic, self.zone, self.as_of)

    @property
    def choice(self) -> ShareChoice:
        """What of it is shown."""
        return ShareChoice(self.system_prompt, self.thinking, self.tools, self.author.strip(), self.cost)


class NewShare(ShareToBe):
    """A share to make."""

    hours: int = Field(DEFAULT_HOURS, ge=1, le=MAX_HOURS, description="How long its link is good.")


@router.post(
    "/conversations/{conversation_id}/shares/preview",
    summary="See what a share would show",
    description="The page as HTML. Nothing is stored.",
    dependencies=[HasBody],
    responses=says(SharePreviewView, *WITH_BODY, "not-found", "conflict"),
)
async def preview(bench: Bench, owner: Owner, conversation_id: ConversationId, body: ShareToBe) -> Response:
    found = await prepare_share(bench, owner, conversation_id, body.view_options, body.choice)
    return answer(SharePreviewView(found.page, found.pairs, found.secrets, found.running))


@router.post(
    "/conversations/{conversation_id}/shares",
    summary="Share what is in view by a link",
    description="A copy of what the filter shows at this moment, read-only, without scripts, secrets of known forms "
    "redacted. `path` of the answer, behind the address of this Inview, opens it; only a hash of it is stored.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(MadeShareView, *WITH_BODY, "not-found", "conflict", status=201, description="The share."),
)
async def create(bench: Bench, owner: Owner, conversation_id: ConversationId, body: NewShare) -> Response:
    prepared = await prepare_share(bench, owner, conversation_id, body.view_options, body.choice)
    made = await create_share(bench, owner, prepared, body.hours)
    return answer(MadeShareView(describe_share(made.share), made.path), 201)


@router.get(
    "/shares",
    summary="List the shares",
    responses=says(SharesView, description="Those whose links open something, the newest first."),
)
async def list_them(
    bench: Bench,
    owner: Owner,
    *,
    conversation: Annotated[str | None, Query(max_length=64, description="Only those of this conversation.")] = None,
) -> Response:
    return answer(SharesView(tuple(map(describe_share, await list_shares(bench, owner, conversation)))))


@router.delete(
    "/shares/{share_id}",
    summary="Revoke a share",
    description="Its link opens nothing from now on, and its page is deleted.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Revoked."}} | fails("not-found"),
)
async def revoke(bench: Bench, owner: Owner, share_id: ShareId) -> Response:
    await revoke_share(bench, owner, share_id)
    return Response(status_code=204)


async def show(request: Request) -> Response:
    """The page of a link. Whatever is wrong with it, the answer is the same."""
    page = await open_share(current(), request.path_params["token"], counted=request.method == "GET")
    if page is None:
        return Response(missing_page(), 404, HEADERS, "text/html")
    return Response(page, 200, HEADERS, "text/html")
