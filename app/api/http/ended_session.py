"""Tells an open page that its session has ended: it loads itself anew, and so leads to sign-in.

The message is one that Reflex's page understands on every page, before it has drawn anything: that it was built for
another version of the server. The page then loads itself anew. What was written is kept, as over any reload.

    end_socket(scope)                              # of an open page
    await turn_away_socket(scope, receive, send)   # of a page that connects again without a session
"""

from __future__ import annotations

import asyncio
import json
from typing import Final

from starlette.types import Message, Receive, Scope, Send

SOCKET: Final = "/_event"
LEAVE: Final = "websocket.leave"
ABORT: Final = "websocket.abort"
RELOAD: Final = f"""42{SOCKET},{json.dumps(["state_mismatch", {"backend": "", "reload_cooldown_ms": -1}])}"""
"""A Socket.IO event. With a cooldown that is always over, the page never says that it is out of date."""
_OPEN: Final = '0{"sid":"ended","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'
_CONNECTED: Final = f'40{SOCKET},{{"sid":"ended"}}'
_CLOSE: Final = {"type": "websocket.close", "code": 1008, "reason": "sign in"}
WAIT_SECONDS: Final = 5.0


def end_socket(scope: Scope) -> bool:
    """Have the page of an open socket load itself anew, and close. False: the server cannot end the connection."""
    extensions = scope.get("extensions", {})
    if LEAVE in extensions and scope["path"].startswith(SOCKET):
        extensions[LEAVE](RELOAD)
    elif ABORT in extensions:
        extensions[ABORT]()
    else:
        return False
    return True


async def turn_away_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a page that connects without a session as Socket.IO does, have it load itself anew, and close.

    A browser does not tell the page why a socket was refused: it would try again for ever.
    """
    await receive()
    offered = scope.get("subprotocols") or [None]  # a browser takes no answer without the one that it asked for
    await send({"type": "websocket.accept", "subprotocol": offered[0]})
    await send({"type": "websocket.send", "text": _OPEN})
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            asked: Message = await receive()
    except TimeoutError:
        asked = {}
    if asked.get("type") == "websocket.disconnect":
        return
    if str(asked.get("text", "")).startswith(f"40{SOCKET}"):
        await send({"type": "websocket.send", "text": _CONNECTED})
        await send({"type": "websocket.send", "text": RELOAD})
    await send(_CLOSE)
