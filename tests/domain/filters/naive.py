"""A second implementation of the filter language, as a person would check it by hand: pair by pair, from the syntax.

It shares no code with `lowering` and `selection`: names by regular expressions, days by the reader's local date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from unicodedata import normalize

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import File, Image, Part, Text, ToolCall
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.language import syntax
from app.domain.text.pattern import Pattern

SECONDS = {"min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


class Naive:
    def __init__(self, pairs: Sequence[Pair], scope: FilterScope, estimate: Callable[[Pair], int]) -> None:
        self.pairs, self.scope, self.estimate = pairs, scope, estimate

    def visible(self, tree: syntax.Filter, boundary: Callable[[list[Pair]], Collection[str]]) -> list[str]:
        without = strip(tree)
        base = [pair for pair in self.pairs if without is None or self.holds(without, pair, {})]
        included = boundary(base)
        left_out = [pair.id for pair in base if pair.id not in included]
        kept = {extra: {*included, *left_out[::-1][:extra]} for extra in range(10)}
        return [pair.id for pair in base if self.holds(tree, pair, kept)]

    def holds(self, tree: syntax.Filter, pair: Pair, kept: dict[int, set[str]]) -> bool:
        if isinstance(tree, syntax.Everything):
            return True
        if isinstance(tree, syntax.Not):
            return not self.holds(tree.term, pair, kept)
        if isinstance(tree, syntax.And):
            return all(self.holds(term, pair, kept) for term in tree.terms)
        if isinstance(tree, syntax.Or):
            return any(self.holds(term, pair, kept) for term in tree.terms)
        if isinstance(tree, syntax.InContext):
            return pair.id in kept[tree.extra]
        check: Callable[[syntax.Leaf, Pair], bool] = getattr(self, type(tree).__name__.removesuffix("Term").lower())
        return check(tree, pair)

    def topic(self, term: syntax.TopicTerm, pair: Pair) -> bool:
        return any(self.is_or_is_under(pair.topic, topic, term.below) for topic in self.topics_of(term))

    def topics_of(self, term: syntax.TopicTerm) -> list[str]:
        paths = self.scope.vocabulary.topics.paths
        path = " > ".join(regex(name, "[^>]*") for name in term.names)
        ends = [topic for topic, names in paths.items() if re.search(f"(^| > )({path})$", fold(" > ".join(names)))]
        is_plain_path = len(term.names) > 1 and all(len(name.pieces) == 1 for name in term.names)
        if not is_plain_path:
            return ends
        roots = [topic for topic in ends if re.search(f"^({path})$", fold(" > ".join(paths[topic])))]
        if roots:
            return roots
        return ends if len(ends) == 1 else []

    def is_or_is_under(self, topic: str | None, ancestor: str, below: bool) -> bool:
        paths = self.scope.vocabulary.topics.paths
        if topic is None or not below:
            return topic == ancestor
        return paths[topic][: len(paths[ancestor])] == paths[ancestor]

    def chosentopic(self, _: syntax.ChosenTopic, pair: Pair) -> bool:
        return pair.topic is not None and pair.topic == self.scope.chosen.topic

    def recentoftopic(self, term: syntax.RecentOfTopic, pair: Pair) -> bool:
        chosen = self.scope.chosen.topic
        inside = [p for p in self.pairs if chosen is not None and self.is_or_is_under(p.topic, chosen, below=True)]
        return pair in inside[::-1][: term.count]

    def recent(self, term: syntax.Recent, pair: Pair) -> bool:
        return sum(other.position > pair.position for other in self.pairs) < term.count

    def stars(self, term: syntax.Stars, pair: Pair) -> bool:
        return compared(pair.stars, term.op, term.stars)

    def tokens(self, term: syntax.TokensTerm, pair: Pair) -> bool:
        return compared(self.estimate(pair), term.op, term.tokens)

    def flagged(self, term: syntax.Flagged, pair: Pair) -> bool:
        return pair.flagged == term.flagged

    def mark(self, term: syntax.MarkTerm, pair: Pair) -> bool:
        return pair.mark == term.mark

    def model(self, term: syntax.ModelTerm, pair: Pair) -> bool:
        if term.name is None:
            return pair.model == self.scope.chosen.model
        return bool(re.fullmatch(f"([^:]*:)?({regex(term.name)})", fold(pair.model), re.DOTALL)) and (
            whole(term.name, pair.model) or whole(term.name, pair.model.split(":", 1)[1])
        )

    def agent(self, term: syntax.AgentTerm, pair: Pair) -> bool:
        if pair.agent_id is None:
            return False
        if term.name is None:
            return pair.agent_id == self.scope.chosen.agent
        return whole(term.name, self.scope.vocabulary.agents[pair.agent_id])

    def toolcall(self, term: syntax.ToolCallTerm, pair: Pair) -> bool:
        names = [part.name for part in parts(pair) if isinstance(part, ToolCall)]
        return any(term.name is None or whole(term.name, name) for name in names)

    def attachment(self, _: syntax.AttachmentTerm, pair: Pair) -> bool:
        return any(isinstance(part, Image | File) for part in parts(pair))

    def failed(self, _: syntax.FailedTerm, pair: Pair) -> bool:
        return pair.failure is not None or pair.lifecycle == "error"

    def contains(self, term: syntax.Contains, pair: Pair) -> bool:
        asked = "".join(part.text for part in pair.request.parts if isinstance(part, Text))
        answered = "".join(part.text for part in parts(pair)[len(pair.request.parts) :] if isinstance(part, Text))
        return re.search(regex(term.text), fold(f"{asked}\n{answered}"), re.DOTALL) is not None

    def age(self, term: syntax.Age, pair: Pair) -> bool:
        return compared((self.scope.now - pair.created_at).total_seconds(), term.op, term.count * SECONDS[term.unit])

    def day(self, term: syntax.DayTerm, pair: Pair) -> bool:
        on_the_wall: datetime = pair.created_at.astimezone(self.scope.zone)
        return compared(on_the_wall.date().toordinal(), term.op, term.day.toordinal())


def strip(tree: syntax.Filter) -> syntax.Filter | None:
    """Return the filter without its `o` terms, or None if nothing is left."""
    if isinstance(tree, syntax.InContext):
        return None
    if isinstance(tree, syntax.Not):
        inner = strip(tree.term)
        return None if inner is None or isinstance(inner, syntax.Everything) else syntax.Not(inner)
    if isinstance(tree, syntax.And | syntax.Or):
        left = [term for term in map(strip, tree.terms) if term and not isinstance(term, syntax.Everything)]
        return (syntax.all_of if isinstance(tree, syntax.And) else syntax.any_of)(*left) if left else None
    return tree


def parts(pair: Pair) -> tuple[Part, ...]:
    return pair.request.parts + (pair.reply.parts if pair.reply else ())


def fold(text: str) -> str:
    return normalize("NFC", text.casefold())


def regex(pattern: Pattern, star: str = ".*") -> str:
    return star.join(re.escape(fold(piece)) for piece in pattern.pieces)


def whole(pattern: Pattern, text: str) -> bool:
    return re.fullmatch(regex(pattern), fold(text), re.DOTALL) is not None


def compared(left: float, op: str, right: float) -> bool:
    return {"=": left == right, "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]
