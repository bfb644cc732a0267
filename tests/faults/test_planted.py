"""The planted faults fit the current code. `make test-faults` plants them and runs tests; this test does not."""

from __future__ import annotations

import pytest

from tests.faults.planted import ROOT, Fault, read_faults

FAULTS = read_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_fits_the_code_and_names_tests_that_exist(fault: Fault) -> None:
    fault.apply(ROOT, "--check")

    assert fault.tests
    for each in fault.tests:
        assert (ROOT / each.partition("::")[0]).exists(), each


def test_there_are_twenty_at_least() -> None:
    assert len(FAULTS) >= 20
