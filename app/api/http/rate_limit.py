"""Rate limits of `/api/` and `/v1/`: counts each request, says in headers what is left, and refuses what is too much.

Headers as the IETF's draft "RateLimit header fields for HTTP" has them. The page's socket is not counted.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.http.token_access import API, GATEWAY, USED_TOKEN, refuse
from app.domain.people.tokens import ApiToken
from app.runs.caller import caller
from app.runs.people.rate_limits import RateLimits, Standing
from app.runs.workbench import Workbench, current

HEALTH: Final = "/api/v1/health"
READY: Final = "/api/v1/ready"
PROBES: Final = frozenset({HEALTH, READY})
"""What the machine that runs Inview asks: answered to everybody, also before there is an owner."""
_SENDS: Final = re.compile(r"/api/v1/conversations/([^/]+)/(?:send|queue|compare)")
_of_process: Final[dict[str, RateLimits]] = {}


class Limited:
    """Before the application, behind the gate: the caller has a name."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request, and serve or refuse it."""
        if scope["type"] != "http" or not scope["path"].startswith((API, GATEWAY)) or scope["path"] in PROBES:
            await self._application(scope, receive, send)
            return
        standings = await _limits(current()).count(_keys_of(scope))
        if any(one.exceeded for one in standings):
            await _refuse(scope, standings)(scope, receive, send)
            return
        told = [(name.encode(), value.encode()) for name, value in _describe(standings).items()]

        async def send_told(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *told]
            await send(message)

        await self._application(scope, receive, send_told)


async def refuse_address(scope: Scope) -> Response | None:
    """Count a request without a person by its address alone; the refusal, if it is one too many."""
    standings = await _limits(current()).count({"address": address_of(scope)})
    return _refuse(scope, standings) if any(one.exceeded for one in standings) else None


def _keys_of(scope: Scope) -> dict[str, str]:
    person, token = caller(), scope.get(USED_TOKEN)
    keys = {"address": address_of(scope), "person": person}
    if isinstance(token, ApiToken):
        keys["token"] = token.id
    if scope["method"] == "POST" and (sent := _SENDS.fullmatch(scope["path"])):
        keys["sends"] = f"{person} {sent[1]}"
    return keys


def address_of(scope: Scope) -> str:
    """Where the request came from. Behind a proxy on this machine it is the last address that the proxy named."""
    address = scope["client"][0] if scope.get("client") else ""
    forwarded = Headers(scope=scope).get("x-forwarded-for", "").rpartition(",")[2].strip()
    return forwarded if forwarded and _is_local(address) else address


def _is_local(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _refuse(scope: Scope, standings: Iterable[Standing]) -> Response:
    standings = tuple(standings)
    over = next(one for one in standings if one.exceeded)
    of_what = {"sends": "sends of this conversation"}.get(over.policy, f"requests of this {over.policy}")
    said = f"More than {over.most} {of_what} in {over.window} seconds. Try again in {over.reset} seconds."
    return refuse(scope, "too-many-requests", said, {**_describe(standings), "Retry-After": str(over.reset)})


def _describe(standings: Iterable[Standing]) -> dict[str, str]:
    standings = tuple(standings)
    if not standings:
        return {}
    return {
        "RateLimit-Policy": ", ".join(f'"{one.policy}";q={one.most};w={one.window}' for one in standings),
        "RateLimit": ", ".join(f'"{one.policy}";r={one.left};t={one.reset}' for one in standings),
    }


def _limits(wb: Workbench) -> RateLimits:
    """The limits of this process, made at its first request: tests open one after the other."""
    if wb.process_id not in _of_process:
        _of_process.clear()
        _of_process[wb.process_id] = RateLimits(wb.settings.rate_limits, wb.cluster)
    return _of_process[wb.process_id]
