"""The frame in which diagrams are drawn: one file, which holds all it needs and is sent under a policy of its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from app.web.diagram_frame import FRAME, PACKAGE, DiagramFrameError, frame_of, write_frame
from app.web.files import built_files

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "globalThis.mermaid = {}; // <!-- \\1"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A built page with the frame in it."""
    packages = tmp_path / "node_modules"
    file = packages / "@mermaid-js/tiny/dist/mermaid.tiny.js"
    file.parent.mkdir(parents=True)
    file.write_text(LIBRARY)
    static = tmp_path / "client"
    static.mkdir()
    (static / "index.html").write_text("<html></html>")
    write_frame(static, packages)
    return static


def test_frame_holds_its_scripts_and_names_nothing_to_fetch(build: Path) -> None:
    html = (build / FRAME).read_text()

    assert f"<script>{LIBRARY}</script>" in html
    assert re.findall(r"\b(?:src|href)=", html) == []


def test_policy_admits_the_scripts_of_the_frame_alone_and_gives_it_no_origin(build: Path) -> None:
    headers = {name.decode(): value.decode() for name, value in built_files(build)[f"/{FRAME}"].headers}
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    digest = base64.b64encode(hashlib.sha256(LIBRARY.encode()).digest()).decode()

    assert policy["default-src"] == "'none'"
    assert policy["script-src"].split()[0] == f"'sha256-{digest}'"
    assert all(source.startswith("'sha256-") for source in policy["script-src"].split())
    assert policy["sandbox"] == "allow-scripts"
    assert policy["frame-ancestors"] == "'self'"
    assert headers["x-frame-options"] == "SAMEORIGIN"


def test_other_pages_stay_out_of_frames(build: Path) -> None:
    headers = dict(built_files(build)["/"].headers)

    assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]
    assert b"x-frame-options" not in headers  # the gate says DENY


@pytest.mark.parametrize("library", ["'</SCRIPT>'", "'<script>'"])
def test_library_that_would_end_its_script_is_refused(library: str) -> None:
    with pytest.raises(DiagramFrameError, match="cannot stand inside a page"):
        frame_of(library)


def test_library_that_is_not_installed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DiagramFrameError, match="does not exist"):
        write_frame(tmp_path, tmp_path)


def test_page_asks_for_the_frame_where_it_is_and_the_lock_pins_what_is_in_it() -> None:
    name, _, pinned = PACKAGE.rpartition("@")
    locked = json.loads((ROOT / "reflex.lock/package-lock.json").read_text())["packages"][f"node_modules/{name}"]

    assert f'"/{FRAME}"' in (ROOT / "app/ui/reply/diagram_frame.ts").read_text()
    assert (locked["version"], locked["dev"]) == (pinned, True)
