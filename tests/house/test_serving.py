"""The real server as a process: what it says when it cannot start, what it lets in, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.serving import INVIEW, ROOT, Served, free_port, server_environment, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "data") as served:
        yield served


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
    assert ended.stdout == ""
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
    (tmp_path / "file").write_text("in the way")  # a folder below a file cannot be made, not even by root

    ended = try_to_serve(tmp_path / "file" / "data", free_port())

    assert_one_sentence(ended, str(tmp_path / "file" / "data"), "INVIEW_DATA_DIR")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; the file in the way above covers root")
def test_a_read_only_data_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)

    assert_one_sentence(try_to_serve(tmp_path / "data", free_port()), "Cannot write in the data folder")


def test_a_database_newer_than_the_code_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with sqlite3.connect(data / "inview.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('from-the-future')")
    database.close()

    ended = try_to_serve(data, free_port())

    assert_one_sentence(ended, "newer Inview", "from-the-future")


def test_a_file_that_is_no_database_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "inview.db").write_text("a letter to my aunt\n" * 100)

    assert_one_sentence(try_to_serve(data, free_port()), "inview.db")


def test_a_database_that_cannot_be_migrated_is_one_clear_sentence(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with sqlite3.connect(data / "inview.db") as database:
        database.execute("CREATE TABLE conversation (of TEXT)")
    database.close()

    assert_one_sentence(try_to_serve(data, free_port()), "inview.db", "conversation already exists")


def test_a_wrong_setting_is_one_clear_sentence(tmp_path: Path) -> None:
    assert_one_sentence(try_to_serve(tmp_path, 1, INVIEW_PORT="many"), "INVIEW_PORT is 'many'")


def test_the_data_folder_is_for_its_owner_alone(server: Served, tmp_path: Path) -> None:
    with serving(tmp_path / "made" / "anew") as other:
        assert other.get("/api/v1/health").status == 200

    assert ((tmp_path / "made" / "anew").stat().st_mode & 0o077) == 0


# --- What is let in, and what goes out


def shows_a_page(server: Served) -> bool:
    with suppress(urllib.error.URLError):
        return server.get("/").status == 200
    return False


def test_page_is_there_before_the_house_stands_and_what_it_asks_is_answered_then(tmp_path: Path) -> None:
    with serving(tmp_path / "data", until=shows_a_page) as served:
        assert not served.is_ready
        assert served.get("/api/v1/health").status == 200
        assert served.is_ready


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


def test_cookies_of_a_connection_do_not_reach_the_log(server: Served) -> None:
    url = (
        server.url.replace("http", "ws")
        + "/_event/?EIO=4&transport=websocket&token=00000000-0000-4000-8000-000000000001"
    )
    event = {"name": "reflex___state____state.no_such_event", "payload": {}, "router_data": {"pathname": "/"}}

    with connect(url, origin=Origin(server.url), additional_headers={"Cookie": "sid=hidden-value"}) as page:
        page.recv(5)
        page.send("40/_event,")
        page.recv(5)
        page.send(f'42/_event,["event",{json.dumps(event)}]')
        wait_until(lambda: "no_such_event" in server.log())  # the fault is logged …

    assert "hidden-value" not in server.log()  # … without what the browser sent along
    assert "•••" in server.log()


def wait_until(true: Callable[[], bool], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not true within {seconds} s"
        time.sleep(0.02)


# --- Ending


def test_who_ends_it_while_it_starts_is_not_told_that_it_is_there(tmp_path: Path) -> None:
    with serving(tmp_path / "data", until=shows_a_page) as served:
        served.stop(signal.SIGTERM, seconds=60)

    assert served.process.returncode == 0
    assert not served.is_ready
    assert "Traceback" not in served.log()


def test_sigterm_closes_open_sockets_and_ends_in_time(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        url = served.url.replace("http", "ws") + "/_event/?EIO=4&transport=websocket"
        with connect(url, origin=Origin(served.url)) as page:
            page.recv(5)

            seconds = served.stop(signal.SIGTERM)

    assert seconds < 2
    assert served.process.returncode == 0
    assert "Traceback" not in served.log()


def test_sigterm_saves_the_reply_that_is_streaming(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as served:
        conversation = post(served, "/api/v1/conversations", {})["id"]
        body = json.dumps({"text": "/slow a long answer"}).encode()
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as program:
            request = (
                f"POST /api/v1/conversations/{conversation}/send HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            program.sendall(request.encode() + body)
            received = b""
            while b"event: text" not in received:
                received += program.recv(65536)

            seconds = served.stop(signal.SIGTERM)

    assert seconds < 2
    assert served.process.returncode == 0
    with serving(tmp_path / "data") as again:
        (pair,) = json.loads(again.get(f"/api/v1/conversations/{conversation}/pairs").body)["items"]
    assert pair["lifecycle"] == "error"
    assert pair["error"]["class"] == "interrupted"
    assert pair["reply_text"]


def post(server: Served, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        server.url + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        answered: dict[str, Any] = json.load(answer)
        return answered
