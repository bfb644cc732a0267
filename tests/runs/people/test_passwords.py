"""Hashing passwords while others do the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

AT_ONCE = """
import asyncio
from app.runs.people.passwords import NOBODY, is_password

async def main():
    print(await asyncio.gather(*(is_password("wrong", NOBODY) for _ in range(6))))

asyncio.run(main())
"""


@pytest.mark.timeout(180)
def test_many_passwords_are_checked_at_once() -> None:
    """In a process of its own: threads that wait for each other would never end."""
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, timeout=120, check=True)

    assert done.stdout == f"{[False] * 6}\n"
