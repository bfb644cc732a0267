from __future__ import annotations

import gc

from app.runs.process.collector import THRESHOLDS
from app.runs.workbench import Workbench


def test_an_open_workbench_has_what_was_imported_out_of_the_collectors_sight(wb: Workbench) -> None:
    assert gc.get_threshold() == THRESHOLDS
    assert gc.get_freeze_count() > 10_000
