"""What is to be sent, as values: one type for each operation that asks a model for a reply.

    await start_reply(wb, owner, NewSend(conversation_id, "Why?"), SendOptions(ViewOptions(filter="s>=2")))

`SendOptions` say how any of them is sent. Not here: reading what is in view (`context_selection.py`) and planning the
call (`plan.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Pair, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import list_attached
from app.domain.preferences import OverBudget
from app.domain.tools.tools import Tool
from app.runs.request.attachments import NOTHING_ATTACHED, Attached
from app.runs.send.context_selection import DEFAULT_VIEW, ViewOptions
from app.store.ledger.ledger import Purpose


@dataclass(frozen=True, slots=True)
class NewSend:
    """A text becomes the next pair of a conversation. With something `attached` it may be blank.

    `purpose` is what the ledger records the call for. `client_tools`: tools of the program that sends, told in the
    place of the conversation's own and without the person's prelude; a call of one ends the reply, and the program
    answers it. `continues`: the newest pair ends in tool results, and the reply goes on from there without a text.
    """

    conversation_id: str
    text: str
    attached: Attached = NOTHING_ATTACHED
    purpose: Purpose = "reply"
    client_tools: tuple[Tool, ...] | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Resend:
    """A pair is sent again in its place, with its own text or an edited one. Only pairs above it are in view."""

    pair: Pair
    text: str

    @property
    def conversation_id(self) -> str:
        return self.pair.conversation_id

    @property
    def attached(self) -> Attached:
        """What the pair was sent with. Its bytes are stored already."""
        return Attached(list_attached(self.pair.request.parts))

    @property
    def purpose(self) -> Purpose:
        return "reply"


@dataclass(frozen=True, slots=True)
class Branch:
    """A pair is sent again as the next pair of `conversation_id`, a fork with copies of the pairs above it."""

    conversation_id: str
    pair: Pair
    text: str

    @property
    def attached(self) -> Attached:
        """What the pair was sent with. Its bytes are stored already."""
        return Attached(list_attached(self.pair.request.parts))

    @property
    def purpose(self) -> Purpose:
        return "reply"


Intent = NewSend | Resend | Branch


@dataclass(frozen=True, slots=True)
class SendOptions:
    """How an intent is sent.

    `parameters` go before those of the conversation, which go before its agent's. None: nothing special; a pair that is
    sent again under the same agent is then asked as it was.
    `over_budget` says what becomes of pairs that do not fit; None: what the preferences say. `selection` names the
    pairs that a preview or an estimate counted; a send of other pairs is refused.
    """

    view_options: ViewOptions = DEFAULT_VIEW
    parameters: Parameters | None = None
    over_budget: OverBudget | None = None
    selection: str | None = None

    @property
    def asked(self) -> Parameters:
        """The parameters of this send alone."""
        return self.parameters or NO_PARAMETERS

    @property
    def forced(self) -> bool | None:
        """Whether pairs that do not fit are sent as well; None: as the preferences say."""
        return None if self.over_budget is None else self.over_budget is OverBudget.FORCE


DEFAULT_OPTIONS = SendOptions()
