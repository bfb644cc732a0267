"""Warnings of the filter bar about names that do not exist or are ambiguous.

A term with such a name selects no pair.
"""

from __future__ import annotations

from app.domain.filters.evaluation.lookup import ambiguous_topics, find_agents, find_models, find_tools, find_topics
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.language.quoting import quote_pattern, quote_topic
from app.domain.filters.language.syntax import (
    AgentTerm,
    ChosenTopic,
    Filter,
    Leaf,
    ModelTerm,
    RecentOfTopic,
    ToolCallTerm,
    TopicTerm,
    leaves,
)
from app.domain.text.pattern import Pattern


def list_notices(tree: Filter, scope: FilterScope) -> tuple[str, ...]:
    """Return a warning for each term whose name does not exist or is ambiguous, in the order of the filter."""
    notices = (_notice(leaf, scope) for leaf in leaves(tree))
    return tuple(dict.fromkeys(notice for notice in notices if notice is not None))


def _notice(term: Leaf, scope: FilterScope) -> str | None:
    vocabulary, chosen = scope.vocabulary, scope.chosen
    match term:
        case TopicTerm() if paths := [
            vocabulary.topics.path_text(topic) for topic in ambiguous_topics(vocabulary.topics, term)
        ]:
            return f"{quote_topic(term)} can mean {' or '.join(paths)}. Write more of the path."
        case TopicTerm() if not find_topics(vocabulary.topics, term):
            return f"There is no topic {quote_topic(term)}."
        case ChosenTopic() | RecentOfTopic() if chosen.topic is None:
            return "No topic is chosen in the message box."
        case ModelTerm(None) if chosen.model is None:
            return "No model is chosen in the message box."
        case ModelTerm(Pattern() as name) if not find_models(vocabulary.models, name):
            return f"No pair here was answered by a model named {quote_pattern(name)}."
        case AgentTerm(None) if chosen.agent is None:
            return "No agent is chosen in the message box."
        case AgentTerm(Pattern() as name) if not find_agents(vocabulary.agents, name):
            return f"There is no agent {quote_pattern(name)}."
        case ToolCallTerm(Pattern() as name) if not find_tools(vocabulary.tools, name):
            return f"No pair here called a tool named {quote_pattern(name)}."
        case _:
            return None
