"""Selections: the pairs of a request as a short text. Previews and estimates return this text.

A client passes the selection to the send. If the send would carry other pairs, or a pair with another text, the send is
refused, and the error has the new count of pairs and tokens. So a user has always seen the count of the pairs that are
sent.

    >>> from app.domain.tokens.estimates import PairSizes
    >>> sent = [Candidate("p1", 1, PairSizes(7, 2)), Candidate("p2", 2, PairSizes(9, 2))]
    >>> selection = describe_selection(sent, running="p3")
    >>> selection[:2], selection[-3:]
    ('2.', '+p3')
    >>> holds(selection, sent), holds(selection, sent[1:])
    (True, False)

A pair whose reply was running at the time of the count was in view, so the send may include this pair when the reply
has ended. The send may also include pairs that appeared on the screen after the count (`allow_new`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from app.domain.context.composition import Candidate, Composition
from app.domain.errors import ConflictError

_NEW = "+"
_DIGITS = 24


class SelectionChangedError(ConflictError):
    """Error: the pairs of the send differ from the pairs that were counted for the sender earlier."""

    def __init__(self, composition: Composition, selection: str, seen: str, model: str) -> None:
        x, y, tokens = composition.x, composition.y, composition.estimate.tokens
        super().__init__(
            f"What would be sent to {model} has changed: {x:,} of the {y:,} pairs in view, about {tokens:,} "
            f"tokens, {describe_difference(seen, x)}. Check them, then send again."
        )
        self.composition = composition
        self.selection = selection
        self.seen = seen
        self.model = model


def describe_selection(sent: Sequence[Candidate], running: str | None = None) -> str:
    """Return the selection text of these pairs: their number, and a hash of their ids and sizes.

    `running` is the id of the pair whose reply is running. The id is appended: a send may include this pair too.
    """
    suffix = "" if running is None else f"{_NEW}{running}"
    return f"{len(sent)}.{_digest(sent)}{suffix}"


def allow_new(selection: str, pair_ids: Iterable[str]) -> str:
    """Return the selection, extended by pairs that appeared on the screen after the count: a send may include them.

    >>> allow_new("2.ab", ["p3", "p4"]), allow_new("2.ab+p3", ()), allow_new("2.ab", ())
    ('2.ab+p3+p4', '2.ab+p3', '2.ab')
    """
    return _NEW.join((selection, *pair_ids))


def holds(selection: str, sent: Sequence[Candidate]) -> bool:
    """Return True if a send of these pairs agrees with the selection."""
    digest, *new = selection.split(_NEW)
    return digest in (describe_selection(sent), describe_selection([pair for pair in sent if pair.pair_id not in new]))


def describe_difference(seen: str, count: int) -> str:
    """Describe how the `count` pairs of a send differ from those of the selection `seen`, as the end of a sentence.

    >>> describe_difference("3.ab", 2), describe_difference("1.ab", 3)
    ('instead of the 3 pairs counted before', 'instead of the 1 pair counted before')
    >>> describe_difference("3.ab", 3)
    'the same number as before, but with other pairs or other texts'
    >>> describe_difference("1.ab", 1), describe_difference("?", 1)
    ('but it is another pair than was counted before, or has another text', 'but others were counted before')
    """
    text = seen.partition(".")[0]
    if not text.isdecimal():
        return "but others were counted before"
    if int(text) != count:
        return f"instead of the {int(text):,} pair{'' if text == '1' else 's'} counted before"
    if count == 1:
        return "but it is another pair than was counted before, or has another text"
    return "the same number as before, but with other pairs or other texts"


def _digest(sent: Iterable[Candidate]) -> str:
    listed = "\n".join(
        f"{pair.pair_id} {pair.sizes.text} {pair.sizes.messages} {pair.sizes.thinking} {len(pair.sizes.images)}"
        for pair in sent
    )
    return sha256(listed.encode()).hexdigest()[:_DIGITS]
