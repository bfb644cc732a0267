"""Signing in to an MCP server, and signing out.

    sign_in = await begin_sign_in(ctx, LOCAL_OWNER, server_id, "http://127.0.0.1:8520")
    sign_in.address.result()                            # the address that the person opens in a browser
    name, failed = await finish_sign_in(ctx, state, answer)     # called by /api/v1/mcp-servers/oauth/callback

The access tokens of a sign-in are never shown. They are stored encrypted, with the key that is in the key file.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib import import_module
from typing import Final

from app.domain.errors import ConflictError, NotFoundError
from app.domain.tools.tool_servers import OverHttp
from app.runs.app_context import AppContext
from app.runs.runtime.shielded import shielded
from app.runs.tools.server_commands import have_server, require_allowed, secrets_of, session_of
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.mcp.server_log import OWN_LEVEL, ServerLog
from app.tools.sign_in.sign_ins import ConsentAnswer, Refusal, SignIn, SignInFailedError
from app.tools.sign_in.stored_grants import may_sign_in

CALLBACK: Final = "/api/v1/mcp-servers/oauth/callback"
ASK_SECONDS: Final = 30.0
"""Maximum seconds until a server and its authorization server return the address of the sign-in page."""


async def begin_sign_in(ctx: AppContext, owner: str, server_id: str, base_url: str) -> SignIn:
    """Start a sign-in at an MCP server. Return the sign-in as soon as its `address`, which the person opens, is known.

    A sign-in at this server that is in progress is cancelled. `base_url` is the address of Inview in the browser of the
    person who signs in.

    Raises:
        NotFoundError: this owner has no such server.
        ForbiddenError: this owner may not use the server's address.
        ConflictError: the server cannot use a sign-in, or returned no address to sign in at.
    """
    async with ctx.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    name = stored.server.name
    if not isinstance(stored.server.way, OverHttp):
        raise ConflictError(f'"{name}" is a program on this machine, so it has no sign-in.')
    if not may_sign_in(stored.server):
        raise ConflictError(f'"{name}" has an Authorization header. Remove the header first, then sign in.')
    require_allowed(ctx, owner, stored.server.way)

    async def work(sign_in: SignIn) -> str:
        try:
            return await _sign_in(ctx, stored, sign_in)
        finally:
            ctx.event_bus.publish_servers(owner)  # subscribers run only after this task has ended

    sign_in = await ctx.toolbox.sign_ins.begin(server_id, callback_of(base_url), work)
    ctx.event_bus.publish_servers(owner)
    if await sign_in.until_address(ASK_SECONDS):
        return sign_in
    if ctx.toolbox.sign_ins.under_way.get(server_id) is sign_in:
        await ctx.toolbox.sign_ins.cancel(server_id)
        raise SignInFailedError(f'"{name}" gave no sign-in address within {ASK_SECONDS:g} seconds. Try again.')
    raise SignInFailedError(f'The sign-in to "{name}" failed. {await sign_in.outcome()}')


async def finish_sign_in(ctx: AppContext, state: str, answer: ConsentAnswer | Refusal) -> tuple[str, str]:
    """Continue the sign-in with this `state` and the answer from the browser, and wait until the sign-in is over.

    `state` is the secret text that Inview gave the authorization server at the start of the sign-in.

    Return the server's name, and the reason if the sign-in failed, else "".

    Raises:
        NotFoundError: no sign-in with this `state` is in progress.
    """
    sign_in = ctx.toolbox.sign_ins.take(state)
    if sign_in is None:
        raise NotFoundError("sign-in", "")
    async with ctx.store.read() as session:
        every = await mcp_servers.load_every_server(session)
    name = next((one.server.name for one in every if one.server.id == sign_in.server_id), "")
    if not sign_in.answered.done():
        sign_in.answered.set_result(answer)
    return name, await sign_in.outcome()


@shielded
async def end_sign_in(ctx: AppContext, owner: str, server_id: str) -> None:
    """Sign out: cancel a sign-in that is in progress, delete the stored access tokens, and connect again without them.

    Without stored access tokens, only the sign-in is cancelled.

    Raises:
        NotFoundError: this owner has no such server.
    """
    async with ctx.store.read() as session:
        before = await mcp_servers.load_server(session, owner, server_id)
    await ctx.toolbox.sign_ins.cancel(server_id)
    if before.sealed_tokens is None:
        return
    await ctx.toolbox.drop(owner, server_id)  # first, because a live connection could store renewed tokens
    async with ctx.store.write() as session:
        await mcp_servers.save_tokens(session, server_id, None)
        stored = await mcp_servers.load_server(session, owner, server_id)
    await have_server(ctx, stored)


def callback_of(base_url: str) -> str:
    """Return the address to which the authorization server sends the browser back."""
    return f"{base_url.rstrip('/')}{CALLBACK}"


async def _sign_in(ctx: AppContext, stored: StoredServer, sign_in: SignIn) -> str:
    """Sign in; return the reason if it failed, else ""."""
    server = stored.server
    secrets = secrets_of(ctx, stored)
    running = session_of(ctx, stored.owner, server.id)
    log = running.log if running is not None else ServerLog(secrets.values())
    log.write(OWN_LEVEL, "Signing in …")
    try:
        person = await asyncio.to_thread(import_module, "app.tools.sign_in.oauth_flow")
        text: str = await person.sign_in(server, secrets, sign_in, log)
    except SignInFailedError as error:
        words = str(error).rstrip(".")
    else:
        await _keep(ctx, replace(stored, sealed_tokens=ctx.catalogue.seal.close(text)))
        return ""
    if running is not None:
        running.note(f"The sign-in failed. {words}")
    return f"{words}."


@shielded
async def _keep(ctx: AppContext, signed_in: StoredServer) -> None:
    """Store the access tokens and connect with them, unless the server was deleted or changed meanwhile."""
    async with ctx.store.write() as session:
        stored = await mcp_servers.load_server(session, signed_in.owner, signed_in.server.id)
        if stored.server.way != signed_in.server.way:
            return
        await mcp_servers.save_tokens(session, stored.server.id, signed_in.sealed_tokens)
    await have_server(ctx, replace(stored, sealed_tokens=signed_in.sealed_tokens))
