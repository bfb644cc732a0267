"""An authenticator in software, which answers what a page asks as a browser would. It can be told to lie."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


def options_in(page: str) -> dict[str, Any]:
    """What a page asks the browser."""
    found = re.search(r'data-passkey="([^"]+)"', page)
    assert found is not None, page
    return json.loads(html.unescape(found[1]))


@dataclass
class Authenticator:
    """A device that holds one key. `flags` are what it says of its user."""

    origin: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: token_bytes(32))
    user: str = ""
    count: int = 0
    flags: int = PRESENT | VERIFIED

    def make(self, options: dict[str, Any], **lies: Any) -> str:
        """The answer to a page that has a passkey made."""
        self.user = options["user"]["id"]
        public = ES256.from_cryptography_key(self.key.public_key())
        made = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, public)
        told = self._data(lies.get("place", options["rp"]["id"]), made)
        client = self._client("webauthn.create", options, lies)
        attested = AttestationObject.create("none", told, {})
        response = {
            "clientDataJSON": websafe_encode(client),
            "attestationObject": websafe_encode(attested),
            "transports": ["internal", "hybrid", "nonsense"],
        }
        return self._answer(response)

    def sign(self, options: dict[str, Any], **lies: Any) -> str:
        """The answer to a page that asks for a passkey."""
        self.count += 1 if self.count else 0
        told = self._data(lies.get("place", options["rpId"]), None)
        client = self._client("webauthn.get", options, lies)
        signature = lies.get("key", self.key).sign(told + sha256(client), ec.ECDSA(SHA256()))
        response = {
            "clientDataJSON": websafe_encode(client),
            "authenticatorData": websafe_encode(told),
            "signature": websafe_encode(signature),
            "userHandle": lies.get("user", self.user),
        }
        return self._answer(response)

    def _data(self, place: str, made: AttestedCredentialData | None) -> AuthenticatorData:
        flags = AuthenticatorData.FLAG(self.flags | (HAS_KEY if made else 0))
        place_hash = sha256(place.encode())
        return AuthenticatorData.create(place_hash, flags, self.count, made or b"")  # pyright: ignore[reportUnknownMemberType] - the library leaves it open

    def _client(self, asked: str, options: dict[str, Any], lies: dict[str, Any]) -> bytes:
        challenge = websafe_decode(lies.get("challenge", options["challenge"]))
        kind, origin = lies.get("type", asked), lies.get("origin", self.origin)
        return CollectedClientData.create(kind, challenge, origin)  # pyright: ignore[reportUnknownMemberType] - the library leaves it open

    def _answer(self, response: dict[str, Any]) -> str:
        own_id = websafe_encode(self.credential_id)
        return json.dumps({
            "id": own_id,
            "rawId": own_id,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {},
        })  # fmt: skip
