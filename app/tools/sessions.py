"""The life of one MCP server: a task that owns its connection, keeps it, and connects again when it is gone.

    session = ServerSession(server, secrets, remember)
    session.start()
    outcome = await session.call(tool, {"message": "hi"}, progress, timeout=60)
    await session.stop()

Others call through the connection while the task waits beside it. A call that was started is never made again: a server
that died in the middle may have done it. Between two tries the task waits longer and longer; a call or a test cuts the
waiting short.
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
from app.tools.server_log import OWN_LEVEL, ServerLog
from app.tools.terms import Progress, Terms

if TYPE_CHECKING:
    import httpx2

    from app.tools.connection.link import Link

START_SECONDS: Final = 60.0
"""The time for connecting. A program that is fetched at its first start (npx, uvx) takes its time."""
LIST_SECONDS: Final = 60.0
"""The time for the lists of tools, resources and prompts."""
CHECK_SECONDS: Final = 60.0
"""How often a server that says nothing is asked what it has: whether it lives, and whether something changed."""
CHANGE_SECONDS: Final = 2.0
"""Between two looks at what a server says has changed: one that says so endlessly is not asked endlessly."""
STEADY_SECONDS: Final = 30.0
"""A connection of this age is made again at once when it breaks."""
BACKOFF: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)

REFUSED: Final = (
    "The server refused the connection (status 401): a key or a sign-in may be missing. For a sign-in, press Sign in. "
    'For a key, delete the server and add it again with the key under Headers, such as "Authorization: Bearer …"'
)

Given = TypeVar("Given")

Definition = tuple[Way, frozenset[tuple[str, str]]]
"""The address or program of a server, and its secrets."""


class Health(StrEnum):
    """The state of a server."""

    OFF = "off"
    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """It failed, and Inview tries again."""
    SIGN_IN = "sign_in"
    """A person has to sign in first."""


Remember = Callable[[str, Listing], Awaitable[None]]
"""Stores what a server has, under its id."""


class ServerSession:
    """One server. `known` is what it said last, in this or an earlier process: its tools stay told while it is down.

    `changed` is called whenever its state, what it has, or its log is another.
    """

    def __init__(  # noqa: PLR0913 - what a session is made of
        self,
        server: ToolServer,
        secrets: Mapping[str, str],
        remember: Remember,
        *,
        make_auth: Callable[[Terms], httpx2.Auth] | None = None,
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
        self._settled = asyncio.Event()  # ready, or failed once since the last question
        self._hurry = asyncio.Event()
        self._look = asyncio.Event()
        self._looked_at = 0.0
        self._look_due: asyncio.TimerHandle | None = None
        self._tools: tuple[Tool, ...] = ()
        self._learn(self.known)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools, as far as is known."""
        return self._tools

    @property
    def may_lack_key(self) -> bool:
        """True if the server refused without naming a sign-in: a key may be missing instead."""
        return self.health is Health.SIGN_IN and self._unexplained

    @property
    def definition(self) -> Definition:
        """The facts, besides the tool itself, that a permission of a call depends on."""
        return self.server.way, frozenset(self._secrets.items())

    def start(self) -> None:
        """Connect, and keep connected until `stop`."""
        if self._task is None:
            self._turn(Health.STARTING)
            self._task = asyncio.create_task(self._keep_connected(), name=f"MCP server {self.server.name}")

    async def stop(self) -> None:
        """End the connection, and the program if it is one."""
        task, self._task = self._task, None
        while task is not None and not task.done():
            task.cancel()  # again, if need be: what is cancelled while it fails may take the one for the other
            await asyncio.wait({task}, timeout=3.0)
        self._link = None
        self._turn(Health.OFF)

    async def settle(self, timeout: float) -> None:  # noqa: ASYNC109 - a bound, not a failure
        """Wait until the server is ready, or has failed once more from now on. Cuts a waiting between tries short."""
        if self._connected() is not None:
            return
        self._settled.clear()
        self._hurry.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()

    async def look(self, timeout: float = START_SECONDS + LIST_SECONDS) -> None:  # noqa: ASYNC109 - as above
        """See whether the server answers, and what it has now."""
        if self._connected() is None:
            await self.settle(timeout)
            return
        self._settled.clear()
        self._look.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()

    def note(self, words: str) -> None:
        """Show these words, without a full stop, as what is wrong with it."""
        self.problem = words
        self.log.tell(OWN_LEVEL, f"{words}.")

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        progress: Progress,
        timeout: float,  # noqa: ASYNC109 - the server is told when it is over
    ) -> ToolOutcome:
        """Call a tool of this server, once it is there.

        Raises:
            ToolFailedError: it gave nothing, or it is not this tool any more.
        """

        async def call(link: Link) -> ToolOutcome:
            self._require_unchanged(tool)  # it may have come back as another one
            return await link.call(tool.tool_name, arguments, progress)

        return await self.ask(f'"{tool.tool_name}"', timeout, call)

    async def ask(self, what: str, timeout: float, ask: Callable[[Link], Awaitable[Given]]) -> Given:  # noqa: ASYNC109 - the server is told when it is over
        """Ask through the connection, once the server is there. `what` is asked for, as a message begins with it.

        Raises:
            ToolFailedError: it gave nothing.
        """
        deadline = time.monotonic() + timeout
        await self.settle(min(timeout, START_SECONDS))
        if (link := self._connected()) is None:
            raise self._unavailable()
        try:
            async with asyncio.timeout(max(deadline - time.monotonic(), 0.0)):
                return await ask(link)
        except TimeoutError:
            self.log.tell(OWN_LEVEL, f"{what} was given up after {timeout:g} seconds.")
            raise ToolFailedError(
                ToolFault.TIMED_OUT,
                f'{what} of "{self.server.name}" gave nothing within {timeout:g} seconds.',
                "Try with less to do, or allow it more time in Settings → Tools.",
            ) from None
        except ToolFailedError as error:
            self.log.tell(OWN_LEVEL, error.message)
            if link.terms.sign_in_needed.is_set():
                self._unexplained = link.terms.unexplained.is_set()
                self._look.set()
                raise self._sign_in_wanted() from error
            if error.fault is ToolFault.DIED:
                self._link = None  # no call uses it again, unless it turns out to be alive
            if error.fault in {ToolFault.DIED, ToolFault.PROTOCOL}:
                self._look.set()
            raise

    def _connected(self) -> Link | None:
        """The connection, unless its program has ended just now."""
        return None if self._link is None or self._link.terms.ending.over.is_set() else self._link

    def _turn(self, health: Health, problem: str | None = None) -> None:
        """Have this state from now on, and this problem; None: the problem as before."""
        self.health = health
        if problem is not None:
            self.problem = problem
        self._changed()

    async def _keep_connected(self) -> None:
        failures = 0
        module = await asyncio.to_thread(importlib.import_module, "app.tools.connection.link")
        while True:
            began = time.monotonic()
            self._hurry.clear()
            self._was_up = False
            words, health = await self._live(module)
            failures = 1 if time.monotonic() - began > STEADY_SECONDS else failures + 1
            self._turn(health, words)
            if not self._was_up or health is Health.SIGN_IN:  # else who waits, waits for the next try, which comes
                self._settled.set()
                self._hurry.clear()
            pause = self._backoff[min(failures, len(self._backoff)) - 1]
            after = "" if health is Health.SIGN_IN else f" Trying again in {pause:g} seconds."
            self.log.tell(OWN_LEVEL, f"{words}.{after}")
            with suppress(TimeoutError):
                async with asyncio.timeout(None if health is Health.SIGN_IN else pause):
                    await self._hurry.wait()
            self.restarts += self._was_up
            self._turn(Health.STARTING)

    async def _live(self, module: ModuleType) -> tuple[str, Health]:
        """Connect and stay connected until that is over. Returns why it ended, in words, and the new state."""
        terms = Terms(self.log.tell, self._hear_change, self._make_auth, self.log.mask)
        self._lists_late = False
        try:
            async with asyncio.timeout(START_SECONDS) as starting:
                self.log.tell(OWN_LEVEL, "Connecting …")
                async with module.open_link(self.server, self._secrets, terms) as link:
                    starting.reschedule(None)
                    await self._list(link)
                    self._link, self._was_up = link, True
                    self._turn(Health.READY, "")
                    self._settled.set()
                    self.log.tell(OWN_LEVEL, f"Connected: {len(self.tools)} tools.")
                    return await self._stay(link), Health.WAITING
        except Exception as error:  # noqa: BLE001 - a server that cannot be reached is a state that the page shows
            if terms.sign_in_needed.is_set():
                self._unexplained = terms.unexplained.is_set()
                return (REFUSED if self._unexplained else "It wants somebody to sign in"), Health.SIGN_IN
            if self._lists_late:
                return self.problem, Health.WAITING
            return f"It could not be reached: {module.describe_fault(error, terms)}", Health.WAITING
        finally:
            self._link = None
            if self._look_due is not None:
                self._look_due.cancel()
                self._look_due = None

    async def _stay(self, link: Link) -> str:
        """Wait while a connection is open; returns why it ended."""
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
                self._looked_at = time.monotonic()  # before: a change reported meanwhile waits for its time, too
                await self._list(link)
                self._link = link
                self._settled.set()
        finally:
            over.cancel()

    def _hear_change(self) -> None:
        """The server says that what it has is another thing now."""
        if self._look_due is None:
            pause = max(0.0, self._looked_at + CHANGE_SECONDS - time.monotonic())
            self._look_due = asyncio.get_running_loop().call_later(pause, self._look_again)

    def _look_again(self) -> None:
        self._look_due = None
        self._look.set()

    async def _list(self, link: Link) -> None:
        """Take what the server lists.

        Raises:
            TimeoutError: it took too long. `problem` says so already while the connection is closed, which takes time.
        """
        late = asyncio.get_running_loop().call_later(LIST_SECONDS, self._note_late_lists)
        try:
            async with asyncio.timeout(LIST_SECONDS):
                listing = await link.list_all()
        finally:
            late.cancel()
        if self._lists_late:  # they came in the last moment
            raise TimeoutError
        await self._take(listing)

    def _note_late_lists(self) -> None:
        self._lists_late = True
        self._link = None
        words = f"It took longer than {LIST_SECONDS:g} seconds to list its tools, resources and prompts"
        self._turn(Health.WAITING, words)
        self._settled.set()

    async def _take(self, listing: Listing) -> None:
        if listing == self.known:
            return
        self._learn(listing)
        self._changed()
        for words in listing.cut:
            self.log.tell("warning", words)
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
            f'"{self.server.name}" is not there. {self.problem or "It has not started yet"}.',
            f"Look at its log and its {where} in Settings → Tools.",
        )

    def _sign_in_wanted(self) -> ToolFailedError:
        if self._unexplained:
            return ToolFailedError(
                ToolFault.UNAVAILABLE,
                f'"{self.server.name}" refused the connection: a key or a sign-in may be missing.',
                "Settings → Tools says where to enter the key.",
            )
        return ToolFailedError(
            ToolFault.UNAVAILABLE,
            f'"{self.server.name}" wants somebody to sign in.',
            "Sign in under Settings → Tools.",
        )
