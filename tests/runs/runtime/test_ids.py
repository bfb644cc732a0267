from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

from app.runs.runtime.ids import new_id


def test_ids_made_later_sort_later_also_within_a_millisecond() -> None:
    made = [new_id() for _ in range(5_000)]

    assert made == sorted(made)
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{26}", one) for one in made)


def test_no_id_is_made_twice_by_several_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [one for many in pool.map(make, [2_000] * 4) for one in many]

    assert len(set(made)) == 8_000


def make(count: int) -> list[str]:
    return [new_id() for _ in range(count)]
