"""Codes that an authenticator app shows (RFC 6238: SHA-1, six digits, 30 seconds) and recovery codes.

>>> secret = b"12345678901234567890"
>>> find_time_step(secret, "287082", at=59, after=0)
1
>>> find_time_step(secret, "287082", at=59, after=1) is None
True
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from hashlib import sha256
from hmac import compare_digest
from typing import Final
from urllib.parse import quote, urlencode

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

SECRET_BYTES: Final = 20
DIGITS: Final = 6
STEP_SECONDS: Final = 30
TOLERATED_STEPS: Final = 1
"""Time steps by which the clock of a phone may be off (RFC 6238, section 5.2)."""
RECOVERY_CODES: Final = 10
_RECOVERY_BYTES: Final = 10


def make_secret() -> bytes:
    """Return a new secret for an authenticator app."""
    return secrets.token_bytes(SECRET_BYTES)


def show_secret(secret: bytes) -> str:
    """Return a secret as a person types it: base32 in groups of four."""
    text = b32encode(secret).decode()
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


def build_uri(secret: bytes, email: str, host: str) -> str:
    """Return what the QR code says to an authenticator app. `host` tells installations apart."""
    issuer = f"Inview ({host})"
    asked = {"secret": b32encode(secret).decode(), "issuer": issuer, "digits": DIGITS, "period": STEP_SECONDS}
    return f"otpauth://totp/{quote(f'{issuer}:{email}')}?{urlencode(asked, quote_via=quote)}"


def find_time_step(secret: bytes, code: str, *, at: float, after: int) -> int | None:
    """Return the time step whose code this is, the one of `at` (Unix seconds) or a neighbour; None: there is none.

    Codes of steps up to `after` were used.
    """
    typed = "".join(code.split())
    if len(typed) != DIGITS or not (typed.isascii() and typed.isdecimal()):
        return None
    totp, current = TOTP(secret, DIGITS, SHA1(), STEP_SECONDS), int(at) // STEP_SECONDS  # noqa: S303 - RFC 6238
    for step in range(current - TOLERATED_STEPS, current + TOLERATED_STEPS + 1):
        if step > after and compare_digest(totp.generate(step * STEP_SECONDS), typed.encode()):
            return step
    return None


def make_recovery_codes() -> tuple[str, ...]:
    """Return new codes of 80 random bits, as they are shown: `abcd-efgh-ijkl-mnop`."""
    texts = [b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    return tuple("-".join(text[at : at + 4] for at in range(0, len(text), 4)) for text in texts)


def hash_recovery_code(code: str) -> str:
    """Return what is stored of a recovery code, however it was typed. Its 80 random bits need no salt."""
    typed = "".join(one for one in code.lower() if one.isalnum())
    return sha256(f"recovery {typed}".encode()).hexdigest()
