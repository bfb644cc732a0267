"""Routes that start and end a sign-in to an MCP server, and the page to which the browser returns.

That page is not in the API description, because a person reads it and because authorization servers can add any
parameters to its address. The parameters are valid only for the current sign-in.
"""

from __future__ import annotations

from html import escape

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.docs_page import PAGE_POLICY
from app.api.http.negotiation import ReadsJson
from app.api.resources.tools.servers import ServerId
from app.domain.errors import NotFoundError
from app.runs.app_context import current
from app.runs.sign_in import sign_in_commands
from app.tools.sign_in.sign_ins import ConsentAnswer, Refusal
from app.views.tools.server import SignInView

router = APIRouter(prefix="/mcp-servers", tags=["tools"], dependencies=[ReadsJson])

STYLE = "/api/v1/docs.css"
BACK = '<a href="/settings#tools">Settings → Tools</a>'
MAX_WORDS = 300


@router.post(
    "/{server_id}/sign-in",
    summary="Sign in to an MCP server",
    description="Gets the sign-in page from the server and its authorization server (OAuth 2.1: metadata, "
    "registration, PKCE). The browser returns to Inview afterwards; `signing_in` and `health` of the server "
    "report the result. This cancels another sign-in to the same server.",
    responses=says(SignInView, "not-found", "conflict", "forbidden", description="The address to open in a browser."),
)
async def begin(ctx: Ctx, owner: Owner, server_id: ServerId, request: Request) -> Response:
    base = ctx.settings.public_url or str(request.base_url)
    begun = await sign_in_commands.begin_sign_in(ctx, owner, server_id, base)
    return answer(SignInView(begun.address.result(), begun.expires_at))


@router.delete(
    "/{server_id}/sign-in",
    summary="Sign out of an MCP server",
    description="Deletes the tokens of the sign-in, and cancels a sign-in in progress.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Inview is signed out of the server."}} | fails("not-found"),
)
async def end(ctx: Ctx, owner: Owner, server_id: ServerId) -> Response:
    await sign_in_commands.end_sign_in(ctx, owner, server_id)
    return Response(status_code=204)


async def come_back(request: Request) -> Response:
    """Return the page to which an authorization server redirects. It says whether the sign-in succeeded."""
    query = request.query_params
    try:
        name, fault = await sign_in_commands.finish_sign_in(current(), query.get("state", ""), _read(request))
    except NotFoundError:
        return _page(400, "Unknown sign-in", f"The sign-in has ended, or was not started here. Sign in again: {BACK}.")
    if fault:
        return _page(400, f"Not signed in to “{escape(name)}”", f"{escape(fault)} Try again: {BACK}.")
    return _page(200, f"Signed in to “{escape(name)}”", f"You can close this tab, or continue to {BACK}.")


def _read(request: Request) -> ConsentAnswer | Refusal:
    query = request.query_params
    match query.get("error"):
        case "access_denied":
            return Refusal("Access was denied.")
        case str(error):
            words = f"{error}: {query.get('error_description', '')}".rstrip(": ")
            return Refusal(f"The authorization server refused: {words[:MAX_WORDS]}.")
        case None if code := query.get("code"):
            return ConsentAnswer(code, query.get("state", ""), query.get("iss"))
        case None:
            return Refusal("The authorization server sent no code.")


def _page(status: int, title: str, words: str) -> Response:
    """Return an HTML page. `title` and `words` are HTML, so the caller escapes texts in them."""
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title} · Inview</title><link rel="stylesheet" href="{STYLE}"></head>'
        f"<body><main><h1>{title}</h1><p>{words}</p></main></body></html>"
    )
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(page, status, headers, "text/html")
