r"""Puts the texts of each language into the built page: `trash.html` stays English, `trash.de.html` is German.

`app/ui/phrase.py` leaves marks in scripts and pages. Scripts with a mark, and those that import them, are written once
per language, under a name with the language and a hash of its texts: browsers keep them for good. All others are
shared.
`LanguagesPlugin` belongs into `rxconfig.py`, behind the other plugins that change what was built.

>>> script_text('say "hello" `${now}`')
'say \\x22hello\\x22 \\x60\\x24{now}\\x60'
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from pathlib import Path
from typing import Final, Unpack
from urllib.parse import unquote

import reflex as rx
from reflex_base.plugins.base import PostBuildContext

from app.language.catalogue import LANGUAGES, SOURCE, Catalogue, Plural, load_catalogue

_MARK: Final = re.compile(r"@@([a-z0-9_]+(?:\.[a-z0-9_]+)+)(?:\?([A-Za-z0-9%_.!~*()-]*))?@@")
_SCRIPT: Final = re.compile(r"(<script[^>]*>)(.*?)(</script>)", re.DOTALL)
_BETWEEN_FORMS: Final = "\x1f"
_ESCAPED: Final = {ord(sign): f"\\x{ord(sign):02x}" for sign in "\"'`$\x1f"} | {ord("\\"): "\\\\", ord("\n"): "\\n"}
_FALLBACK: Final = "__spa-fallback.html"
"""What Reflex makes 404.html of, after the plugins."""


class LanguagesError(Exception):
    """The built files are not as we know them: Reflex or Vite changed, and so must this module."""


class LanguagesPlugin(rx.plugins.Plugin):
    """Belongs into `rxconfig.py`."""

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        write_languages(context["static_dir"])


def write_languages(static_dir: Path, languages: tuple[str, ...] = LANGUAGES) -> None:
    """Replace all marks in the built files.

    Raises:
        LanguagesError: no file has any mark.
        CatalogueError: a text is missing.
    """
    scripts = {path.name: path.read_text(encoding="utf-8") for path in static_dir.glob("assets/*.js")}
    spoken = find_spoken(scripts)
    if not spoken:
        raise LanguagesError(f"No script in {static_dir} has a mark of a text.")
    pages = {path: path.read_text(encoding="utf-8") for path in static_dir.rglob("*.html")}
    for language in languages:
        catalogue = load_catalogue(language)
        names = {name: f"{name.removesuffix('.js')}.{language}-{_digest(catalogue)}.js" for name in spoken}
        for name, new in names.items():
            text = fill_script(_rename(scripts[name], names), catalogue)
            (static_dir / "assets" / new).write_text(text, encoding="utf-8")
        for path, page in pages.items():
            text = fill_page(_rename(page, names), catalogue)
            _page_path(path, language).write_text(text, encoding="utf-8")
            if path.name == _FALLBACK and language != SOURCE:
                (static_dir / f"404.{language}.html").write_text(text, encoding="utf-8")
    for name in spoken:
        (static_dir / "assets" / name).unlink()


def find_spoken(scripts: dict[str, str]) -> set[str]:
    """Return the names of the scripts with a mark, and of those that name one of these."""
    spoken = {name for name, text in scripts.items() if _MARK.search(text)}
    while more := {name for name, text in scripts.items() if name not in spoken and any(n in text for n in spoken)}:
        spoken |= more
    return spoken


def fill_script(script: str, catalogue: Catalogue) -> str:
    """Put the texts into a script. Its marks stand within string or template literals."""
    return _MARK.sub(lambda mark: script_text(_write(catalogue.text(mark[1]))), script)


def fill_page(page: str, catalogue: Catalogue) -> str:
    """Put the texts into a page of HTML, its inline scripts included."""
    marked = _SCRIPT.sub(lambda found: f"{found[1]}{fill_script(found[2], catalogue)}{found[3]}", page)
    return _MARK.sub(lambda mark: html.escape(_fill_mark(mark, catalogue)), marked)


def script_text(text: str) -> str:
    """Write a text so that it can stand in any literal of JavaScript."""
    return text.translate(_ESCAPED)


def _fill_mark(mark: re.Match[str], catalogue: Catalogue) -> str:
    values: dict[str, object] = json.loads(unquote(mark[2])) if mark[2] else {}
    spoken = {
        name: _MARK.sub(lambda m: _fill_mark(m, catalogue), v) if isinstance(v, str) else v
        for name, v in values.items()
    }
    return catalogue.fill(mark[1], spoken)


def _write(text: str | Plural) -> str:
    return f"{text.one}{_BETWEEN_FORMS}{text.other}" if isinstance(text, Plural) else text


def _rename(text: str, names: dict[str, str]) -> str:
    for name, new in names.items():
        text = text.replace(name, new)
    return text


def _page_path(path: Path, language: str) -> Path:
    return path if language == SOURCE else path.with_suffix(f".{language}.html")


def _digest(catalogue: Catalogue) -> str:
    return hashlib.sha256(repr(sorted(catalogue.texts.items(), key=lambda each: each[0])).encode()).hexdigest()[:8]
