"""The advice of `inview doctor` leads to the page's own addresses, and each kind of damage has its advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.examining import advise, report_damage
from app.domain.conversation.damage import Damage
from app.state.tab.address import conversation_path, pair_path
from app.store.diagnosis.diagnosis import MALFORMED, Finding
from app.store.diagnosis.places import NOWHERE, DamagePlace
from app.ui import routes

C1 = DamagePlace("c1", "Plans")
PAIR_2 = DamagePlace("c1", "Plans", 2)
TRASHED = DamagePlace("c1", "Plans", 2, in_trash=True)
IN_TRASH = f"It is in the trash. Delete it there permanently, or restore it: {routes.TRASH}"


@pytest.mark.parametrize(
    ("table", "column", "place", "advice"),
    [
        ("message", "parts", PAIR_2, f"Delete the pair, or export it raw: {pair_path('c1', '2')}"),
        ("run", "usage", PAIR_2, f"Delete the pair, or export it raw: {pair_path('c1', '2')}"),
        (
            "message",
            "parts",
            TRASHED,
            f"It is in the trash. Delete it there permanently, or restore it: {routes.TRASH}",
        ),
        (
            "conversation",
            "summary",
            C1,
            f"Set the checkpoint again, or press Reset at the top of the conversation: {conversation_path('c1')}",
        ),
        ("conversation", "title", C1, f"Rename it: {conversation_path('c1')}"),
        ("conversation", "created_at", C1, "No send depends on it. You need not do anything."),
        (
            "attachment",
            "data",
            PAIR_2,
            f"Attach the file again in a new message, or delete the pair that has it: {pair_path('c1', '2')}",
        ),
        (
            "attachment",
            "data",
            C1,
            f"Attach the file again in a new message, or delete the pair that has it: {conversation_path('c1')}",
        ),
        ("attachment", "data", NOWHERE, "Attach the file again."),
        ("node", "data", C1, "The entry counts nothing and is shown as unreadable. You need not do anything."),
        ("search_text", "words", C1, "`inview doctor --mend` builds it again."),
        ("preference", "value", NOWHERE, "Stop Inview and run `inview doctor --mend`."),
        (
            "applied_filter",
            "filter",
            NOWHERE,
            "Delete it in the list of saved filters, or stop Inview and run `inview doctor --mend`.",
        ),
        ("budget", "amount", NOWHERE, "Stop Inview and run `inview doctor --mend`."),
        ("queued", "text", C1, f"Remove it in the conversation: {conversation_path('c1')}"),
        ("mcp_server", "way", NOWHERE, f"The server is off. Delete it and add it again: {routes.SETTINGS}#tools"),
        ("message", "pair_id", NOWHERE, "If you need it, restore a backup of the database that has it."),
        ("message", "*", NOWHERE, "Restore a backup of the database."),
    ],
)
def test_each_kind_of_damage_has_its_advice(table: str, column: str, place: DamagePlace, advice: str) -> None:
    assert advise(Finding(Damage(table, "x", column, MALFORMED, 1), place)) == advice


def test_nothing_is_damaged_where_there_is_no_database(tmp_path: Path) -> None:
    said: list[str] = []

    assert report_damage(f"sqlite+aiosqlite:///{tmp_path / 'inview.db'}", said.append) == 0

    assert said == []
    assert list(tmp_path.iterdir()) == []
