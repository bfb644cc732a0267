"""The marks of a pair and the topic of the composer. The scripts explain how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class Marks(Script):
    """Stars, flag, in or out, and the way to delete the pair."""

    library = script("marks.jsx")
    tag = "Marks"
    pair: rx.Var[Any]


class TopicMark(Script):
    """The topic of a pair; it opens the picker."""

    library = script("marks.jsx")
    tag = "TopicMark"
    pair: rx.Var[Any]


class NewBadge(Script):
    """Says that the reply is new, while somebody typed as it grew out of sight."""

    library = script("marks.jsx")
    tag = "NewBadge"
    pair_id: rx.Var[str]


class TopicChip(Script):
    """The topic new pairs are filed under; it opens the picker."""

    library = script("topic_chip.jsx")
    tag = "TopicChip"
