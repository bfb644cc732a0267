r"""Documents: a PDF in the two forms in which it can be sent, as the file and as text by page.

    >>> print(write_pages(("Hello", "", None)))
    [Page 1]
    Hello
    <BLANKLINE>
    [Page 2 has no text]
    <BLANKLINE>
    [Page 3 could not be read]

A person chooses the form by the id that a send names: each form is an upload of its own that knows the other. Reading
the pages is not here (`app/media`), nor which models take files (`ModelProfile.files`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.domain.conversation.attachments import MAX_BYTES, Attachment
from app.domain.conversation.uploads import MAX_TEXT_BYTES, Document, Upload, UploadKind
from app.domain.errors import InputError

PDF: Final = "application/pdf"
MAX_FILE_PAGES: Final = 100
"""Pages of a PDF that goes as the file: models with a window of 200,000 tokens take no more.

Source: https://platform.claude.com/docs/en/build-with-claude/pdf-support.
"""

Pages = Sequence[str | None]
"""The text of each page: "" of one that has none, None of one that could not be read."""


def plan_document(data: bytes, name: str, pages: Pages) -> tuple[Upload, ...]:
    """The forms in which this PDF can be sent: as the file, as text, or both in this order.

    Raises:
        InputError: it can be sent in neither.
    """
    texts = [text for text in pages if text]
    written = Attachment("text/plain", write_pages(pages).encode(), name)
    file = Attachment(PDF, data, name)
    as_file = len(data) <= MAX_BYTES and len(pages) <= MAX_FILE_PAGES
    as_text = bool(texts) and len(written.data) <= MAX_TEXT_BYTES
    if not as_file and not as_text:
        why = "has too much text" if texts else "has no text"
        most = f"as a file it may have {MAX_FILE_PAGES} pages and {MAX_BYTES // 2**20} MiB"
        raise InputError("attachment", f"{name} {why} to go as text, and {most}. Attach the pages that matter.")
    count, textless, characters = len(pages), len(pages) - len(texts), sum(map(len, texts))
    forms: list[Upload] = []
    if as_file:
        other = written.id if as_text else ""
        forms.append(Upload(file, UploadKind.FILE, document=Document(count, textless, characters, other)))
    if as_text:
        other = file.id if as_file else ""
        forms.append(Upload(written, UploadKind.TEXT, document=Document(count, textless, characters, other)))
    return tuple(forms)


def write_pages(pages: Pages) -> str:
    """The text of a document, page by page. A page without text is named, so that nothing is left out in silence."""
    return "\n\n".join(_write_page(number, text) for number, text in enumerate(pages, 1))


def _write_page(number: int, text: str | None) -> str:
    if text is None:
        return f"[Page {number} could not be read]"
    return f"[Page {number}]\n{text}" if text else f"[Page {number} has no text]"
