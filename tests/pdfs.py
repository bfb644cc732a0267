"""PDFs written by hand, so that a test says what is in one, byte by byte.

a_pdf("Hello", "")            # two pages; the second has no text
"""

from __future__ import annotations

import zlib


def a_pdf(*pages: str, more: str = "", trailing: bytes = b"") -> bytes:
    """A PDF with these texts, one a page. `more` goes into its catalogue, `trailing` behind its end."""
    contents = [f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b"" for text in pages]
    return of_contents(contents, more=more) + trailing


def of_contents(contents: list[bytes], *, more: str = "", packed: bool = False) -> bytes:
    """A PDF with these streams as the content of its pages."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(contents)))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {more} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, content in enumerate(contents):
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"{page} /Contents {5 + 2 * at} 0 R >>".encode())
        data = zlib.compress(content, 9) if packed else content
        kind = "/Filter /FlateDecode" if packed else ""
        objects.append(f"<< /Length {len(data)} {kind} >>\nstream\n".encode() + data + b"\nendstream")
    return written(objects)


def written(objects: list[bytes], *, trailer: str = "") -> bytes:
    """These objects, the first of them the catalogue, as a file."""
    made, places = bytearray(b"%PDF-1.7\n"), list[int]()
    for number, one in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    start = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    made += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    made += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(made)
