"""PDFs are read page by page, in a process that a hostile one cannot leave; a sentence says what cannot be read."""

from __future__ import annotations

from io import BytesIO

import pytest
from pypdf import PdfWriter

from app.domain.errors import InputError
from app.media import pdf_worker
from app.media.documents import read_pdf
from tests.pdfs import a_pdf, of_contents, written


async def test_each_page_has_its_text_and_a_picture_of_a_page_has_none() -> None:
    assert await read_pdf(a_pdf("Hello", "", "World"), "plan.pdf") == ("Hello", "", "World")


def locked() -> bytes:
    made, writer = BytesIO(), PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(made)
    return made.getvalue()


def bomb() -> bytes:
    """A page of 100 KB that has 100 MB once it is unpacked."""
    return of_contents([b"BT (" + b"a" * 100_000_000 + b") Tj ET"], packed=True)


def circle() -> bytes:
    """Pages that are their own parents."""
    return written([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (locked(), "is locked by a password or by restrictions"),
        (a_pdf(), "has no pages"),
        (a_pdf("Hello")[:60], "is damaged, or is no PDF"),
        (b"%PDF-1.7\n<script>alert(1)</script>", "is damaged, or is no PDF"),
        (circle(), "is damaged|has no pages|memory"),
    ],
    ids=["locked", "no pages", "cut off", "a page of the web", "a circle"],
)
async def test_what_cannot_be_read_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=f"plan.pdf .*({reason})"):
        await read_pdf(data, "plan.pdf")


async def test_a_page_that_would_fill_the_memory_is_named_and_the_others_are_read() -> None:
    assert await read_pdf(bomb(), "plan.pdf") == (None,)


async def test_a_page_of_ten_thousand_objects_is_read() -> None:
    (text,) = await read_pdf(of_contents([b"BT /F1 9 Tf (a) Tj ET\n" * 10_000]), "plan.pdf")

    assert text is not None
    assert text.count("a") == 10_000


async def test_scripts_and_files_within_are_not_read() -> None:
    script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"

    assert await read_pdf(a_pdf("Hello", more=script), "plan.pdf") == ("Hello",)


def test_more_pages_than_may_be_are_refused() -> None:
    said = pdf_worker.read(a_pdf(*[""] * (pdf_worker.MAX_PAGES + 1)))

    assert said == {"fault": "has 1,001 pages; 1,000 are the most"}
