"""The CSV table of a usage report.

>>> print("".join(write_table("model", [("=1+1", None, Spent(calls=2))])).splitlines()[1][:12])
'=1+1,,2,0,0
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import fields
from io import StringIO

from app.domain.costs.spending import Spent
from app.views.usage.usage import SpentView, spent_fields

AT_ONCE = 32_768
"""Minimum number of characters of a chunk of a table, except the last chunk."""


def write_table(first: str, rows: Iterable[tuple[str, str | None, Spent]]) -> Iterator[str]:
    """Yield the rows as CSV (RFC 4180) with a header, in chunks, so that no table is in memory as a whole.

    `first` is the name of the first column. A text that a spreadsheet would treat as a formula gets an apostrophe.
    """
    written = StringIO()
    table = csv.writer(written)
    table.writerow([first, "title", *(field.name for field in fields(SpentView))])
    for name, title, spent in rows:
        table.writerow([_plain(name), _plain(title or ""), *spent_fields(spent).values()])
        if written.tell() >= AT_ONCE:
            yield written.getvalue()
            written.seek(0)
            written.truncate()
    yield written.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
