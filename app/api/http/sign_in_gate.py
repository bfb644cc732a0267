"""The sign-in gate: names the person before anything of the application runs, or refuses. Plain ASGI.

Denies by default. Without a valid session or API token only the pages for signing in, shares and the health check
answer; before the owner's account exists, only the welcome page and the health check.
Where accounts are off, all are the local owner.

    SignInGate(application)

What stands behind it finds the person with `runs.caller.caller()`. The cookies go no further: the gate takes them
off the request and names the session's id instead, which opens nothing. The pages for signing in get the cookie of a
sign-in that is under way.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.ended_session import SOCKET, end_socket, turn_away_socket
from app.api.http.rate_limit import HEALTH, READY, Limited, address_of, refuse_address
from app.api.http.token_access import find_token, refuse_without_credentials, without_token
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import SESSION_LIFE, SignedIn
from app.domain.people.tokens import METRICS
from app.runs.caller import LOCAL, act_as, begin_request, come_from
from app.runs.people.audit import note
from app.runs.people.open_connections import connected
from app.runs.people.sessions import ADDRESS_HEADER, SESSION_HEADER, find_session
from app.runs.people.welcome import WELCOME, first_link, has_owner
from app.runs.send.commands import LOCAL_OWNER
from app.runs.status import count_runs
from app.runs.workbench import Workbench, current
from app.views.passkey_pages import SCRIPT
from app.views.sign_in_pages import PASSKEY

COOKIE: Final = "inview_session"
STEP_COOKIE: Final = "inview_step"
"""Holds the token of a sign-in that is under way (`runs/people/steps.py`)."""
DEVICE_COOKIE: Final = "inview_device"
"""Holds the mark of a browser in which somebody signed in before (`runs/people/known_devices.py`)."""
PERSON_COOKIE: Final = "inview_person"
"""Tells the page's scripts whose drafts to show. It opens nothing, and is the one cookie that scripts read."""
SIGN_IN: Final = "/sign-in"
ENDED: Final = "ended"
"""The query of the sign-in page for a browser whose session has ended."""
SIGN_IN_CODE: Final = "/sign-in/code"
PROVIDER: Final = "/sign-in/provider"
PROVIDER_BACK: Final = "/sign-in/provider/back"
SECURITY: Final = "/security"
SIGN_OUT: Final = "/sign-out"
SIGNING_IN: Final = frozenset({SIGN_IN, SIGN_IN_CODE, PROVIDER, PROVIDER_BACK, PASSKEY, SCRIPT})
"""Answered without a session."""
PAGES: Final = frozenset({*SIGNING_IN, SECURITY, SIGN_OUT, WELCOME})
"""Plain pages with forms. Setting an HttpOnly cookie takes an answer over HTTP, which no event of the page is."""
SHARED: Final = "/s/"
NO_OWNER: Final = "This Inview has no owner yet. Open the link that its start printed.\n"

_HEADER: Final = SESSION_HEADER.encode()
_TOKEN: Final = re.compile("[A-Za-z0-9_-]{1,100}")
_ADDRESS: Final = ADDRESS_HEADER.encode()


class SignInGate:
    """Before API, socket and page."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = Limited(application)
        self._owned: Workbench | None = None

    async def first_link(self) -> str | None:
        """The path that makes the owner's account; None where accounts are off or there is an owner."""
        wb = current()
        return await first_link(wb) if wb.settings.accounts else None

    def start_draining(self) -> None:
        """Tell who asks from now on that this process is not ready, as it is to end."""
        current().draining.set()

    def is_idle(self) -> bool:
        """Whether no reply is received here, and nothing is left to do after one."""
        wb = current()
        return not (count_runs(wb) or wb.background)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or socket."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        begin_request()
        wb, path, address = current(), scope["path"], address_of(scope)
        come_from(address)
        cookies = _cookies_in(scope["headers"])
        token, behind = cookies.get(COOKIE), _without_session(scope, cookies, address)
        if wb.settings.accounts:
            if path in {HEALTH, READY, WELCOME}:
                refusal = await refuse_address(scope) if path == READY else None
                await (refusal or self._application)(behind, receive, send)
                return
            if not await self._is_owned(wb):
                await _refuse(scope, receive, send, PlainTextResponse(NO_OWNER, 403))
                return
        used = await find_token(scope)
        if isinstance(used, Response):
            note(AuditAction.TOKEN_REFUSED, ObjectKind.TOKEN, "")
            await (await refuse_address(scope) or used)(scope, receive, send)
            return
        if used is not None:
            act_as(used.owner, f"token {used.id}", address)
            note(AuditAction.TOKEN_USED, ObjectKind.TOKEN, used.id)
            await _serve_until_revoked(self._application, used.id, without_token(behind, used), receive, send)
            return
        if not wb.settings.accounts:
            act_as(LOCAL_OWNER, LOCAL, address)
            await self._application(behind, receive, send)
            return
        signed_in = None if token is None else await find_session(wb, token)
        if signed_in is not None:
            act_as(signed_in.person.id, f"session {signed_in.session_id}", address)
            named = _named(behind, signed_in)
            marked = _marked(send, signed_in, cookies.get(PERSON_COOKIE, ""), secure=is_secure(wb.settings.public_url))
            await _serve_until_revoked(self._application, signed_in.session_id, named, receive, marked)
        elif path in SIGNING_IN or path.startswith(SHARED):
            await self._application(behind, receive, send)
        elif scope["type"] == "websocket" and path.startswith(SOCKET):
            await turn_away_socket(scope, receive, send)
        elif path.startswith(("/api/", "/v1/")) or path == METRICS:
            refusal = await refuse_address(scope) or refuse_without_credentials(scope)
            await _refuse(scope, receive, send, refusal)
        else:
            where = SIGN_IN if token is None else f"{SIGN_IN}?{ENDED}"
            await _refuse(scope, receive, send, RedirectResponse(where, 303, {"Cache-Control": "no-store"}))

    async def _is_owned(self, wb: Workbench) -> bool:
        """Whether there is an owner. Once there is one, there always is."""
        if self._owned is not wb and await has_owner(wb):
            self._owned = wb
        return self._owned is wb


async def _serve_until_revoked(
    application: ASGIApp, credential_id: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Serve for as long as the session or token is valid."""
    serving = asyncio.ensure_future(application(scope, receive, send))
    revoked = False

    def end() -> None:
        nonlocal revoked
        revoked = True
        if not end_socket(scope):
            serving.cancel()

    with connected(credential_id, end):
        try:
            await serving
        except asyncio.CancelledError:
            if not revoked:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving
                raise


def _named(scope: Scope, signed_in: SignedIn) -> Scope:
    """The request as what stands behind gets it: with the session's id, and a socket with a token of this person.

    Reflex keeps the state of a tab under a token that the tab chooses. Under the person's own, another person who signs
    in at the same tab starts with a new state.
    """
    named: Scope = {**scope, "headers": [*scope["headers"], (_HEADER, signed_in.session_id.encode())]}
    if scope["path"].startswith(SOCKET):
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        own = [(name, _token_of(signed_in, value) if name == "token" else value) for name, value in asked]
        named["query_string"] = urlencode(own).encode("latin-1")
    return named


def is_secure(public_url: str | None) -> bool:
    """Whether cookies are for https alone."""
    return urlsplit(public_url or "").scheme == "https"


def _marked(send: Send, signed_in: SignedIn, held: str, *, secure: bool) -> Send:
    """Give the browser the mark of this person with the next page, if it holds another."""
    mark = uuid.uuid5(uuid.NAMESPACE_OID, f"drafts of {signed_in.person.id}").hex
    if held == mark:
        return send
    kept = f"Max-Age={int(SESSION_LIFE.total_seconds())}; Path=/; SameSite=lax{'; Secure' if secure else ''}"
    cookie = f"{PERSON_COOKIE}={mark}; {kept}".encode()

    async def send_marked(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message["headers"]):
            message = {**message, "headers": [*message["headers"], (b"set-cookie", cookie)]}
        await send(message)

    return send_marked


def _is_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)


def _token_of(signed_in: SignedIn, token: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{signed_in.person.id} {token}"))


def _cookies_in(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Our cookies by name; of one that is there twice the first counts."""
    cookies: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            with suppress(CookieError):
                for ours, morsel in SimpleCookie(value.decode("latin-1")).items():
                    cookies.setdefault(ours, morsel.value)
    return cookies


def _without_session(scope: Scope, cookies: Mapping[str, str], address: str) -> Scope:
    """The request without cookies; a page for signing in keeps that of a sign-in under way and that of the device."""
    headers = [(name, value) for name, value in scope["headers"] if name not in {b"cookie", _HEADER, _ADDRESS}]
    headers.append((_ADDRESS, address.encode("latin-1", "replace")))
    if scope["path"] in PAGES:
        kept = [(name, cookies.get(name, "")) for name in (STEP_COOKIE, DEVICE_COOKIE)]
        headers += [(b"cookie", f"{name}={value}".encode()) for name, value in kept if _TOKEN.fullmatch(value)]
    return {**scope, "headers": headers}


async def _refuse(scope: Scope, receive: Receive, send: Send, answer: Response) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "sign in"})
    else:
        await answer(scope, receive, send)
