"""The draft on the start page, for its estimate and for its preview. This module imports no other state."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Parameters
from app.runs.app_context import current
from app.runs.attachments.uploads import load_attached
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import FirstMessage, FirstMessageOptions


@dataclass(frozen=True, slots=True)
class FirstDraft:
    """The draft on the start page with the options that are set there.

    - `new`: the settings of the conversation that it starts.
    - `parameters` apply to this send alone.
    - `files`: the ids of the uploads that are sent with the text.
    - `edition`: the number that the text area gave to this version of the text.
    - `others`: the other models that get the text.
    """

    new: FirstMessageOptions
    text: str
    options: ViewOptions
    parameters: Parameters
    files: tuple[str, ...]
    edition: int
    others: tuple[str, ...] = ()

    @property
    def conversation_id(self) -> str:
        """Always "", because only the first send creates the conversation."""
        return ""

    async def load(self) -> FirstMessage:
        """Return the message with its files.

        Raises:
            InputError: a file does not exist, there are too many files, or they are too large together.
        """
        attached = await load_attached(current(), LOCAL_OWNER, self.files)
        return FirstMessage(self.new, self.text, self.options, self.parameters, attached)
