"""An MCP server as Settings shows it: a row with its status, its details, its log, its tools, resources and prompts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from app.domain.tools.tool_servers import Listing, OverHttp, OverStdio, ToolServer
from app.runs.tools.server_commands import SeenServer
from app.tools.mcp.sessions import Health, ServerSession
from app.views.tools.server import PromptView, ServerToolView, ServerView, describe_server
from app.views.usage.figures import plural

HEALTH: Final = {
    Health.OFF: "Off",
    Health.STARTING: "Connecting …",
    Health.READY: "Connected",
    Health.WAITING: "Not reachable. Inview tries again",
    Health.SIGN_IN: "Sign-in needed",
}


@dataclass(frozen=True)
class OfferItem:
    """A tool, a resource or a prompt of an MCP server."""

    name: str
    description: str


@dataclass(frozen=True)
class LogEntry:
    """A line of the server's log. `at` is its time (ISO 8601)."""

    number: int
    at: str
    level: str
    text: str


@dataclass(frozen=True)
class ServerItem:
    """An MCP server in the list of the section Tools.

    - `status`: the server's status in words.
    - `problem`: the reason for the status, "" if there is no problem.
    - `where`: its address or its command line.
    - `facts`: further details, such as its version, in one line.
    - `said`: the message after the last command.
    - `asking`: Inview requests the address of the sign-in page from the server.
    - `sign_in_url`: that address, during the sign-in.
    - `log_open`: the log is shown.
    """

    id: str
    name: str
    health: str
    status: str
    where: str
    problem: str
    enabled: bool
    signing_in: bool
    signed_in: bool
    facts: str
    tools: tuple[OfferItem, ...]
    resources: tuple[OfferItem, ...]
    prompts: tuple[OfferItem, ...]
    cut: tuple[str, ...]
    said: str = ""
    asking: bool = False
    sign_in_url: str = ""
    log_open: bool = False
    log: tuple[LogEntry, ...] = ()


def describe_item(seen: SeenServer, before: ServerItem | None) -> ServerItem:
    """Return the row of the MCP server `seen`.

    The last answer, the sign-in page and the open log are taken over from the previous row (`before`).
    """
    session = seen.session
    health = Health.OFF if session is None else session.health
    view = _view(seen, session)
    item = ServerItem(
        id=view.id,
        name=view.name,
        health=health.value,
        status="Cannot be read" if seen.damage else _status(session, view, signing_in=seen.signing_in),
        where=_where(seen.server),
        problem=f"{view.problem}." if view.problem and not seen.signing_in else "",
        enabled=view.enabled,
        signing_in=seen.signing_in,
        signed_in=view.signed_in,
        facts=_facts(view),
        tools=tuple(OfferItem(f"{tool.tool_name}({_arguments(tool)})", tool.description) for tool in view.tools),
        resources=tuple(OfferItem(one.uri, one.description or one.name) for one in view.resources),
        prompts=tuple(OfferItem(f"{one.name}({_arguments(one)})", one.description) for one in view.prompts),
        cut=view.cut,
    )
    return item if before is None else _keep(item, before, session)


def describe_trial(seen: SeenServer) -> str:
    """Return a text with the result of a test of an MCP server."""
    session = seen.session
    if session is None:
        return f"{HEALTH[Health.OFF]}."
    view = _view(seen, session)
    if session.health is Health.READY:
        return f"Connected: {plural(len(view.tools), 'tool')}."
    # The row of a server that is switched on already shows the problem.
    return f"{(not view.enabled and view.problem) or _health(session)}."


def read_log(session: ServerSession | None) -> tuple[LogEntry, ...]:
    """Return the newest lines of a server's log."""
    lines = () if session is None else session.log.lines()
    return tuple(LogEntry(line.number, line.at.isoformat(), line.level, line.text) for line in lines)


def _keep(item: ServerItem, before: ServerItem, session: ServerSession | None) -> ServerItem:
    turned = (before.signing_in, before.signed_in) != (item.signing_in, item.signed_in)
    return replace(
        item,
        said="" if turned else before.said,
        asking=before.asking,
        sign_in_url=before.sign_in_url if item.signing_in else "",
        log_open=before.log_open,
        log=read_log(session) if before.log_open else (),
    )


def _view(seen: SeenServer, session: ServerSession | None) -> ServerView:
    server = seen.server
    known: Listing | None = server.known if session is None else session.known
    if session is None:
        return describe_server(server, known, "off", seen.problem, 0)
    return describe_server(server, known, session.health.value, seen.problem, session.restarts)


def _health(session: ServerSession | None) -> str:
    if session is not None and session.may_lack_key:
        return "Key or sign-in needed"
    return HEALTH[Health.OFF if session is None else session.health]


def _status(session: ServerSession | None, view: ServerView, *, signing_in: bool) -> str:
    tools = f" · {plural(len(view.tools), 'tool')}" if view.tools else ""
    return f"{'Signing in …' if signing_in else _health(session)}{tools}"


def _where(server: ToolServer) -> str:
    match server.way:
        case OverStdio(command, arguments):
            return " ".join((command, *arguments))
        case OverHttp(url):
            return url


def _arguments(offer: ServerToolView | PromptView) -> str:
    if isinstance(offer, ServerToolView):
        return ", ".join(offer.arguments)
    return ", ".join(one.name if one.required else f"{one.name}?" for one in offer.arguments)


def _facts(view: ServerView) -> str:
    """Return further details of the server as one line. It has the names of secrets, not their values."""
    facts = [
        f"{view.title} {view.version}".strip() if view.title else "",
        _secrets(view),
        _client(view),
        _sign_in(view),
        f"Restarted {plural(view.restarts, 'time')}" if view.restarts else "",
        f"A call may take {view.timeout:g} seconds",
    ]
    return " · ".join(filter(None, facts))


def _secrets(view: ServerView) -> str:
    if not view.secret_names:
        return ""
    kind = "Headers" if view.kind == "http" else "Environment"
    return f"{kind}: {', '.join(view.secret_names)} (values are stored encrypted)"


def _client(view: ServerView) -> str:
    if not view.client_id:
        return ""
    return f"Client {view.client_id}{' (its secret is stored encrypted)' if view.has_client_secret else ''}"


def _sign_in(view: ServerView) -> str:
    if not view.signed_in:
        return ""
    return "Session expired" if view.health == "sign_in" else "Signed in (its tokens are stored encrypted)"
