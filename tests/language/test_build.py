"""The built page in several languages: texts in scripts and pages, names of their own for scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.language.catalogue import Catalogue, CatalogueError, Plural
from app.ui.phrase import phrase
from app.ui.translated_pages import LanguagesError, fill_page, fill_script, write_languages

GERMAN = Catalogue(
    "de",
    {
        "a.quote": 'Sag "ja" `${zu}` \\\n',
        "a.less": "1 < 2",
        "a.name": "{name} ist da",
        "a.count": Plural("{count} Paar", "{count} Paare"),
        "language.group": ".",
    },
)


@pytest.fixture
def static(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    for name, text in {
        "words-AAAA.js": "export const t=`@@trash.title@@`",
        "page-BBBB.js": 'import{t}from"./words-AAAA.js"',
        "lib-CCCC.js": "export const x=1",
    }.items():
        (tmp_path / "assets" / name).write_text(text)
    page = '<html lang="@@language.tag@@"><title>@@trash.tab@@</title><script src="/assets/page-BBBB.js"></script>'
    for name in ("trash.html", "__spa-fallback.html"):
        (tmp_path / name).write_text(page)
    return tmp_path


def test_scripts_that_speak_and_those_that_import_them_are_written_per_language(static: Path) -> None:
    write_languages(static)

    names = sorted(path.name for path in (static / "assets").iterdir())
    assert [name.partition(".")[0] for name in names] == ["lib-CCCC", *["page-BBBB"] * 3, *["words-AAAA"] * 3]
    german = next(path for path in (static / "assets").iterdir() if path.name.startswith("words-AAAA.de-"))
    assert german.read_text() == "export const t=`Papierkorb`"
    importing = next(path for path in (static / "assets").iterdir() if path.name.startswith("page-BBBB.de-"))
    assert importing.read_text() == f'import{{t}}from"./{german.name}"'
    assert f'<html lang="de"><title>Papierkorb · Inview</title><script src="/assets/{importing.name}">' in (
        (static / "trash.de.html").read_text()
    )
    assert 'lang="en"><title>Trash' in (static / "trash.html").read_text()
    assert 'lang="es"' in (static / "404.es.html").read_text()


def test_a_build_without_any_mark_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(LanguagesError, match="has a mark"):
        write_languages(tmp_path)


def test_a_text_can_stand_in_every_kind_of_literal() -> None:
    assert fill_script("`@@a.quote@@`", GERMAN) == r"`Sag \x22ja\x22 \x60\x24{zu}\x60 \\\n`"


def test_pages_have_texts_as_html_with_what_was_to_be_filled_in() -> None:
    page = '<p>@@a.less@@</p><p>@@a.name?%7B%22name%22%3A%22%3Cb%3E%22%7D@@</p><script>"@@a.less@@"</script>'

    assert fill_page(page, GERMAN) == '<p>1 &lt; 2</p><p>&lt;b&gt; ist da</p><script>"1 < 2"</script>'


def test_the_two_forms_of_a_count_go_to_the_browser() -> None:
    assert fill_script('"@@a.count@@"', GERMAN) == r'"{count} Paar\x1f{count} Paare"'


def test_phrases_name_texts_that_exist_with_the_values_they_want() -> None:
    assert str(phrase("trash.restore_name", name="x")) == 'fill("@@trash.restore_name@@", {"name": "x"})'
    with pytest.raises(CatalogueError, match="no text"):
        phrase("trash.nothing")
    with pytest.raises(CatalogueError, match=r"wants the values \['name'\]"):
        phrase("trash.restore_name", nome="x")
