"""The session of one MCP server: a task that owns the connection, and connects again after the connection was lost.

    session = ServerSession(server, secrets, remember)
    session.start()
    outcome = await session.call(tool, {"message": "hi"}, progress, timeout=60)
    await session.stop()

Other tasks make calls through the connection. A started call is never repeated, because a server that died during the
call may have completed it. The task waits longer after each failed try; a call or a test ends this wait.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from app.domain.tools.permissions import fingerprint
from app.domain.tools.tool_servers import Listing, OverHttp, ToolServer, Way, list_server_tools
from app.domain.tools.tools import Tool, ToolFailedError, ToolFault, ToolOutcome, changed_tool
from app.tools.mcp.connection_terms import ConnectionTerms, Progress
from app.tools.mcp.server_log import OWN_LEVEL, ServerLog

if TYPE_CHECKING:
    import httpx2

    from app.tools.mcp.link import Link

START_SECONDS: Final = 60.0
"""Maximum seconds for connecting. A program that is downloaded at its first start (npx, uvx) needs time."""
LIST_SECONDS: Final = 60.0
"""Maximum seconds for the lists of tools, resources and prompts."""
CHECK_SECONDS: Final = 60.0
"""Seconds after which the lists of an inactive server are requested again, to notice its end or changes."""
CHANGE_SECONDS: Final = 2.0
"""Minimum seconds between two requests for lists, if a server reports again and again that its lists have changed."""
STEADY_SECONDS: Final = 30.0
"""Seconds after which a connection counts as stable. Its failure counts as the first one, so the next wait is short."""
BACKOFF: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)

REFUSED: Final = (
    "The server refused the connection (status 401): a key or a sign-in may be missing. For a sign-in, press Sign in. "
    'For a key, delete the server and add it again with the key under Headers, such as "Authorization: Bearer …"'
)

Given = TypeVar("Given")

Definition = tuple[Way, frozenset[tuple[str, str]]]
"""The address or program of a server, and its secrets."""


class Health(StrEnum):
    """The state of the connection to an MCP server."""

    OFF = "off"
    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """The connection failed, and Inview will try again."""
    SIGN_IN = "sign_in"
    """The user has to sign in first."""


Remember = Callable[[str, Listing], Awaitable[None]]
"""A function that stores the listing of the server with an id."""


class ServerSession:
    """The session of one server. `known` has the tools, prompts and resources that the server listed last.

    The server's tools stay in requests while the server is down. `changed` is called after each change of the state,
    the listing or the log.
    """

    def __init__(  # noqa: PLR0913 - the server, its secrets, and functions
        self,
        server: ToolServer,
        secrets: Mapping[str, str],
        remember: Remember,
        *,
        make_auth: Callable[[ConnectionTerms], httpx2.Auth] | None = None,
        changed: Callable[[], None] = lambda: None,
        backoff: tuple[float, ...] = BACKOFF,
    ) -> None:
        self.server = server
        self.known = server.known
        self.health = Health.OFF
        self.problem = ""
        self.restarts = 0
        self.log = ServerLog(secrets.values(), changed=changed)
        self._secrets = secrets
        self._remember = remember
        self._make_auth = make_auth
        self._changed = changed
        self._backoff = backoff
        self._link: Link | None = None
        self._was_up = False
        self._lists_late = False
        self._unexplained = False
        self._task: asyncio.Task[None] | None = None
        # This event is set when the server is ready, or when connecting fails after a call of `settle` or `look`.
        self._settled = asyncio.Event()
        self._hurry = asyncio.Event()
        self._look = asyncio.Event()
        self._looked_at = 0.0
        self._look_due: asyncio.TimerHandle | None = None
        self._tools: tuple[Tool, ...] = ()
        self._learn(self.known)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the known tools of the server, also while it is down."""
        return self._tools

    @property
    def may_lack_key(self) -> bool:
        """Return True if the server refused the connection and did not say where to sign in: a key may be missing."""
        return self.health is Health.SIGN_IN and self._unexplained

    @property
    def definition(self) -> Definition:
        """Return the address or program of the server, and its secrets.

        A permission for a call is valid only as long as this value stays the same.
        """
        return self.server.way, frozenset(self._secrets.items())

    def start(self) -> None:
        """Start the task that connects to the server and stays connected until `stop`. Return at once."""
        if self._task is None:
            self._turn(Health.STARTING)
            self._task = asyncio.create_task(self._keep_connected(), name=f"MCP server {self.server.name}")

    async def stop(self) -> None:
        """End the connection, and the program if the server is a program."""
        task, self._task = self._task, None
        while task is not None and not task.done():
            task.cancel()  # cancelled again and again, because a task that is failing may lose the cancellation
            await asyncio.wait({task}, timeout=3.0)
        self._link = None
        self._turn(Health.OFF)

    async def settle(self, timeout: float) -> None:  # noqa: ASYNC109 - reaching it is no error
        """Wait at most `timeout` seconds until the server is ready, or the next attempt to connect has failed.

        If the session pauses between two attempts, this call ends the pause.
        """
        if self._connected() is not None:
            return
        self._settled.clear()
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()

    async def look(self, timeout: float = START_SECONDS + LIST_SECONDS) -> None:  # noqa: ASYNC109 - as above
        """Check that the server answers, and read its lists of tools, prompts and resources again.

        Without a connection, try to connect at once. Wait at most `timeout` seconds.
        """
        if self._connected() is None:
            await self.settle(timeout)
            return
        self._settled.clear()
        self._look.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()

    def note(self, words: str) -> None:
        """Store `words`, a sentence without a full stop, as the current problem of the server, and log it."""
        self.problem = words
        self.log.write(OWN_LEVEL, f"{words}.")

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        progress: Progress,
        timeout: float,  # noqa: ASYNC109 - the timeout is reported to the server
    ) -> ToolOutcome:
        """Wait until the server is connected, call one of its tools, and return the result.

        `progress` is called with the progress of the call. `timeout` is the time limit in seconds, including the wait
        for the server.

        Raises:
            ToolFailedError: the call failed, or the tool has changed.
        """

        async def call(link: Link) -> ToolOutcome:
            self._require_unchanged(tool)  # the tool may have changed with the new connection
            return await link.call(tool.tool_name, arguments, progress)

        return await self.ask(f'"{tool.tool_name}"', timeout, call)

    async def ask(self, what: str, timeout: float, ask: Callable[[Link], Awaitable[Given]]) -> Given:  # noqa: ASYNC109 - the timeout is reported to the server
        """Wait until the server is connected, call `ask` with the connection, and return its result.

        `what` names the request at the beginning of an error message. `timeout` is the time limit in seconds.

        Raises:
            ToolFailedError: the request failed.
        """
        deadline = time.monotonic() + timeout
        await self.settle(min(timeout, START_SECONDS))
        if (link := self._connected()) is None:
            raise self._unavailable()
        try:
            async with asyncio.timeout(max(deadline - time.monotonic(), 0.0)):
                return await ask(link)
        except TimeoutError:
            self.log.write(OWN_LEVEL, f"{what} timed out after {timeout:g} seconds.")
            raise ToolFailedError(
                ToolFault.TIMED_OUT,
                f'{what} of "{self.server.name}" did not respond within {timeout:g} seconds.',
                "Request less, or increase its timeout in Settings → Tools.",
            ) from None
        except ToolFailedError as error:
            self.log.write(OWN_LEVEL, error.message)
            if link.terms.sign_in_needed.is_set():
                self._unexplained = link.terms.unexplained.is_set()
                self._look.set()
                raise self._sign_in_wanted() from error
            if error.fault is ToolFault.DIED:
                self._link = None  # calls use the connection again only if the next check shows that it works
            if error.fault in {ToolFault.DIED, ToolFault.PROTOCOL}:
                self._look.set()
            raise

    def _connected(self) -> Link | None:
        """Return the connection, or None if there is none or it has just ended."""
        return None if self._link is None or self._link.terms.ending.over.is_set() else self._link

    def _turn(self, health: Health, problem: str | None = None) -> None:
        """Set the state of the connection. Also set the problem of the server, unless `problem` is None."""
        self.health = health
        if problem is not None:
            self.problem = problem
        self._changed()

    async def _keep_connected(self) -> None:
        failures = 0
        module = await asyncio.to_thread(importlib.import_module, "app.tools.mcp.link")
        while True:
            began = time.monotonic()
            self._hurry.clear()
            self._was_up = False
            words, health = await self._live(module)
            failures = 1 if time.monotonic() - began > STEADY_SECONDS else failures + 1
            self._turn(health, words)
            if not self._was_up or health is Health.SIGN_IN:  # otherwise callers wait for the next attempt
                self._settled.set()
                self._hurry.clear()
            pause = self._backoff[min(failures, len(self._backoff)) - 1]
            after = "" if health is Health.SIGN_IN else f" Trying again in {pause:g} seconds."
            self.log.write(OWN_LEVEL, f"{words}.{after}")
            with suppress(TimeoutError):
                async with asyncio.timeout(None if health is Health.SIGN_IN else pause):
                    await self._hurry.wait()
            self.restarts += self._was_up
            self._turn(Health.STARTING)

    async def _live(self, module: ModuleType) -> tuple[str, Health]:
        """Connect, and stay connected until the connection ends. Return the reason in words, and the new state."""
        terms = ConnectionTerms(self.log.write, self._hear_change, self._make_auth, self.log.mask)
        self._lists_late = False
        try:
            async with asyncio.timeout(START_SECONDS) as starting:
                self.log.write(OWN_LEVEL, "Connecting …")
                async with module.open_link(self.server, self._secrets, terms) as link:
                    starting.reschedule(None)
                    await self._list(link)
                    self._link, self._was_up = link, True
                    self._turn(Health.READY, "")
                    self._settled.set()
                    self.log.write(OWN_LEVEL, f"Connected: {len(self.tools)} tools.")
                    return await self._stay(link), Health.WAITING
        except Exception as error:  # noqa: BLE001 - the page shows that a server cannot be reached
            if terms.sign_in_needed.is_set():
                self._unexplained = terms.unexplained.is_set()
                return (REFUSED if self._unexplained else "The server requires a sign-in"), Health.SIGN_IN
            if self._lists_late:
                return self.problem, Health.WAITING
            return f"The server could not be reached: {module.describe_fault(error, terms)}", Health.WAITING
        finally:
            self._link = None
            if self._look_due is not None:
                self._look_due.cancel()
                self._look_due = None

    async def _stay(self, link: Link) -> str:
        """Wait until a connection ends, and regularly request the lists. Return the reason why the connection ended."""
        over = asyncio.create_task(link.terms.ending.over.wait())
        try:
            while True:
                looking = asyncio.create_task(self._look.wait())
                try:
                    await asyncio.wait({over, looking}, timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    looking.cancel()
                if over.done():
                    return f"It {link.terms.ending.words}"
                self._look.clear()
                # The time is noted before the request, because a change can be reported during the request.
                self._looked_at = time.monotonic()
                await self._list(link)
                self._link = link
                self._settled.set()
        finally:
            over.cancel()

    def _hear_change(self) -> None:
        """Schedule a request for the lists after the server reported that they changed."""
        if self._look_due is None:
            pause = max(0.0, self._looked_at + CHANGE_SECONDS - time.monotonic())
            self._look_due = asyncio.get_running_loop().call_later(pause, self._look_again)

    def _look_again(self) -> None:
        self._look_due = None
        self._look.set()

    async def _list(self, link: Link) -> None:
        """Request the lists of the server and store them.

        Raises:
            TimeoutError: the server took too long. `problem` has the reason as soon as the time limit has passed, even
                if it takes longer to close the connection.
        """
        late = asyncio.get_running_loop().call_later(LIST_SECONDS, self._note_late_lists)
        try:
            async with asyncio.timeout(LIST_SECONDS):
                listing = await link.list_all()
        finally:
            late.cancel()
        if self._lists_late:  # the lists came just after the time limit
            raise TimeoutError
        await self._take(listing)

    def _note_late_lists(self) -> None:
        self._lists_late = True
        self._link = None
        words = f"The server took longer than {LIST_SECONDS:g} seconds to list its tools, resources and prompts"
        self._turn(Health.WAITING, words)
        self._settled.set()

    async def _take(self, listing: Listing) -> None:
        if listing == self.known:
            return
        self._learn(listing)
        self._changed()
        for words in listing.cut:
            self.log.write("warning", words)
        await self._remember(self.server.id, listing)

    def _learn(self, listing: Listing | None) -> None:
        self.known = listing
        self._tools = list_server_tools(self.server.id, self.server.name, listing) if listing else ()

    def _require_unchanged(self, tool: Tool) -> None:
        now = next((one for one in self._tools if one.tool_name == tool.tool_name), None)
        if now is None or fingerprint(now) != fingerprint(tool):
            raise changed_tool(tool)

    def _unavailable(self) -> ToolFailedError:
        if self.health is Health.SIGN_IN:
            return self._sign_in_wanted()
        where = "address" if isinstance(self.server.way, OverHttp) else "command"
        return ToolFailedError(
            ToolFault.UNAVAILABLE,
            f'"{self.server.name}" is not available. {self.problem or "It has not started yet"}.',
            f"Check its log and its {where} in Settings → Tools.",
        )

    def _sign_in_wanted(self) -> ToolFailedError:
        if self._unexplained:
            return ToolFailedError(
                ToolFault.UNAVAILABLE,
                f'"{self.server.name}" refused the connection: a key or a sign-in may be missing.',
                "Settings → Tools explains where to enter the key.",
            )
        return ToolFailedError(
            ToolFault.UNAVAILABLE,
            f'"{self.server.name}" requires a sign-in.',
            "Sign in under Settings → Tools.",
        )
