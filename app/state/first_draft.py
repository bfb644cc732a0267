"""The draft on the start page, for its estimate and for its preview. It imports no other state."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Parameters
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import FirstMessage, NewConversation
from app.runs.uploads import load_attached
from app.runs.workbench import current


@dataclass(frozen=True, slots=True)
class FirstDraft:
    """All that the first message depends on, as the start page has it. `asked` is how the model is asked this once.

    `files` are the uploads that go with the text, `edition` is the text area's number for it.
    """

    new: NewConversation
    text: str
    look: ViewOptions
    asked: Parameters
    files: tuple[str, ...]
    edition: int

    @property
    def conversation_id(self) -> str:
        """The id of no conversation: the first send makes it."""
        return ""

    async def load(self) -> FirstMessage:
        """The message with its files.

        Raises:
            InputError: one of the files is not there, or they are too many, or too large together.
        """
        attached = await load_attached(current(), LOCAL_OWNER, self.files)
        return FirstMessage(self.new, self.text, self.look, self.asked, attached)
