"""The two forms of a PDF: the file, and text in which every page is named."""

from __future__ import annotations

import pytest

from app.domain.conversation.documents import MAX_FILE_PAGES, PDF, plan_document
from app.domain.conversation.parts import File, TextFile
from app.domain.conversation.uploads import Document, Pdf, UploadKind, read_upload
from app.domain.errors import InputError

BYTES = b"%PDF-1.7 any"


def test_a_pdf_is_known_by_how_it_begins_whatever_its_name() -> None:
    assert read_upload(BYTES, "notes.txt") == Pdf("notes.txt")
    assert not isinstance(read_upload(b"<script></script> %PDF-1.7", "plan.pdf"), Pdf)


def test_each_form_knows_the_other() -> None:
    file, text = plan_document(BYTES, "plan.pdf", ("Hello", "", None))

    assert file.part == File(file.attachment.id, PDF, "plan.pdf", 3, 5, len(BYTES))
    assert text.part == TextFile("plan.pdf", "[Page 1]\nHello\n\n[Page 2 has no text]\n\n[Page 3 could not be read]")
    assert file.document == Document(3, 2, 5, text.attachment.id)
    assert text.document == Document(3, 2, 5, file.attachment.id)


def test_what_has_no_text_goes_as_the_file_alone_and_what_has_many_pages_as_text_alone() -> None:
    (scan,) = plan_document(BYTES, "scan.pdf", ("", ""))
    (book,) = plan_document(BYTES, "book.pdf", ("Word",) * (MAX_FILE_PAGES + 1))

    assert (scan.kind, book.kind) == (UploadKind.FILE, UploadKind.TEXT)
    assert [one.document and one.document.other_id for one in (scan, book)] == ["", ""]


@pytest.mark.parametrize("page", ["", "x" * 20_000])
def test_what_can_go_in_neither_form_is_refused(page: str) -> None:
    with pytest.raises(InputError, match=r"book.pdf has .* text to go as text, and as a file it may have 100 pages"):
        plan_document(BYTES, "book.pdf", (page,) * (MAX_FILE_PAGES + 1))
