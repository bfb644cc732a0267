"""Structured replies as the page shows them."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.structured.structured_replies import SchemaFault
from app.views.structured.shown_reply import Fit, ReadReply, ReadReplyView, show_read_reply

FAULT = SchemaFault(("items", 1), "2 is not of type 'string'")


def shown(**fields: Any) -> ReadReplyView:
    known: dict[str, Any] = {"running": False, "found": True, "value": {"ä": [1]}, "faults": (), "repair": None}
    return show_read_reply(ReadReply(schema='{"type":"object"}', **{**known, **fields}))


@pytest.mark.parametrize(
    ("fields", "fit", "state"),
    [
        ({}, Fit.FITS, "Matches the schema"),
        ({"faults": (FAULT,)}, Fit.FAULTY, "Does not match: 1 error"),
        ({"faults": (FAULT, FAULT)}, Fit.FAULTY, "Does not match: 2 errors"),
        ({"running": True}, Fit.OPEN, "Receiving…"),
        ({"running": True, "faults": (FAULT,)}, Fit.OPEN, "Receiving: 1 error so far"),
    ],
)
def test_reply_says_whether_it_fits(fields: dict[str, Any], fit: Fit, state: str) -> None:
    view = shown(**fields)

    assert (view.fit, view.state) == (fit, state)


def test_value_is_drawn_and_its_faults_are_named() -> None:
    view = shown(faults=(FAULT,), repair="Mend it")

    assert view.value == '<dl><div><dt>ä</dt><dd><ol><li><span class="json-scalar">1'
    assert [(one.place, one.message) for one in view.faults] == [("$.items[1]", "2 is not of type 'string'")]
    assert view.repair == "Mend it"


def test_reply_without_json_is_text_once_it_is_over() -> None:
    nothing: dict[str, Any] = {"found": False, "value": None, "faults": (FAULT,)}

    assert (shown(**nothing).value, shown(**nothing).is_text) == ("", True)
    assert not shown(**nothing, running=True).is_text
