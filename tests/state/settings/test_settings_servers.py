from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from sqlalchemy import text
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.domain.tools.server_input import parse_command, parse_secrets
from app.domain.tools.tool_servers import OverHttp, OverStdio
from app.domain.tools.tools import ToolFailedError
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.runs.sign_in.sign_in_commands import begin_sign_in, callback_of, finish_sign_in
from app.runs.tools.server_commands import (
    ServerSettings,
    add_server,
    change_server,
    delete_server,
    list_servers,
    session_of,
)
from app.state.settings.preferences import PreferencesState
from app.state.settings.server_form import read_server_form
from app.state.settings.server_items import ServerItem
from app.state.settings.servers import DeleteServerView, ServersState
from app.tools.sign_in import sign_ins
from tests.api.served import serve
from tests.state.conftest import Tab
from tests.state.watched import running
from tests.tools.protected import Protected, a_protected_server
from tests.tools.servers import ask, script

ACTS = script(
    """
import os
print("the token is", os.environ.get("TOKEN"), file=sys.stderr, flush=True)
greet()
serve(lambda asked: write({"id": asked["id"], "result": {"content": [{"type": "text", "text": "done"}]}}))
"""
)
HERE = "http://127.0.0.1:3000"  # the origin that tests give their tabs
SECRET = "sk-very-secret-5b1f"


@pytest.fixture
async def protected() -> AsyncGenerator[Protected]:
    async with a_protected_server() as served:
        yield served


async def a_program(ctx: AppContext, *, enabled: bool = True) -> str:
    settings = ServerSettings("lab", OverStdio(ACTS.command, ACTS.arguments), enabled, secrets={"TOKEN": SECRET})
    return (await add_server(ctx, LOCAL_OWNER, settings)).server.id


async def a_place_to_sign_in(ctx: AppContext, protected: Protected) -> str:
    settings = ServerSettings("calendar", OverHttp(protected.url, allow_private=True))
    return (await add_server(ctx, LOCAL_OWNER, settings)).server.id


@asynccontextmanager
async def following(tab: Tab) -> AsyncGenerator[None]:
    """Let the page follow the servers, as it does while it is open."""
    await tab.send(ServersState.load)
    async with running(tab, ServersState.follow):
        yield


def row(tab: Tab) -> ServerItem:
    (item,) = tab.shows(ServersState, "servers")
    return item


def shown_names(tab: Tab) -> list[str]:
    return [item.name for item in tab.shows(ServersState, "servers")]


async def walk_back(url: str) -> dict[str, str]:
    """Follow the redirects of a sign-in as a browser does, and return the parameters of the final callback."""
    async with httpx2.AsyncClient() as browser:
        while not url.startswith(callback_of(HERE)):
            url = (await browser.get(url)).headers["location"]
    return {name: value for name, (value, *_) in parse_qs(urlsplit(url).query).items()}


async def come_back(ctx: AppContext, url: str) -> None:
    """Sign in as a browser would, and handle the answer that it brings back."""
    brought = await walk_back(url)
    answer = sign_ins.ConsentAnswer(brought["code"], brought["state"], brought.get("iss"))
    assert await finish_sign_in(ctx, brought["state"], answer) == ("calendar", "")


async def test_servers_are_shown_with_their_state_and_followed_until_they_are_connected(
    ctx: AppContext, tab: Tab
) -> None:
    await a_program(ctx)

    async with following(tab):
        await tab.until(lambda: row(tab).health == "ready")

    assert tab.shows(ServersState, "loaded") is True
    assert row(tab).status == "Connected · 1 tool"
    assert row(tab).where.startswith(sys.executable)
    assert "Environment: TOKEN (values are stored encrypted)" in row(tab).facts
    assert [offer.name for offer in row(tab).tools] == ["act()"]
    assert SECRET not in repr(tab.vars)


async def test_open_page_shows_servers_that_are_added_changed_and_deleted_elsewhere(ctx: AppContext, tab: Tab) -> None:
    async with following(tab):
        first = await a_program(ctx, enabled=False)
        await tab.until(lambda: shown_names(tab) == ["lab"])

        settings = ServerSettings("other", OverStdio(ACTS.command, ACTS.arguments), enabled=False)
        await add_server(ctx, LOCAL_OWNER, settings)
        await tab.until(lambda: shown_names(tab) == ["lab", "other"])
        await change_server(ctx, LOCAL_OWNER, first, replace(settings, name="renamed"))
        await tab.until(lambda: shown_names(tab) == ["other", "renamed"])
        await delete_server(ctx, LOCAL_OWNER, first)
        await tab.until(lambda: shown_names(tab) == ["other"])


async def test_open_page_shows_that_the_program_of_a_server_ended(ctx: AppContext, tab: Tab, tmp_path: Path) -> None:
    once = script(f"""
from pathlib import Path
started = Path({str(tmp_path / "started")!r})
if started.exists(): sys.exit(3)
started.touch()
greet()
serve(lambda asked: sys.exit(3))
""")
    async with following(tab):
        server = await add_server(ctx, LOCAL_OWNER, ServerSettings("lab", OverStdio(once.command, once.arguments)))
        await tab.until(lambda: tab.shows(ServersState, "servers") != () and row(tab).health == "ready")

        session = session_of(ctx, LOCAL_OWNER, server.server.id)
        assert session is not None
        with pytest.raises(ToolFailedError):
            await ask(session, "act")
        await tab.until(lambda: row(tab).health == "waiting")

        assert "code 3" in row(tab).problem


async def test_open_log_is_followed(ctx: AppContext, tab: Tab) -> None:
    server_id = await a_program(ctx)
    async with following(tab):
        await tab.until(lambda: row(tab).health == "ready")
        await tab.send(ServersState.show_log, server_id=server_id)

        session = session_of(ctx, LOCAL_OWNER, server_id)
        assert session is not None
        session.log.write("info", "A line that came later")

        await tab.until(lambda: row(tab).log[-1].text == "A line that came later")


async def test_built_in_tool_is_switched_on_and_off(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ServersState.load)
    built_ins = {tool.name: tool.description for tool in tab.shows(ServersState, "built_ins")}
    assert "current_time" in built_ins
    assert all(text.startswith("Lets the model ") for text in built_ins.values()), "a sentence for people"

    await tab.send(ServersState.switch_built_in, name="current_time", on=True)
    assert tab.shows(PreferencesState, "preferred").built_in_tools == ("current_time",)
    assert (await read_preferences(ctx, LOCAL_OWNER)).built_in_tools == ("current_time",)

    await tab.send(ServersState.switch_built_in, name="no such tool", on=True)
    await tab.send(ServersState.switch_built_in, name="current_time", on=False)
    assert (await read_preferences(ctx, LOCAL_OWNER)).built_in_tools == ()


async def test_server_is_switched_off_tested_and_switched_on(ctx: AppContext, tab: Tab) -> None:
    server_id = await a_program(ctx)
    async with following(tab):
        await tab.until(lambda: row(tab).health == "ready")

    await tab.send(ServersState.switch, server_id=server_id, on=False)
    assert (row(tab).enabled, row(tab).status) == (False, "Off · 1 tool")
    await tab.send(ServersState.test, server_id=server_id)
    assert row(tab).said == "Connected: 1 tool."

    async with following(tab):
        await tab.send(ServersState.switch, server_id=server_id, on=True)
        await tab.until(lambda: (row(tab).enabled, row(tab).health) == (True, "ready"))
    assert "TOKEN" in row(tab).facts


@pytest.mark.parametrize(
    ("column", "stored", "line", "mended"),
    [
        ("way", '{"kind"', "Its program or address (way): The stored data is garbled", False),
        ("sealed_secrets", "no bytes", "Its secrets (sealed_secrets): ", False),
        ("enabled", "perhaps", "Whether it is switched on (enabled): The stored data is neither yes nor no", True),
    ],
)
async def test_unreadable_server_is_reported_with_the_next_step(
    ctx: AppContext, tab: Tab, column: str, stored: str, line: str, *, mended: bool
) -> None:
    server_id = await a_program(ctx, enabled=False)
    async with ctx.store.write() as session:
        await session.execute(text(f"UPDATE mcp_server SET {column} = :stored"), {"stored": stored})

    await tab.send(ServersState.load)

    assert row(tab).status == "Cannot be read"
    assert line in row(tab).problem
    assert row(tab).problem.endswith("Switch it on again." if mended else "Delete it and add it again.")

    await tab.send(ServersState.switch, server_id=server_id, on=True)

    assert row(tab).enabled is mended
    assert (row(tab).status == "Cannot be read") is not mended
    assert ("Delete it and add it again." in row(tab).said) is not mended


async def test_server_that_is_gone_meanwhile_is_taken_from_the_list(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ServersState.load)

    await tab.send(ServersState.test, server_id="gone")
    await tab.send(ServersState.switch, server_id="gone", on=True)

    assert tab.shows(ServersState, "servers") == ()


async def test_log_is_shown_without_secrets_and_hidden_again(ctx: AppContext, tab: Tab) -> None:
    server_id = await a_program(ctx)
    async with following(tab):
        await tab.until(lambda: row(tab).health == "ready")

    await tab.send(ServersState.show_log, server_id=server_id)
    texts = [line.text for line in row(tab).log]
    assert any(text.startswith("Connected: 1 tool") for text in texts)
    assert "the token is •••" in texts

    await tab.send(ServersState.show_log, server_id=server_id)
    assert (row(tab).log_open, row(tab).log) == (False, ())


async def test_server_is_deleted_after_it_was_asked_for(ctx: AppContext, tab: Tab) -> None:
    server_id = await a_program(ctx, enabled=False)
    await tab.send(ServersState.load)

    await tab.send(ServersState.delete)
    await tab.send(ServersState.ask_delete, server_id=server_id)
    assert tab.shows(ServersState, "deleting") == DeleteServerView(server_id, "lab")
    await tab.send(ServersState.end_delete)
    await tab.send(ServersState.delete)
    assert len(await list_servers(ctx, LOCAL_OWNER)) == 1

    await tab.send(ServersState.ask_delete, server_id=server_id)
    await tab.send(ServersState.delete)
    assert await list_servers(ctx, LOCAL_OWNER) == ()
    assert (tab.shows(ServersState, "servers"), tab.shows(ServersState, "deleting")) == ((), None)


async def test_program_is_added_with_its_secrets_which_are_not_shown(ctx: AppContext, tab: Tab) -> None:
    async with following(tab):
        await tab.send(ServersState.choose_kind, kind="stdio")
        assert tab.shows(ServersState, "kind") == "stdio"

        form = {"name": "time", "command": f'"{sys.executable}" -m mcp_server_time', "secrets": f"TOKEN={SECRET}\n"}
        await tab.send(ServersState.add, form=form)

        assert tab.shows(ServersState, "added_note") == "Added time."
        await tab.until(lambda: (row(tab).name, row(tab).status) == ("time", "Connected · 2 tools"))
    assert SECRET not in repr(tab.vars)


async def test_form_that_cannot_be_read_is_refused_with_its_field(ctx: AppContext, tab: Tab) -> None:
    for form, reason in (
        ({"name": "two__words", "url": "https://example.invalid/mcp"}, "Name: use letters and digits"),
        ({"name": "lab", "url": "no address"}, "Address: write an address such as"),
        (
            {"name": "lab", "url": "https://example.invalid/mcp", "secrets": "no header"},
            "Headers: “no header” does not have the form name:value, with a name of at most 200 characters.",
        ),
        (
            {"name": "lab", "command": "x", "secrets": "no variable"},
            "Environment variables: “no variable” does not have the form name=value,",
        ),
        ({"name": ["lab"], "command": {"a": 1}}, "Name: "),
        ({"name": "lab", "command": ""}, "Command: give the command of the program"),
        ({"name": "lab", "command": "x" * 4001}, "Command: use at most 4,000 characters."),
        ({"name": "lab", "command": "x" + " y" * 101}, "Command: use at most 100 arguments."),
        (
            {"name": "lab", "url": "https://example.invalid/mcp", "client_secret": "x"},
            "Client secret: a client secret needs a client ID.",
        ),
    ):
        await tab.send(ServersState.add, form=form)
        assert reason in tab.shows(ServersState, "added_note")

    assert await list_servers(ctx, LOCAL_OWNER) == ()


async def test_sign_in_in_another_tab_and_sign_out_are_shown(protected: Protected, ctx: AppContext, tab: Tab) -> None:
    server_id = await a_place_to_sign_in(ctx, protected)
    async with following(tab):
        await tab.until(lambda: row(tab).status == "Sign-in needed")

        await tab.send(ServersState.sign_in, server_id=server_id, opened=True)
        assert row(tab).signing_in
        await come_back(ctx, row(tab).sign_in_url)
        await tab.until(lambda: row(tab).status == "Connected · 1 tool")

        assert (row(tab).signed_in, row(tab).sign_in_url, row(tab).said) == (True, "", "")
        assert "Signed in (its tokens are stored encrypted)" in row(tab).facts

        await tab.send(ServersState.end_sign_in, server_id=server_id)
        await tab.until(lambda: (row(tab).signed_in, row(tab).status) == (False, "Sign-in needed · 1 tool"))


async def test_denied_sign_in_leaves_nothing_to_be_waited_for(protected: Protected, ctx: AppContext, tab: Tab) -> None:
    protected.denies = True
    server_id = await a_place_to_sign_in(ctx, protected)
    async with following(tab):
        await tab.send(ServersState.sign_in, server_id=server_id, opened=True)
        brought = await walk_back(row(tab).sign_in_url)
        await finish_sign_in(ctx, brought["state"], sign_ins.Refusal("Access was denied."))

        await tab.until(lambda: row(tab).problem == "The sign-in failed. Access was denied.")
    assert (row(tab).signing_in, row(tab).sign_in_url, row(tab).said) == (False, "", "")


@pytest.mark.parametrize("challenge", [{}, {"WWW-Authenticate": 'Bearer realm="lab"'}], ids=["bare", "bearer"])
async def test_server_that_refuses_without_naming_a_sign_in_may_lack_a_key(
    ctx: AppContext, tab: Tab, challenge: dict[str, str]
) -> None:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(status_code=401, headers=challenge)(scope, receive, send)

    async with serve(refuse) as served, following(tab):
        settings = ServerSettings("lab", OverHttp(f"http://{served.host}/mcp", allow_private=True))
        server_id = (await add_server(ctx, LOCAL_OWNER, settings)).server.id
        await tab.until(lambda: tab.shows(ServersState, "servers") != () and row(tab).health == "sign_in")

        assert row(tab).status == "Key or sign-in needed"
        assert "refused the connection (status 401): a key or a sign-in may be missing" in row(tab).problem
        assert "under Headers" in row(tab).problem
        session = session_of(ctx, LOCAL_OWNER, server_id)
        assert session is not None
        with pytest.raises(ToolFailedError, match="a key or a sign-in may be missing"):
            await ask(session, "act")


async def test_expired_sign_in_is_reported_once_and_not_as_valid(
    protected: Protected, ctx: AppContext, tab: Tab
) -> None:
    server_id = await a_place_to_sign_in(ctx, protected)
    await come_back(ctx, (await begin_sign_in(ctx, LOCAL_OWNER, server_id, HERE)).address.result())
    async with following(tab):
        await tab.until(lambda: row(tab).health == "ready")
    assert "Signed in (" in row(tab).facts
    protected.access.clear()
    protected.renews = False

    await tab.send(ServersState.test, server_id=server_id)

    assert "Session expired" in row(tab).facts
    assert "Signed in (" not in row(tab).facts
    assert (row(tab).said, row(tab).problem) == ("Sign-in needed.", "The server requires a sign-in.")


async def test_sign_in_says_that_the_browser_opened_no_tab_and_can_be_cancelled(
    protected: Protected, ctx: AppContext, tab: Tab
) -> None:
    server_id = await a_place_to_sign_in(ctx, protected)
    await tab.send(ServersState.load)

    await tab.send(ServersState.sign_in, server_id=server_id, opened=False)
    assert row(tab).said == "Your browser did not open a tab. Open the sign-in page yourself."
    await tab.send(ServersState.end_sign_in, server_id=server_id)

    assert (row(tab).signing_in, row(tab).sign_in_url) == (False, "")


async def test_sign_in_that_cannot_begin_says_why(ctx: AppContext, tab: Tab) -> None:
    server_id = await a_program(ctx, enabled=False)
    await tab.send(ServersState.load)

    await tab.send(ServersState.sign_in, server_id=server_id, opened=True)

    assert "it has no sign-in" in row(tab).said
    assert (row(tab).asking, row(tab).sign_in_url) == (False, "")


async def test_sign_in_that_is_over_before_it_is_read_again_leaves_nothing_to_wait_for(
    protected: Protected, ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_id = await a_place_to_sign_in(ctx, protected)
    await tab.send(ServersState.load)

    async def begin_and_end(*arguments: Any) -> sign_ins.SignIn:
        begun = await begin_sign_in(*arguments)
        await ctx.toolbox.sign_ins.cancel(server_id)
        return begun

    monkeypatch.setattr("app.state.settings.servers.begin_sign_in", begin_and_end)
    await tab.send(ServersState.sign_in, server_id=server_id, opened=True)

    assert (row(tab).signing_in, row(tab).sign_in_url, row(tab).said) == (False, "", "")


def test_command_lines_are_split_at_blanks_but_not_within_quotes() -> None:
    assert parse_command("""npx -y "my server" 'a b'c --x="1 2" """) == ["npx", "-y", "my server", "a bc", "--x=1 2"]
    assert parse_command("  ") == []
    assert parse_command('"open') == ['"open']


def test_secrets_are_lines_of_names_and_values() -> None:
    assert parse_secrets(" A = 1 \n\nB=x=y", "=") == {"A": "1", "B": "x=y"}


def test_own_client_is_read_with_its_secret() -> None:
    settings = read_server_form({"name": " a ", "url": " https://x.y ", "client_id": "inview", "client_secret": "s"})

    assert (settings.name, settings.way) == ("a", OverHttp("https://x.y", client_id="inview"))
    assert list(settings.secrets.values()) == ["s"]


async def test_client_registered_by_hand_is_shown_without_its_secret(
    protected: Protected, ctx: AppContext, tab: Tab
) -> None:
    form = {"name": "calendar", "url": protected.url, "allow_private": "on", "client_id": "inview"}
    async with following(tab):
        assert tab.shows(ServersState, "redirect_uri") == callback_of(HERE)

        await tab.send(ServersState.add, form={**form, "client_secret": SECRET})
        await tab.until(lambda: row(tab).status == "Sign-in needed")

    assert "Client inview (its secret is stored encrypted)" in row(tab).facts
    assert SECRET not in repr(tab.vars)
