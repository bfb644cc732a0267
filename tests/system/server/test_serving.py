"""The real server as a process: its messages if it cannot start, the requests that it accepts, and its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from app.cli import preflight
from app.config.settings import load_settings
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.runs.wiring import open_app_context
from tests.runs.steps import pairs_of, settings_of
from tests.serving import INVIEW, LISTENS, ROOT, Served, server_environment, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the server must create together with its parent."""
    return tmp_path_factory.mktemp("served") / "made" / "anew"


@dataclass(frozen=True)
class Start:
    """A server that has just served its first page. `was_ready`: it was ready before."""

    served: Served
    was_ready: bool


@pytest.fixture(scope="module")
def start(data: Path) -> Generator[Start]:
    with serving(data, until=shows_a_page) as served:
        yield Start(served, was_ready=served.is_ready)


@pytest.fixture(scope="module")
def server(start: Start) -> Served:
    served = start.served
    served.get("/api/v1/health")  # answered when the application is ready
    return served


def try_to_serve(data_dir: Path, port: int, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [INVIEW, "serve"],
        cwd=ROOT,
        env=server_environment(data_dir, port, settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def assert_one_sentence(ended: subprocess.CompletedProcess[str], *words: str) -> None:
    assert ended.returncode == 1
    assert LISTENS.sub("", ended.stdout).strip() == ""
    assert ended.stderr.startswith("inview: ")
    assert ended.stderr.count("\n") == 1
    for word in words:
        assert word in ended.stderr


# --- Starting


def test_a_taken_port_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        ended = try_to_serve(tmp_path / "data", port)

    assert_one_sentence(ended, f"127.0.0.1:{port}", "already in use", "INVIEW_PORT")


def test_an_unwritable_data_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")  # a folder below a file cannot be created, not even by root

    ended = try_to_serve(tmp_path / "file" / "data", 0)

    assert_one_sentence(ended, str(tmp_path / "file" / "data"), "INVIEW_DATA_DIR")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; the file in the way above covers root")
def test_a_read_only_data_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)

    assert_one_sentence(try_to_serve(tmp_path / "data", 0), "Cannot write in the data folder")


def test_a_database_newer_than_the_code_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with sqlite3.connect(data / "inview.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('from-the-future')")
    database.close()

    ended = try_to_serve(data, 0)

    assert_one_sentence(ended, "newer Inview", "from-the-future")


def test_a_file_that_is_no_database_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "inview.db").write_text("a letter to my aunt\n" * 100)

    assert_one_sentence(try_to_serve(data, 0), "inview.db")


def test_a_database_that_cannot_be_migrated_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with sqlite3.connect(data / "inview.db") as database:
        database.execute("CREATE TABLE conversation (of TEXT)")
    database.close()

    assert_one_sentence(try_to_serve(data, 0), "inview.db", "conversation already exists")


def test_a_wrong_setting_is_one_clear_sentence(tmp_path: Path) -> None:
    assert_one_sentence(try_to_serve(tmp_path, 1, INVIEW_PORT="many"), "INVIEW_PORT is 'many'")


def test_the_data_folder_is_for_its_owner_alone(server: Served, data: Path) -> None:
    assert server.get("/api/v1/health").status == 200
    assert (data.stat().st_mode & 0o077) == 0


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}


def test_files_are_for_their_owner_alone_also_those_of_before(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    for name in ("inview.db", "inview.key", "inview-models.json", "inview.db-owner"):
        (data / name).touch(mode=0o644)
    (data / "notes.txt").touch(mode=0o644)  # not one of our files

    with serving(data) as served:
        server = post(served, "/api/v1/mcp-servers", {"name": "a", "kind": "http", "url": "http://127.0.0.1:9/mcp"})
        assert server["id"]
        post(served, "/api/v1/conversations", {"title": "x"})
        found = modes(data)

    assert {"inview.db", "inview.db-wal", "inview.db-shm", "inview.key", "inview-models.json"} <= set(found)
    assert found.pop("notes.txt") == 0o644
    assert found.pop("data") == 0o700
    assert set(found.values()) == {0o600}, found
    assert "Others on this machine" not in served.log()


def test_a_mode_that_cannot_be_changed_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inview.db").touch(mode=0o644)
    told: list[str] = []

    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    preflight.keep_to_owner(load_settings({"INVIEW_DATA_DIR": str(tmp_path)}), told.append)

    (said,) = [one for one in told if "inview.db:" in one]
    assert "could not be changed (operation not permitted)" in said
    assert said.endswith(f"Run: chmod 600 {tmp_path}/inview.db")


def test_listening_for_other_machines_is_warned_of(server: Served, tmp_path: Path) -> None:
    warning = "\nWarning: Inview listens on 0.0.0.0"
    open_to_others = {"INVIEW_HOST": "0.0.0.0"}
    with serving(tmp_path / "data", open_to_others, until=lambda served: warning in served.log()) as served:
        said = served.log()

    assert "no accounts yet" in said
    assert "Warning" not in server.log()


# --- Requests and answers


def shows_a_page(server: Served) -> bool:
    with suppress(urllib.error.URLError):
        return server.get("/").status == 200
    return False


def test_page_is_served_before_the_application_is_ready_and_its_requests_are_answered_then(start: Start) -> None:
    assert not start.was_ready
    assert start.served.get("/api/v1/health").status == 200
    assert start.served.is_ready


def test_page_api_and_unknown_addresses_answer_on_one_port(server: Served) -> None:
    assert server.get("/").status == 200
    assert json.loads(server.get("/api/v1/health").body)["status"] == "ok"
    assert json.loads(server.get("/api/v1/ready").body)["status"] == "ready"
    assert server.get("/nowhere").status == 404


@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/_event/", "/assets/none.js"])
def test_a_foreign_host_or_origin_gets_nothing(server: Served, path: str) -> None:
    assert server.get(path, Host="rebound.example").status == 403
    assert server.get(path, Origin="http://evil.example").status == 403


def test_a_foreign_page_cannot_open_the_socket(server: Served) -> None:
    url = server.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket"

    with pytest.raises(InvalidStatus) as refused, connect(url, origin=Origin("http://evil.example")):
        pass

    assert refused.value.response.status_code == 403


def test_the_page_may_open_its_socket(server: Served) -> None:
    url = server.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket"

    with connect(url, origin=Origin(server.url)) as page:
        assert str(page.recv(5)).startswith("0{")


@pytest.mark.parametrize("path", ["/_upload", "/_upload/file.txt", "/ping", "/_health", "/_all_routes"])
def test_nothing_else_of_reflex_is_exposed(server: Served, path: str) -> None:
    assert server.get(path).status == 404


def test_the_page_runs_under_a_policy_without_eval_or_inline_scripts(server: Served) -> None:
    answer = server.get("/")
    policy = {name.lower(): value for name, value in answer.headers.items()}["content-security-policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))

    assert "unsafe" not in scripts
    assert "'sha256-" in scripts
    assert "frame-ancestors 'none'" in policy


def test_answers_do_not_name_the_server_and_carry_the_common_headers(server: Served) -> None:
    for path in ("/", "/api/v1/health", "/nowhere"):
        headers = {name.lower(): value for name, value in server.get(path).headers.items()}

        assert "server" not in headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"]


ROOT_STATE = "reflex___state____state"
TELL = f"{ROOT_STATE}.app___state___shell___notice____notice_state.tell"


def event(name: Any = TELL, **fields: Any) -> str:
    sent = {"name": name, "payload": {"message": "x"}, "router_data": {"pathname": "/"}, **fields}
    return f'42/_event,["event",{json.dumps(sent)}]'


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (event(f"{ROOT_STATE}.no_such_event"), "no handler has this name"),
        (event("two\nlines " + "x" * 5_000), "no handler has this name"),
        (event({"not": "a name"}), "it has no name"),
        (event(payload=["hidden-value"]), "its payload or its router data is not an object"),
        (event(router_data="hidden-value"), "its payload or its router data is not an object"),
        (event(payload={"message": "x", "more": "hidden-value"}), "an argument that the handler does not take"),
        (event(payload={}), "it has no argument 'message'"),
        (event(payload={"message": {"hidden-value": "x" * 900_000}}), "its argument 'message' is a dict"),
        ('42/_event,["event","hidden-value"]', "it is a str and not an object"),
        ('42/_event,["event",null]', "it is a NoneType"),
        ('42/_event,["event"]', "it is a NoneType"),
        ('42/_event,["event",{},{"hidden-value":1}]', "an unknown message"),
        ('42/_event,["no_such_message",{"hidden-value":1}]', "an unknown message"),
        ('42/_event,["disconnect","hidden-value",1]', "an unknown message"),
        ('42/_event,[{"hidden-value":1}]', "a packet: it is not an event"),
        (event(f"{ROOT_STATE}.setvar", payload={"var_name": "x", "value": "hidden-value"}), "no page sends"),
    ],
    ids=range(16),
)
def test_invalid_event_is_one_line_in_the_log_without_its_content(server: Served, frame: str, words: str) -> None:
    url = (
        server.url.replace("http", "ws")
        + "/_event/?EIO=4&transport=websocket&token=00000000-0000-4000-8000-000000000001"
    )
    before = len(server.log())

    with connect(url, origin=Origin(server.url), additional_headers={"Cookie": "sid=hidden-cookie"}) as page:
        page.recv(5)
        page.send("40/_event,")
        page.recv(5)
        page.send(frame)
        wait_until(lambda: words in server.log()[before:])
        page.send(event())  # valid events are still answered
        while "message" not in str(page.recv(5)):
            pass

    said = server.log()[before:]
    assert said.count("\n") == 1, said
    assert len(said) < 600
    assert "hidden" not in said
    assert "•••" not in said  # nothing had to be masked


def test_what_a_script_of_the_page_says_of_its_fault_is_one_line(server: Served) -> None:
    name = f"{ROOT_STATE}.reflex___state____frontend_event_exception_state.handle_frontend_exception"
    url = server.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket&token=fault"
    before = len(server.log())

    with connect(url, origin=Origin(server.url)) as page:
        page.recv(5)
        page.send("40/_event,")
        page.recv(5)
        page.send(event(name, payload={"info": "TypeError: x\n  at y" * 10_000, "component_stack": "x"}))
        wait_until(lambda: "A script of the page failed" in server.log()[before:])

    said = server.log()[before:]
    assert said.count("\n") == 1
    assert len(said) < 3_000


def wait_until(true: Callable[[], bool], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not true within {seconds} s"
        time.sleep(0.02)


# --- Ending


def test_server_that_is_stopped_while_it_starts_does_not_report_ready(tmp_path: Path) -> None:
    with serving(tmp_path / "data", until=shows_a_page) as served:
        served.stop(signal.SIGTERM, seconds=60)

    assert served.process.returncode == 0
    assert not served.is_ready
    assert "Traceback" not in served.log()


def test_sigterm_closes_open_sockets_and_saves_the_reply_that_is_streaming(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        url = served.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket"
        conversation = post(served, "/api/v1/conversations", {})["id"]
        body = json.dumps({"text": "/slow a long answer"}).encode()
        with (
            connect(url, origin=Origin(served.url)) as page,
            socket.create_connection(("127.0.0.1", served.port), timeout=10) as program,
        ):
            page.recv(5)
            request = (
                f"POST /api/v1/conversations/{conversation}/send HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            program.sendall(request.encode() + body)
            received = b""
            while b"event: text" not in received:
                received += program.recv(65536)

            served.stop(signal.SIGTERM)

    assert served.process.returncode == 0
    assert "Traceback" not in served.log()
    (pair,) = asyncio.run(read_pairs(tmp_path / "data", conversation))
    assert pair.lifecycle is Lifecycle.ERROR
    assert pair.failure is not None
    assert pair.failure.error_class is ErrorClass.INTERRUPTED
    assert pair.reply is not None
    assert plain_text(pair.reply.parts)


async def read_pairs(data: Path, conversation_id: str) -> tuple[Pair, ...]:
    """Return the pairs that the next start finds."""
    async with open_app_context(settings_of(data)) as ctx:
        return await pairs_of(ctx, conversation_id)


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_import_that_the_end_cuts_off_is_in_the_trash_with_a_note(tmp_path: Path, how: signal.Signals) -> None:
    pair = {"user_text": "Hi", "reply_text": "Hello", "model": "offline:demo"}
    body: dict[str, Any] = {"title": "Plans", "pairs": [pair] * 30_000}

    def send(server: Served) -> None:
        with suppress(urllib.error.URLError, OSError, TimeoutError):
            post(server, "/api/v1/import", body)

    def trash(server: Served) -> list[tuple[str, int]]:
        items = json.loads(server.get("/api/v1/trash").body)["items"]
        return [(item["title"], item["count"]) for item in items]

    with serving(tmp_path / "data") as served:
        sending = threading.Thread(target=send, args=(served,))
        sending.start()
        wait_until(lambda: any(count > 0 for _, count in trash(served)), 60)
        served.stop(how)
        sending.join(60)
    with serving(tmp_path / "data") as again:
        ((title, count),) = trash(again)
        listed = json.loads(again.get("/api/v1/conversations").body)["items"]

    assert served.process.returncode == (0 if how is signal.SIGTERM else -how)
    assert (title, listed) == ("Unfinished import: Plans", [])
    assert 0 < count < 30_000
    assert count % 50 == 0


def test_a_file_that_is_being_read_does_not_keep_the_server_from_ending(tmp_path: Path) -> None:
    pair = {"user_text": "Hi", "reply_text": "Hello", "model": "offline:demo"}
    body: dict[str, Any] = {"title": "Plans", "pairs": [pair] * 150_000}

    with serving(tmp_path / "data") as served:
        client = HTTPConnection("127.0.0.1", served.port, timeout=60)
        client.request("POST", "/api/v1/import", json.dumps(body), {"Content-Type": "application/json"})
        served.stop(signal.SIGTERM)  # everything was sent; reading it takes several seconds
        try:
            status = client.getresponse().status
        except OSError:
            status = 0
        client.close()

    assert served.process.returncode == 0
    assert status in {409, 0}


def test_a_running_thread_does_not_keep_the_process_from_ending() -> None:
    program = """
import asyncio, time
from app.cli.server import leave_soon
async def work(): asyncio.get_running_loop().run_in_executor(None, time.sleep, 120); await asyncio.sleep(0.1)
with asyncio.Runner() as runner:
    runner.run(work())
    leave_soon()
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False)

    assert ended.returncode == 0


def post(server: Served, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        server.url + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        answered: dict[str, Any] = json.load(answer)
        return answered
