"""The current sign-ins to MCP servers, and their results. `stored_auth.py` has the requests to servers.

    sign_in = await sign_ins.begin(server_id, redirect_uri, work)
    address = await sign_in.address                     # the user opens it
    sign_ins.take(state).answered.set_result(answer)    # the browser returns

There is at most one sign-in per server. `take` returns a sign-in once, by its `state`: a text that only the
authorization server and the browser have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from secrets import compare_digest
from typing import Final

from app.domain.errors import ConflictError

SIGN_IN_SECONDS: Final = 300.0
"""Maximum seconds from the start of a sign-in until the browser returns."""
TOKEN_SECONDS: Final = 60.0
"""Maximum seconds from the return of the browser until the access tokens and the server's lists arrived."""


class SignInFailedError(ConflictError):
    """Error: a sign-in failed. The message is the reason, as a sentence."""


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """The authorization server's answer after the user consented. `issuer` is the server that the answer names."""

    code: str = field(repr=False)
    state: str = field(repr=False)
    issuer: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The authorization server's answer if the user did not consent. `words` is a sentence with the reason."""

    words: str


@dataclass(eq=False)
class StoredGrant:
    """The result of a sign-in, as JSON that only `stored_auth.py` reads, and the function that stores a newer one."""

    text: str | None
    store: Callable[[str], Awaitable[None]]

    async def keep(self, text: str) -> None:
        self.text = text
        await self.store(text)


@dataclass(eq=False)
class SignIn:
    """A sign-in that is in progress.

    - `address`: receives the address that the user opens.
    - `answered`: receives the answer with which the browser returns.
    - `state`: the text by which `SignIns.take` finds the sign-in.
    - `task`: does the work, and returns the reason of a failure, or an empty text.
    """

    server_id: str
    redirect_uri: str
    expires_at: datetime
    address: asyncio.Future[str]
    answered: asyncio.Future[ConsentAnswer | Refusal]
    state: str = field(default="", repr=False)
    task: asyncio.Task[str] | None = None

    async def until_address(self, seconds: float) -> bool:
        """Wait at most this many seconds for `address`.

        Return False if it is not known yet, or if the sign-in ended without it.
        """
        if self.task is None:
            raise RuntimeError("The sign-in has not begun.")
        await asyncio.wait({self.address, self.task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return self.address.done()

    async def outcome(self) -> str:
        """Wait until the sign-in has ended. Return the reason of a failure, or an empty text."""
        if self.task is None:
            raise RuntimeError("The sign-in has not begun.")
        await asyncio.wait({self.task})
        return "The sign-in was cancelled." if self.task.cancelled() else self.task.result()


@dataclass(eq=False)
class SignIns:
    """The current sign-ins of this process, by server."""

    under_way: dict[str, SignIn] = field(default_factory=dict[str, SignIn])

    async def begin(self, server_id: str, redirect_uri: str, work: Callable[[SignIn], Awaitable[str]]) -> SignIn:
        """Cancel the current sign-in to this server, if any, and start a new one that runs `work`.

        `SignIn.outcome` returns the result of `work`.
        """
        await self.cancel(server_id)
        loop = asyncio.get_running_loop()
        until = datetime.now(UTC) + timedelta(seconds=SIGN_IN_SECONDS)
        sign_in = SignIn(server_id, redirect_uri, until, loop.create_future(), loop.create_future())

        async def run() -> str:
            try:
                return await work(sign_in)
            finally:
                self._forget(sign_in)

        self.under_way[server_id] = sign_in
        sign_in.task = asyncio.create_task(run(), name=f"sign-in to {server_id}")
        return sign_in

    def take(self, state: str) -> SignIn | None:
        """Return the sign-in with this state, or None if there is none. A sign-in is found only once."""
        for sign_in in self.under_way.values():
            if sign_in.state and compare_digest(sign_in.state.encode(), state.encode()):
                sign_in.state = ""
                return sign_in
        return None

    def _forget(self, sign_in: SignIn) -> None:
        """Remove a sign-in that has ended."""
        if self.under_way.get(sign_in.server_id) is sign_in:
            del self.under_way[sign_in.server_id]

    async def cancel(self, server_id: str) -> None:
        """Cancel the sign-in to this server, if there is one, and wait until it has ended."""
        sign_in = self.under_way.pop(server_id, None)
        if sign_in is not None and sign_in.task is not None:
            sign_in.task.cancel()
            await asyncio.wait({sign_in.task})

    async def close(self) -> None:
        """Cancel all sign-ins."""
        for server_id in tuple(self.under_way):
            await self.cancel(server_id)
