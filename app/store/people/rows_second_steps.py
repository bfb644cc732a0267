"""The tables of second steps, recovery codes and sign-ins under way. Of codes and tokens only hashes are stored."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from app.store.database.row import Row


class SecondStepRow(Row, table=True):
    """Somebody who is asked for a code after the password. `last_step` is the time step of the last code they used.

    `sealed_secret` is NULL after a backup without secrets was restored: only recovery codes are right then.
    """

    person_id: str = Field(primary_key=True, foreign_key="person.id", ondelete="CASCADE")
    sealed_secret: bytes | None = Field(sa_type=LargeBinary)
    last_step: int
    created_at: datetime


class RecoveryCodeRow(Row, table=True):
    """A code that was not used yet and stands for one code of the second step."""

    code_hash: str = Field(primary_key=True)
    person_id: str = Field(foreign_key="person.id", ondelete="CASCADE", index=True)


class SignInStepRow(Row, table=True):
    """Something of signing in that waits for its next step in the same browser. `kind` is a `StepKind`."""

    token_hash: str = Field(primary_key=True)
    kind: str
    person_id: str | None = Field(foreign_key="person.id", ondelete="CASCADE", index=True)
    sealed_data: bytes | None = Field(sa_type=LargeBinary)
    expires_at: datetime = Field(index=True)


SECOND_STEP = Row.metadata.tables["second_step"]
RECOVERY_CODE = Row.metadata.tables["recovery_code"]
SIGN_IN_STEP = Row.metadata.tables["sign_in_step"]
