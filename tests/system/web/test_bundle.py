"""The built page and its backend: one build serves any host and port. Pins what we rely on inside Reflex 0.10.1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.cli.build import ensure_built
from app.web.bundle import PLACEHOLDER_HOST, BundleError, free_from_address, same_origin


@pytest.fixture(scope="module")
def page() -> Path:
    """The real page, as built."""
    return ensure_built(print)


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_an_address_becomes_the_pages_own_origin(quote: str) -> None:
    script = (
        f"e={{EVENT:{quote}ws://{PLACEHOLDER_HOST}/_event{quote},PING:{quote}http://{PLACEHOLDER_HOST}/ping{quote}}}"
    )

    assert same_origin(script) == (
        'e={EVENT:location.origin.replace("http","ws")+"/_event",PING:location.origin+"/ping"}'
    )


def test_a_build_without_an_address_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text("nothing here")

    with pytest.raises(BundleError, match="This version of Reflex stores it elsewhere"):
        free_from_address(tmp_path)


def test_a_build_with_an_address_of_another_shape_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(f'a="ws://{PLACEHOLDER_HOST}/_event";b="wss://x@{PLACEHOLDER_HOST}"')

    with pytest.raises(BundleError, match="in a form that same_origin"):
        free_from_address(tmp_path)


@pytest.mark.slow
def test_the_real_page_names_no_host_and_no_port(page: Path) -> None:
    scripts = "\n".join(path.read_text() for path in page.rglob("*.js"))

    assert 'location.origin.replace("http","ws")+"/_event"' in scripts
    assert PLACEHOLDER_HOST not in scripts
    assert not re.search(r"(?:ws|http)s?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d", scripts)


@pytest.mark.slow
def test_every_script_and_style_of_the_real_page_is_compressed_ahead(page: Path) -> None:
    plain = [path for path in page.rglob("*") if path.suffix in {".js", ".css"} and path.stat().st_size > 1000]

    assert plain
    for path in plain:
        assert Path(f"{path}.br").stat().st_size < path.stat().st_size, path
        assert Path(f"{path}.gz").stat().st_size < path.stat().st_size, path


@pytest.mark.slow
def test_an_unchanged_page_is_not_built_again(page: Path) -> None:
    said: list[str] = []

    assert ensure_built(said.append) == page
    assert said == []
