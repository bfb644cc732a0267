"""The tables of sent calls: what each provider call contained, and the texts of these calls.

`sent_calls.py` has the queries. docs/decisions/0098 says what a deletion removes.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field

from app.store.database.row import Row


class SentCallRow(Row, table=True):
    """The content of one provider call: the list of its pieces with hashes, roles and lengths, without texts.

    The database refuses to change or delete a row. The call is in the ledger under the same run and attempt; no foreign
    key refers to them, because the row stays when the conversation is deleted.

    - `account_id`: the conversation that the cost is charged to, as in the ledger.
    - `request_hash`: the content hash of the whole request.
    - `base_run_id`, `base_attempt`: an earlier call whose pieces are the beginning of this call; None: there is none.
    - `pieces`: the pieces after those of the base.
    """

    __table_args__ = (Index(None, "account_id", "request_hash"),)

    run_id: str = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    owner: str
    account_id: str
    request_hash: str
    base_run_id: str | None
    base_attempt: int | None
    pieces: list[list[Any]] = Field(sa_type=JSON)


class SentTextRow(Row, table=True):
    """The text of a piece, stored when a call of the account sends it for the first time.

    The database refuses to change the text. The text is deleted with its conversation, and with its pair.

    - `run_id`, `attempt`, `number`: the call that sent the text first, and the number of the text within this call.
    - `conversation_id`: the account of the call.
    - `pair_id`: the pair of the message; None: it is no message.
    """

    __table_args__ = (Index(None, "conversation_id", "hash"),)

    run_id: str = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    pair_id: str | None = Field(foreign_key="pair.id", ondelete="CASCADE", index=True)
    role: str
    hash: str
    text: str = Field(sa_type=Text)


SENT_CALL = Row.metadata.tables["sent_call"]
SENT_TEXT = Row.metadata.tables["sent_text"]
