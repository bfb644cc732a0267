"""Hashes of passwords: argon2id (RFC 9106, second recommended set of parameters), in a thread, one at a time.

A hash takes 64 MB and about 0.2 s of each of several threads. Two at once wait for each other for ever: OpenSSL gives
their lanes threads of one pool. One at a time also bounds the memory and the cores that a flood of sign-ins takes, and
on Linux everything else goes before it. Who waits, and who goes first: `hash_line.py`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from app.runs.people.hash_line import FIRST, HashLine

MEMORY_KB: Final = 65_536
ITERATIONS: Final = 3
LANES: Final = 4
NICENESS: Final = 10

NOBODY: Final = "$argon2id$v=19$m=65536,t=3,p=4$EFNbKoNWtULbPXhBZDtqDQ$AYfcCyVsc7EQl79o0NMsnwOqRDYppdL25VjhtA0WXwU"
"""A hash to check against where there is no person, so that the answer takes as long."""


def _give_way() -> None:
    """Let all other threads go before this one and those that OpenSSL starts from it."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


_thread: Final = ThreadPoolExecutor(1, thread_name_prefix="password", initializer=_give_way)
_line: Final = HashLine()


async def hash_password(password: str) -> str:
    """Return the hash to store, in PHC format, with a salt of its own."""
    async with _line.turn(FIRST):
        return await asyncio.get_running_loop().run_in_executor(_thread, _hash, password)


async def is_password(password: str, password_hash: str, rank: int = FIRST) -> bool:
    """Tell whether this is the password of the hash. An empty hash has none, which takes as long to say.

    Raises:
        TooBusyError: too many of this rank or a better one wait.
    """
    async with _line.turn(rank):
        right = await asyncio.get_running_loop().run_in_executor(_thread, _verify, password, password_hash or NOBODY)
    return right and password_hash != ""


def _hash(password: str) -> str:
    argon = Argon2id(salt=secrets.token_bytes(16), length=32, iterations=ITERATIONS, lanes=LANES, memory_cost=MEMORY_KB)
    return argon.derive_phc_encoded(password.encode())


def _verify(password: str, password_hash: str) -> bool:
    try:
        Argon2id.verify_phc_encoded(password.encode(), password_hash)
    except InvalidKey:
        return False
    return True
