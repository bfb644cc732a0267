"""Rows of long lists read no state themselves: a change of it would draw all of them again."""

from __future__ import annotations

from typing import Any

import pytest

from app.ui.sidebar.conversation_list import conversation_row, running_dot
from app.ui.transcript.pair import pair_view
from app.ui.transcript.row import pair_row


def states_of(component: Any) -> list[str]:
    """How the compiled component subscribes to states, those that it has inside as components of their own apart."""
    return [hook for hook in map(str, component._definition.component._get_all_hooks()) if "useStateContext" in hook]


@pytest.mark.parametrize("row", [conversation_row, pair_row, pair_view], ids=lambda row: row._definition.python_name)
def test_a_row_reads_no_state(row: Any) -> None:
    assert states_of(row) == []


def test_what_reads_one_is_seen() -> None:
    assert len(states_of(running_dot)) == 1
