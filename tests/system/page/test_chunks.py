from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.cli.build import ensure_built
from app.ui.build.chunks import ChunksError, compile_at_once, with_shared

MOST = 6  # files that a browser loads at the same time from one server


def test_what_pages_share_replaces_reflexs_own_group() -> None:
    config = 'codeSplitting: {\n groups: [\n {\n test: /env.json/,\n name: "reflex-env",\n },\n ],\n },'
    assert with_shared(config) == (
        'codeSplitting: {\n groups: [{ name: "shared", tags: ["$initial"], minShareCount: 2 }],\n },'
    )


def test_configuration_of_another_kind_is_an_error_and_no_page_of_thirty_files() -> None:
    with pytest.raises(ChunksError, match=r"env\.json"):
        with_shared("codeSplitting: { groups: [] }")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c/_.html", "index.html"])
def test_page_needs_few_scripts_before_it_works(name: str) -> None:
    scripts = re.findall(r'rel="modulepreload" href="([^"]+)"', (ensure_built(print) / name).read_text())

    assert 0 < len(scripts) <= MOST


def test_what_opening_a_conversation_runs_is_marked_and_nothing_else(tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("entry.client-1.js", "_c_.__conversation_._index-2.js", "shared-3.js"):
        (assets / name).write_text("let é = 1")

    compile_at_once(tmp_path)

    marked = {path.name for path in assets.iterdir() if path.read_text() == "//# allFunctionsCalledOnLoad\nlet é = 1"}
    assert marked == {"entry.client-1.js", "_c_.__conversation_._index-2.js"}


def test_scripts_of_other_names_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ChunksError, match=r"0 files entry\.client"):
        compile_at_once(tmp_path)


@pytest.mark.slow
def test_built_page_says_what_is_compiled_at_once() -> None:
    marked = [
        path.name
        for path in (ensure_built(print) / "assets").glob("*.js")
        if path.read_text().startswith("//# allFunctionsCalledOnLoad")
    ]
    assert sorted(name.partition("-")[0] for name in marked) == ["_c_.__conversation_._index", "entry.client"]
