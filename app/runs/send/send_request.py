"""A send request: a text to send, with its attachments and the options of the send.

    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(filter="s>=2")))

A preview, an exact count, a send, a queued text and a comparison all take one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Pair, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.settings.preferences import OverBudget
from app.runs.request.attachments import NOTHING_ATTACHED, AttachedParts
from app.runs.send.context_selection import ViewOptions

DEFAULT_OPTIONS: Final = ViewOptions()
"""View options that change nothing, so that the conversation's own settings apply."""

Alongside = Callable[[AsyncSession], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SendRequest:
    """A text to send, with its attachments and the options of the send.

    - `options`: the view options. The request carries the pairs in view, without those that are OUT.
    - `parameters`: apply to this send alone. A parameter that is not set comes from the conversation, or else from its
      agent.
    - `over_budget`: the choice for pairs that do not fit into the budget; None: the preferences decide.
    - `selection`: the pairs that a preview or an estimate counted; a send of other pairs is refused.
    - `attached`: the attachments of the text, which may then be blank.
    - `again`: a pair whose request is sent again. If it has the same agent, parameters that the conversation does not
      set come from this pair instead of the agent.
    - `metadata_json`: the metadata of the request, which is stored and not sent.
    - `alongside`: called in the transaction that stores the text; if it raises, nothing is stored or sent.
    """

    text: str
    options: ViewOptions = DEFAULT_OPTIONS
    parameters: Parameters = NO_PARAMETERS
    over_budget: OverBudget | None = None
    selection: str | None = None
    attached: AttachedParts = NOTHING_ATTACHED
    again: Pair | None = None
    metadata_json: str = ""
    alongside: Alongside | None = field(default=None, repr=False, compare=False)

    @property
    def forced(self) -> bool | None:
        """Whether a preview of this send includes pairs that do not fit; None: the preferences decide."""
        return None if self.over_budget is None else self.over_budget is OverBudget.FORCE
