"""Delivery of a draft: send it in the conversation on screen, or in a new one.

    comparison_id = await deliver(draft)         # raises an error if the draft is refused

Drafts of one tab for one conversation are delivered one after the other, in the order of their sends
(`app/state/tab/turns.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.domain.context.seen_selection import allow_new, describe_selection
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.errors import NotFoundError
from app.domain.run.queue import HoldReason
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import context_for, current
from app.runs.attachments.uploads import load_attached
from app.runs.child_calls.summaries import OLDER, Extent
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ViewOptions
from app.runs.send.deliveries import PageSend, record_delivery
from app.runs.send.first_message import FirstMessageOptions
from app.runs.send.queue import read_queue, resume_queue, send_text
from app.runs.send.send_request import SendRequest
from app.state.composer.files import DraftFile, ids_of
from app.state.composer.over_budget import Choices, Counted
from app.state.tab.address import conversation_in


@dataclass(frozen=True, slots=True)
class Draft:
    """A text and the options of its send.

    The message:

    - `id`: the id that the text area gave to the send.
    - `conversation_id`: "" for a first message, which starts the conversation `new`.
    - `files`: the files that are sent with the text.
    - `schema`, `send_parameters`: apply to this send alone.
    - `models`: several models that answer side by side.
    - `waited`: the text is the first one of the queue, and the send resumes the queue.
    - `moved`: the text was sent from the start page, and goes to the conversation that the previous text started.
    - `token`: the token of the tab that sent the text.

    The pairs that the page has counted:

    - `counted`: the context that the page has counted.
    - `uncounted`: the pairs that arrived on the screen since then.
    - `left_out`: the pairs that the person has deleted, or that the page shows as damaged, since then.

    The choice that a person made in a dialog that held back the send:

    - `over_budget`: the chosen option.
    - `selection`: names the pairs to send.
    - `older`: the pairs that are summarised first.
    - `choices`, `selections`: for several models, the option and the pairs for each model that a dialog asked about.
    - `remembered`: when this send is accepted, this option is stored in the preferences.
    """

    id: str
    text: str
    conversation_id: str
    options: ViewOptions
    new: FirstMessageOptions
    schema: str = ""
    files: tuple[DraftFile, ...] = ()
    models: tuple[str, ...] = ()
    send_parameters: Parameters = NO_PARAMETERS
    over_budget: OverBudget | None = None
    waited: bool = False
    moved: bool = False
    token: str = ""
    counted: ContextSnapshot | None = field(default=None, repr=False, compare=False)
    uncounted: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    selection: str | None = None
    selections: Counted = ()
    choices: Choices = ()
    remembered: OverBudget | None = None
    older: Extent = OLDER

    def is_of_page(self, path: str) -> bool:
        """Return True if the page at this path has the composer of this draft. Pages such as the settings have none."""
        return self.conversation_id == conversation_in(path) and bool(self.conversation_id or not path.strip("/"))

    @property
    def page_send(self) -> PageSend | None:
        """The name under which the page repeats this send after a lost answer; None if the page does not repeat it."""
        return PageSend(self.token, self.id) if self.id else None

    @property
    def parameters(self) -> Parameters:
        """The parameters that apply to this send alone."""
        return replace(self.send_parameters, reply_schema=self.schema or None)


async def deliver(draft: Draft) -> str:
    """Send the draft in its conversation, or queue it while a reply is running there.

    Return the id of the comparison that the send started, or "".

    Raises:
        DeliveredError: the send was delivered before.
        OverBudgetError: the request exceeds its budget, and the sender has made no choice for this case.
        InviewError: the send was refused for another reason.
    """
    ctx, target = await context_for(current(), draft.conversation_id), draft.conversation_id
    if draft.waited:
        await resume_queue(ctx, LOCAL_OWNER, target, model=draft.options.model, over_budget=draft.over_budget)
        return ""
    attached = await load_attached(current(), LOCAL_OWNER, ids_of(draft.files))
    alongside = None if draft.page_send is None else record_delivery(LOCAL_OWNER, draft.page_send, target)
    request = SendRequest(
        draft.text, draft.options, draft.parameters, draft.over_budget, attached=attached, alongside=alongside
    )
    if draft.models:
        selections = await _selections_of(draft, attached.parts)
        compared = ComparedModels(draft.models, dict(draft.choices), selections)
        return (await start_comparison(ctx, LOCAL_OWNER, target, request, compared)).id
    selection = await _selection_of(draft, attached.parts)
    await send_text(ctx, LOCAL_OWNER, target, replace(request, selection=selection))
    return ""


async def is_shown_by_queue(conversation_id: str) -> bool:
    """Return True if the queue is held because its first text was refused.

    Then the queue on screen shows the reason.
    """
    try:
        queue = await read_queue(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
    except NotFoundError:
        return False
    return queue.hold is not None and queue.hold.reason is HoldReason.REFUSED


async def _selection_of(draft: Draft, attached: tuple[Part, ...]) -> str | None:
    """Return the pairs to send: those of the option that a person chose, otherwise those that the page has counted."""
    return await _count(draft, attached) if draft.selection is None else draft.selection


async def _selections_of(draft: Draft, attached: tuple[Part, ...]) -> Mapping[str, str]:
    """Return, by model, the pairs to send: those of the option that a person chose in the dialog about this model.

    Without such a choice, the model of the page gets the pairs that the page has counted; other models have no entry.
    """
    counted = await _count(draft, attached)
    by_page = {} if draft.counted is None or counted is None else {draft.counted.profile.model: counted}
    return by_page | dict(draft.selections)


async def _count(draft: Draft, attached: tuple[Part, ...]) -> str | None:
    """Return the pairs that the page has counted, as the selection of the send.

    None: the page has counted none, or it counted for another model or filter than those of the send.
    """
    base, options = draft.counted, draft.options
    if base is None or options.filter != base.filter:
        return None
    if base.profile.model not in {options.model or base.profile.model, *draft.models}:
        return None
    choice = dict(draft.choices).get(base.profile.model) if draft.models else draft.over_budget
    forced = None if choice is None else choice is OverBudget.FORCE
    composed = await compose_base(base, draft.text, forced=forced, schema=draft.schema or None, attached=attached)
    sent = [pair for pair in composed.composition.sent if pair.pair_id not in draft.left_out]
    return allow_new(describe_selection(sent, base.running), draft.uncounted)
