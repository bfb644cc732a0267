"""Sends of every kind, made from a seed: texts and attachments, to different models, with or without tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
PROSE = (HERE.parent / "prose.txt").read_text().split()
CODE = (HERE.parent / "code.txt").read_text().split("\f")
SENTENCES: dict[str, list[str]] = json.loads((HERE / "sentences.json").read_text())
QUESTIONS = ("Why?", "Go on.", "What is the capital of France?", "Explain that in two sentences.", "Yes")
MODELS = (
    "openai:gpt-4o",
    "openai:gpt-4",
    "openai:gpt-5",
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-opus-4-8",
    "mock:gemma-3-27b",
    "mock:llama-3.3-70b",
    "mock:somebody-7b",
    "offline:demo",
)
"""Older and newer models, and one with an unknown name."""
KINDS = ("question", "paste", "code", "figures", "file", "picture", *SENTENCES)
PICTURES = frozenset({"openai:gpt-4o", "openai:gpt-5", "anthropic:claude-sonnet-4-5", "offline:demo"})
MOST_WORDS = 50_000
MOST_OFFLINE = 15_000
"""Maximum number of words of a text that fits the window of an offline model in any language."""
OPENS, SWITCHES, TOOLS = 0.3, 0.1, 0.35
"""Probabilities: a send opens a conversation, a send changes the model, a conversation has tools."""


@dataclass(frozen=True)
class Send:
    """One send. `file`: the text of an attached file. `opens`: it starts a new conversation with `tools` tools."""

    kind: str
    model: str
    text: str
    opens: bool
    tools: int
    file: str = ""
    picture: bool = False


def make_sends(count: int, seed: int) -> Iterator[Send]:
    """Make `count` sends with equal numbers of each kind."""
    random = Random(seed)
    kinds = [KINDS[place % len(KINDS)] for place in range(count)]
    random.shuffle(kinds)
    model, tools, home = MODELS[0], 0, ""
    for place, drawn in enumerate(kinds):
        opens = place == 0 or random.random() < OPENS
        if opens:
            tools, home = (random.choice((1, 2, 10)) if random.random() < TOOLS else 0), ""
        if opens or random.random() < SWITCHES:
            model = random.choice(MODELS)
        home = home or drawn
        kind = drawn if random.random() < 0.5 else home  # a person mostly continues with the kind of the first message
        most = MOST_OFFLINE if model == "offline:demo" else MOST_WORDS
        match kind:
            case "picture" if model in PICTURES:
                yield Send(kind, model, random.choice(QUESTIONS), opens, tools, picture=True)
            case "question" | "picture":
                yield Send("question", model, random.choice(QUESTIONS), opens, tools)
            case "file":
                yield Send(kind, model, "What does this say?", opens, tools, file=_write("code", random, 2_000))
            case _:
                yield Send(kind, model, _write(kind, random, most), opens, tools)


def _write(kind: str, random: Random, most: int) -> str:
    """Write a text of 1 to `most` words: short and long ones are equally frequent."""
    words = max(1, min(most, round(most ** random.random())))
    match kind:
        case "paste":
            start = random.randrange(len(PROSE))
            text = (PROSE[start:] + PROSE * (words // len(PROSE) + 1))[:words]
            return "\n".join(" ".join(text[at : at + 60]) for at in range(0, words, 60))
        case "code":
            return "\n".join(random.choice(CODE) for _ in range(1 + min(words, 5_000) // 150))
        case "figures":
            return "\n".join(
                ",".join(str(random.randrange(10 ** random.randrange(2, 8))) for _ in range(6))
                for _ in range(1 + min(words, 10_000) // 6)
            )
        case _:
            return "\n".join(random.choice(SENTENCES[kind]) for _ in range(1 + min(words, 20_000) // 12))
