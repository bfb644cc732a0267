"""Some tests of the store once more, on a real server of PostgreSQL. `make test-postgres` runs all of them there."""

from __future__ import annotations

import subprocess

import pytest

from tests.databases import SERVER
from tests.postgres import find_programs, run_tests, serving

SOME = (
    "tests/store/database/test_postgresql.py",
    "tests/store/audit",
    "tests/store/index/test_search.py",
    "tests/store/ledger/test_ledger.py",
    "tests/store/run",
    "tests/house/test_moving.py",
    "tests/runs/test_temporary.py",
)


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.timeout(600)
def test_the_store_does_the_same_on_postgresql() -> None:
    if (programs := find_programs()) is None:
        pytest.skip("no server of PostgreSQL is installed (apt-get install postgresql)")
    assert SERVER is None

    with serving(programs) as url:
        ran = run_tests(url, ("-q", *SOME), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    assert ran.returncode == 0, ran.stdout[-4000:]
    assert " passed" in ran.stdout
