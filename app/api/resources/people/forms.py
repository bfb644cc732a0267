"""What the sign-in pages share: reading a form, naming the browser, answering with a page and cookies.

The cookies set here are HttpOnly, so no script reads them; SameSite=Lax; Secure behind https.
"""

from __future__ import annotations

import asyncio
import ipaddress
from datetime import timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.api.http.sign_in_gate import COOKIE, DEVICE_COOKIE, SIGN_IN, STEP_COOKIE, is_secure
from app.domain.people.passkeys import RelyingParty, find_relying_party
from app.domain.people.people import SESSION_LIFE, Device
from app.runs.people.steps import STEP_LIFE
from app.runs.workbench import current
from app.views.sign_in_pages import policy_of, sign_in_page

MAX_FIELDS: Final = 10
DEVICE_LIFE: Final = timedelta(days=180)
HOLD_SECONDS: Final = 1.0
MAX_HELD: Final = 1_000
_held: Final = asyncio.Semaphore(MAX_HELD)
NOT_STORED: Final = {"Cache-Control": "no-store"}


async def hold() -> None:
    """Wait before an attempt is refused that is one too many.

    Each of a flood would otherwise be followed at once by the next, and refusing them would take the processor from
    everybody else. Waiting takes nothing; beyond `MAX_HELD` at once there is none.
    """
    if not _held.locked():
        async with _held:
            await asyncio.sleep(HOLD_SECONDS)


def show(text: str, status: int = 200, script: str = "") -> Response:
    """A page. `script` is the address of the one script that runs on it; "": none does."""
    headers = {**NOT_STORED, "Content-Security-Policy": policy_of(script), "Vary": "Accept-Language"}
    return Response(text, status, headers, "text/html")


def lead(path: str) -> Response:
    """Send the browser to a path of ours; it asks for it with GET."""
    return RedirectResponse(path, 303, NOT_STORED)


def let_in(token: str) -> Response:
    """Give the browser the cookie of its session and lead it to the page."""
    answer = lead("/")
    _set(answer, COOKIE, token, int(SESSION_LIFE.total_seconds()))
    answer.delete_cookie(STEP_COOKIE, httponly=True, samesite="lax", secure=_is_secure())
    return answer


def forget(answer: Response) -> Response:
    """Take the cookie of the session away."""
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=_is_secure())
    return answer


def remember(answer: Response, step: str) -> Response:
    """Give the browser the token of a step that is under way."""
    _set(answer, STEP_COOKIE, step, int(STEP_LIFE.total_seconds()))
    return answer


def mark_in(request: Request) -> str:
    """The mark of this browser; "" if nobody signed in here before."""
    return request.cookies.get(DEVICE_COOKIE, "")


def know_again(answer: Response, mark: str) -> Response:
    """Give the browser the mark by which it is known when somebody signs in there again."""
    seconds = int(DEVICE_LIFE.total_seconds())
    answer.set_cookie(
        DEVICE_COOKIE, mark, max_age=seconds, path=SIGN_IN, httponly=True, samesite="lax", secure=_is_secure()
    )
    return answer


def step_in(request: Request) -> str:
    """The token of the step that is under way in this browser; "" if there is none."""
    return request.cookies.get(STEP_COOKIE, "")


def provider_name() -> str:
    """What people call the sign-in provider; "" if none is set up."""
    oidc = current().settings.oidc
    return "" if oidc is None else oidc.name


def passkey_place() -> RelyingParty | None:
    """Where passkeys can be used; None: nowhere."""
    settings = current().settings
    return find_relying_party(settings.public_url, settings.host, settings.port)


def sign_in_form(email: str = "", fault: str = "", *, ended: bool = False) -> str:
    """The page `/sign-in` with the ways that this installation has."""
    return sign_in_page(email, fault, provider_name(), passkeys=passkey_place() is not None, ended=ended)


def device_of(request: Request) -> Device:
    """The browser. Behind a proxy on this machine its address is the last that the proxy was told."""
    address = "" if request.client is None else request.client.host
    forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return Device(request.headers.get("user-agent", ""), forwarded if forwarded and _is_local(address) else address)


async def texts(request: Request, *names: str) -> tuple[str, ...]:
    """The fields of a posted form, "" for one that is missing."""
    async with request.form(max_files=0, max_fields=MAX_FIELDS) as form:
        values = {name: value for name, value in form.items() if isinstance(value, str)}
    return tuple(values.get(name, "") for name in names)


def _set(answer: Response, name: str, value: str, seconds: int) -> None:
    answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=_is_secure())


def _is_secure() -> bool:
    return is_secure(current().settings.public_url)


def _is_local(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
