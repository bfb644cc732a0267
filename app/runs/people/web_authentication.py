"""Builds what browsers are asked for passkeys, and checks what they answer (W3C Web Authentication, level 3).

options = build_creation(place, person, challenge, known)
key = read_creation(answer, place, challenge)                     # raises UnprovedError
count = check_assertion(read_assertion(answer), place, challenge, passkey)

Attestation, the maker's word on the device, is not asked for. Nothing is stored here (`passkeys.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import TYPE_CHECKING, Any, Final

import orjson
from cryptography.exceptions import InvalidSignature

from app.domain.errors import InviewError
from app.domain.people.passkeys import Passkey, RelyingParty
from app.domain.people.people import Person

if TYPE_CHECKING:
    from fido2.server import Fido2Server

ALGORITHMS: Final = (-7, -8, -257)
"""ES256, EdDSA, RS256: what authenticators have (RFC 9053, RFC 8812)."""
MAX_ANSWER: Final = 20_000
_TRANSPORTS: Final = frozenset({"ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"})
_CHALLENGE_BYTES: Final = 32
_MALFORMED: Final = (ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error, RecursionError)
"""What the library raises for an answer that is no such thing, or proves nothing."""


class UnprovedError(InviewError):
    """An answer is malformed, or proves nothing of what was asked."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """The public half of a passkey that a browser made."""

    credential_id: str
    public_key: str
    sign_count: int
    transports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a browser answers that has a passkey; unchecked. `person_id` is whose the passkey says it is."""

    credential_id: str
    person_id: str
    data: Mapping[str, Any] = field(repr=False)


def make_challenge() -> str:
    """Return random bytes that an answer has to sign, as base64url."""
    from fido2.utils import websafe_encode  # noqa: PLC0415 - who has no passkeys saves it

    return websafe_encode(token_bytes(_CHALLENGE_BYTES))


def build_creation(place: RelyingParty, person: Person, challenge: str, known: Iterable[Passkey]) -> Mapping[str, Any]:
    """Return the options with which a browser makes a passkey; none on a device that has one of `known`."""
    return {
        "rp": {"id": place.id, "name": "Inview"},
        "user": {"id": _encode(person.id), "name": person.email, "displayName": person.name},
        "challenge": challenge,
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in ALGORITHMS],
        "excludeCredentials": [
            {"type": "public-key", "id": one.credential_id, "transports": list(one.transports)} for one in known
        ],
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": True,
            "userVerification": "required",
        },
        "attestation": "none",
    }


def build_request(place: RelyingParty, challenge: str) -> Mapping[str, Any]:
    """Return the options with which a browser offers the passkeys that it has for this place."""
    return {"rpId": place.id, "challenge": challenge, "allowCredentials": [], "userVerification": "required"}


def read_creation(answer: str, place: RelyingParty, challenge: str) -> NewKey:
    """Check the answer to `build_creation` and return its key.

    Raises:
        UnprovedError: it is malformed, or answers another challenge, place or kind of question, or nobody was verified.
    """
    from fido2 import cbor  # noqa: PLC0415 - see above
    from fido2.utils import websafe_encode  # noqa: PLC0415 - see above

    with _proving():
        data = _load(answer)
        told = _server(place).register_complete(_state(challenge), data)  # pyright: ignore[reportUnknownMemberType] - the library leaves it open
        made = told.credential_data
        if made is None or type(made.public_key).ALGORITHM not in ALGORITHMS:
            raise UnprovedError
        with suppress(InvalidSignature):
            made.public_key.verify(b"", b"")  # raises something else if it is no key: a point beside its curve
        named = data["response"].get("transports", ())
        transports = tuple(sorted({one for one in named if isinstance(one, str)} & _TRANSPORTS))
        key = websafe_encode(cbor.encode(dict(made.public_key)))
        return NewKey(websafe_encode(made.credential_id), key, told.counter, transports)


def read_assertion(answer: str) -> Assertion:
    """Return what the answer to `build_request` says of itself. Nothing of it is checked.

    Raises:
        UnprovedError: it is malformed.
    """
    from fido2.utils import websafe_decode, websafe_encode  # noqa: PLC0415 - see above

    with _proving():
        data = _load(answer)
        person_id = websafe_decode(data["response"]["userHandle"]).decode()
        return Assertion(websafe_encode(websafe_decode(data["rawId"])), person_id, data)


def check_assertion(assertion: Assertion, place: RelyingParty, challenge: str, passkey: Passkey) -> int:
    """See that the holder of a passkey answered this challenge here, verified; return the count of signatures.

    Raises:
        UnprovedError: nothing of that is proved.
    """
    from fido2 import cbor  # noqa: PLC0415 - see above
    from fido2.cose import CoseKey  # noqa: PLC0415 - see above
    from fido2.utils import websafe_decode  # noqa: PLC0415 - see above
    from fido2.webauthn import Aaguid, AttestedCredentialData, AuthenticationResponse  # noqa: PLC0415 - see above

    with _proving():
        if assertion.person_id != passkey.person_id:
            raise UnprovedError
        stored: Any = cbor.decode(websafe_decode(passkey.public_key))  # pyright: ignore[reportUnknownMemberType] - the library leaves it open
        key = AttestedCredentialData.create(Aaguid.NONE, websafe_decode(passkey.credential_id), CoseKey.parse(stored))
        answered = AuthenticationResponse.from_dict(assertion.data)
        _server(place).authenticate_complete(_state(challenge), [key], answered)  # pyright: ignore[reportUnknownMemberType] - the library leaves it open
        return answered.response.authenticator_data.counter


def _server(place: RelyingParty) -> Fido2Server:
    from fido2.server import Fido2Server  # noqa: PLC0415 - see above
    from fido2.webauthn import PublicKeyCredentialRpEntity  # noqa: PLC0415 - see above

    party = PublicKeyCredentialRpEntity(id=place.id, name="Inview")
    return Fido2Server(party, verify_origin=lambda origin: origin == place.origin)


def _state(challenge: str) -> Mapping[str, str]:
    return {"challenge": challenge, "user_verification": "required"}


def _load(answer: str) -> Mapping[str, Any]:
    if len(answer) > MAX_ANSWER:
        raise UnprovedError
    return orjson.loads(answer)


def _encode(text: str) -> str:
    from fido2.utils import websafe_encode  # noqa: PLC0415 - see above

    return websafe_encode(text.encode())


@contextmanager
def _proving() -> Generator[None]:
    try:
        yield
    except _MALFORMED as fault:
        raise UnprovedError from fault
