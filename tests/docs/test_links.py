"""Links in the documentation: each leads to a file of this project."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def targets_of(text: str) -> list[str]:
    """Return what relative links lead to, without fragments. Links in code are examples."""
    links = [link.partition("#")[0] for link in LINK.findall(CODE.sub("", text))]
    return [link for link in links if link and not link.startswith(("http://", "https://", "mailto:"))]


def test_every_relative_link_leads_to_a_file() -> None:
    broken = [
        (page.relative_to(ROOT).as_posix(), link)
        for page in PAGES
        for link in targets_of(page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]

    assert broken == []


def test_links_in_code_and_to_other_sites_are_left_alone() -> None:
    text = "[a](docs/a.md#part) `[b](b.md)` [c](https://c.example) [d](#here)\n```\n[e](e.md)\n```\n[f](../f.md)"

    assert targets_of(text) == ["docs/a.md", "../f.md"]


def test_the_readme_links_to_the_guides() -> None:
    links = targets_of((ROOT / "README.md").read_text(encoding="utf-8"))

    assert {"CONTRIBUTING.md", "CHANGELOG.md", "docs/README.md", "docs/api.md"} <= set(links)


def test_the_table_of_contents_has_every_page() -> None:
    links = targets_of((DOCS / "README.md").read_text(encoding="utf-8"))

    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert set(links) == {*pages, "decisions/README.md"}


def questions() -> list[str]:
    lines = (DOCS / "finding.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if re.match(r"\| \d+ \|", line)]


def test_every_question_of_finding_has_a_link_into_the_app() -> None:
    links = [targets_of(question) for question in questions()]

    assert links
    assert [place for place in links if not place or not all(link.startswith("../app/") for link in place)] == []


def test_finding_has_a_question_about_every_package() -> None:
    packages = {path.parent.name for path in (ROOT / "app").glob("*/__init__.py")}

    asked = {link.split("/")[2] for question in questions() for link in targets_of(question)}

    assert packages - asked == set()
