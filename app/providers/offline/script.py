"""The offline provider's answers: a pure function of the request, by the command language that `/help` describes.

A command is at the start of a line of the last user message; several commands may share the line:

    /long 2000 /rate 100            2,000 tokens at 100 a second
    /think 50 /fail overloaded after 20

Lines with `/tool` call tools. A line `/then` separates parts of the message: the part below it is for the next round,
after the tools have answered. `/again` repeats the last part in every later round. If no part is left, the answer
quotes the results of the tools.

The answer is a `Script`: a text with a rate, and how it ends. `vendors/offline.py` sends it. A token is a word of up
to eight letters, or a sign, with the blanks in front of it; no other tokenizer is used here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from types import MappingProxyType
from typing import Literal

from app.domain.errors import ErrorClass
from app.domain.stream.stream_events import StopReason
from app.providers.offline.derived import leave_out_files

DEFAULT_RATE = 200.0
"""Default tokens per second, like a fast model."""

_TOKEN = re.compile(r"\s*(?:\w{1,8}|[^\w\s])|\s+")
_REST = re.compile(r"(?:^|(?<=[ \t]))/(echo|tool)")
"""Matches the first command in a line that takes all text after it as its argument."""
_COMMAND = re.compile(r"/([a-z]+)((?:[ \t]+(?!/[a-z])\S+)*)")

Ending = Literal["stop", "cut", "stall", "fail"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A simulated failure.

    - `error_class`: the class of the failure.
    - `retry_after`: the `Retry-After` in seconds.
    - `times`: the number of attempts of the same request that fail; None: all.
    """

    error_class: ErrorClass
    retry_after: float | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A planned answer of the offline provider: its texts and tool calls, their speed, and its end.

    - `rate`: tokens per second; 0: as fast as possible.
    - `delay`: seconds before the first token.
    - `ending`: how the answer ends.
    - `after`: the number of tokens after which it ends; None: after all tokens or, if `ending` is "fail", before the
      first one.
    """

    text: str = ""
    thinking: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    rate: float = field(default_factory=lambda: DEFAULT_RATE)
    delay: float = 0.0
    ending: Ending = "stop"
    stop_reason: StopReason = StopReason.END
    after: int | None = None
    fault: Fault = Fault(ErrorClass.UNKNOWN)


class CommandError(Exception):
    """Error: a command is invalid. The message names the command and the reason."""


def split_tokens(text: str) -> list[str]:
    """Split a text into tokens. Joining the tokens gives the text again."""
    return _TOKEN.findall(text)


def write_script(prompt: str, messages: int, results: Sequence[str] = (), rounds: int = 0) -> Script:
    """Return the planned answer to a prompt, the last message of the user.

    `messages` is the number of messages in the request. `rounds` is the number of tool rounds since the prompt, and
    `results` are the tool results of the last round.
    """
    prompt, spent = _cut_stage(prompt, rounds)
    if spent:
        return Script(text=_describe_results(results))
    try:
        script, commanded = _obey(prompt)
    except CommandError as error:
        return Script(text=f"{error}\n\n{HELP}")
    if script.text or script.tools:
        return script
    if commanded and script.ending != "stop":
        return replace(script, text=long_text(40))
    return replace(script, text=_introduce(prompt, messages), thinking=script.thinking)


def long_text(tokens: int) -> str:
    """Return readable Markdown with exactly this number of tokens."""
    return "".join(islice(_endless_tokens(), tokens))


def _cut_stage(prompt: str, rounds: int) -> tuple[str, bool]:
    """Return the part of a prompt that applies after this number of tool rounds, and True if no part is left."""
    stages: list[list[str]] = [[]]
    again = False
    lines = prompt.splitlines()
    for place, line in enumerate(lines):
        if _takes_rest(line) == "echo":  # the rest of the text is the answer
            stages[-1] += lines[place:]
            break
        if line.strip() == "/then":
            stages.append([])
        elif line.strip() == "/again":
            again = True
        else:
            stages[-1].append(line)
    if rounds == 0 and len(stages) == 1 and not again:
        return prompt, False
    stage = min(rounds, len(stages) - 1) if again else rounds
    return ("\n".join(stages[stage]), False) if stage < len(stages) else ("", True)


def _describe_results(results: Sequence[str]) -> str:
    """Return an answer that quotes the results of tools."""
    quoted = "\n\n".join("> " + (result.strip() or "(nothing)").replace("\n", "\n> ") for result in results)
    return f"{'The tool' if len(results) == 1 else 'The tools'} answered:\n\n{quoted}"


def _obey(prompt: str) -> tuple[Script, bool]:
    script: Script = Script()
    commanded = False
    begin = 0
    for whole in prompt.splitlines(keepends=True):
        line, start, begin = whole.rstrip("\r\n"), begin, begin + len(whole)
        if not line.startswith("/"):
            continue
        rest = _REST.search(line)
        script = _obey_line(script, line if rest is None else line[: rest.start()])
        commanded = True
        if rest is None:
            continue
        if rest[1] == "echo":
            text = prompt[start + rest.end() :]
            return replace(script, text=text.removeprefix(" ").removeprefix("\n")), True
        tools = (*script.tools, _tool(line[rest.start() :]))
        script = replace(script, tools=tools, stop_reason=StopReason.TOOL_CALLS)
    return script, commanded


def _obey_line(script: Script, line: str) -> Script:
    if _COMMAND.sub("", line).strip():
        raise CommandError(f"`{line}` is not a line of commands.")
    for name, arguments in _COMMAND.findall(line):
        if name not in _COMMANDS:
            raise CommandError(f"There is no command `/{name}`.")
        script = _COMMANDS[name](script, arguments.split())
    return script


def _takes_rest(line: str) -> str:
    """Return the command in a line that takes all text after it, "" if the line has none."""
    rest = _REST.search(line) if line.startswith("/") else None
    return "" if rest is None else rest[1]


# --- the commands ---


def _long(script: Script, words: list[str]) -> Script:
    return replace(script, text=long_text(_number("long", words, 500)))


def _rate(script: Script, words: list[str]) -> Script:
    return replace(script, rate=float(_number("rate", words, 0)))


def _slow(script: Script, words: list[str]) -> Script:
    return replace(script, rate=float(_number("slow", words, 5)))


def _wait(script: Script, words: list[str]) -> Script:
    return replace(script, delay=float(_number("wait", words, 3)))


def _think(script: Script, words: list[str]) -> Script:
    return replace(script, thinking=long_text(_number("think", words, 60)))


def _cut(script: Script, words: list[str]) -> Script:
    return replace(script, ending="cut", after=_options("cut", words).get("after", 20))


def _stall(script: Script, words: list[str]) -> Script:
    return replace(script, ending="stall", after=_options("stall", words).get("after", 20))


def _stop(script: Script, words: list[str]) -> Script:
    try:
        return replace(script, stop_reason=StopReason(words[0]))
    except (IndexError, ValueError):
        raise CommandError(f"`/stop` takes one of: {', '.join(StopReason)}.") from None


def _fail(script: Script, words: list[str]) -> Script:
    try:
        error_class = ErrorClass(words[0])
    except (IndexError, ValueError):
        raise CommandError(f"`/fail` takes one of: {', '.join(_PLAYABLE)}.") from None
    options = _options("fail", words[1:])
    fault = Fault(error_class, options.get("retry-after"), options.get("times"))
    return replace(script, ending="fail", fault=fault, after=options.get("after"))


def _help(script: Script, words: list[str]) -> Script:
    if words:
        raise CommandError(f"`/help` takes nothing, not `{' '.join(words)}`.")
    return replace(script, text=HELP)


_COMMANDS: Mapping[str, Callable[[Script, list[str]], Script]] = MappingProxyType(
    {
        "help": _help,
        "long": _long,
        "rate": _rate,
        "slow": _slow,
        "wait": _wait,
        "think": _think,
        "fail": _fail,
        "cut": _cut,
        "stall": _stall,
        "stop": _stop,
    }
)

_PLAYABLE = tuple(member for member in ErrorClass if member not in {ErrorClass.CANCELED, ErrorClass.INTERRUPTED})


def _tool(line: str) -> tuple[str, str]:
    _, _, rest = line.partition(" ")
    name, _, input_json = rest.strip().partition(" ")
    if not name:
        raise CommandError('`/tool` takes a name and JSON: `/tool clock {"zone": "UTC"}`.')
    return name, input_json.strip() or "{}"


def _number(command: str, words: list[str], default: int) -> int:
    if not words:
        return default
    if len(words) > 1 or not words[0].isdecimal() or int(words[0]) > 1_000_000:
        raise CommandError(f"`/{command}` takes one whole number up to 1,000,000, not `{' '.join(words)}`.")
    return int(words[0])


def _options(command: str, words: list[str]) -> dict[str, int]:
    options = dict(zip(words[::2], words[1::2], strict=False))
    known = {"after", "times", "retry-after"} if command == "fail" else {"after"}
    if len(words) % 2 or not known >= options.keys() or not all(value.isdecimal() for value in options.values()):
        raise CommandError(f"`/{command} {' '.join(words)}` is not understood.")
    return {name: int(value) for name, value in options.items()}


# --- the words ---


def _introduce(prompt: str, messages: int) -> str:
    first_line = next((line.strip() for line in leave_out_files(prompt).splitlines() if line.strip()), "")
    quoted = first_line if len(first_line) <= 120 else first_line[:119] + "…"
    return INTRODUCTION.format(
        quoted=f"> {quoted}\n\n" if quoted else "",
        words=_count(len(prompt.split()), "word"),
        messages=_count(messages, "message"),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


INTRODUCTION = """\
{quoted}I am **Offline**, Inview's built-in stand-in. I am *not* a language model: I need no key and no network, and I \
answer by fixed rules so that everything here can be tried. This request has {messages}; the last one has {words}.

To talk to a real model, open **Settings → Providers** and add a key, or start a local server such as llama.cpp or \
Ollama: Inview finds it automatically.

## What a reply can look like

```python
def mean(values: list[float]) -> float:
    \"\"\"The arithmetic mean; raises ZeroDivisionError for no values.\"\"\"
    return sum(values) / len(values)
```

| Write this | What I do |
|---|---|
| `/long 2000 /rate 100` | answer with 2,000 tokens, 100 per second |
| `/think 80` | show reasoning before the answer |
| `/fail overloaded` | fail like an overloaded provider |
| `/help` | list all commands |

Formulas look like this: the mean is $\\bar{{x}} = \\frac{{1}}{{n}} \\sum_{{i=1}}^{{n}} x_i$, and

$$
\\int_0^1 x^2 \\, dx = \\frac{{1}}{{3}}.
$$

1. Lists can have numbers,
2. ~~crossed-out~~ and **bold** text,
   - and lists inside.
"""

HELP = f"""\
I am **Offline**, Inview's built-in stand-in; I am not a language model. A command is at the start of a line, \
several may share it.

| Command | What I do |
|---|---|
| `/help` | list these commands |
| `/echo TEXT` | answer with everything after it, character for character |
| `/long N` | answer with N tokens of markdown (500) |
| `/think N` | think N tokens before the answer (60) |
| `/tool NAME JSON` | call a tool; several lines call several at once |
| `/then` | on a line of its own: what follows is done when the tools have answered |
| `/again` | on a line of its own: the same again, every time the tools have answered |
| `/rate N` | N tokens a second ({DEFAULT_RATE:.0f}); 0 is as fast as can be |
| `/slow` | answer with 5 tokens a second |
| `/wait S` | wait S seconds before the first token (3) |
| `/fail CLASS` | fail at once; `after N`: after N tokens; `times N`: only the first N attempts; `retry-after S` |
| `/cut after N` | cut the connection after N tokens (20) |
| `/stall after N` | send nothing more after N tokens (20) |
| `/stop REASON` | stop for that reason |

Classes: {", ".join(f"`{member}`" for member in _PLAYABLE)}.

Reasons: {", ".join(f"`{member}`" for member in StopReason)}.
"""

_VOCABULARY = """
the view is what the model gets and every pair in it can be read before it is sent while a reply grows at its end so
that nothing moves and each token has a price that is known in time
"""


def _endless_tokens() -> Iterator[str]:
    """Yield tokens of headings, paragraphs and lists with sentences of 6 to 13 words, one token at a time."""
    vocabulary = _VOCABULARY.split()
    number: int = 1
    for section in count(1):
        yield from split_tokens(f"{'' if section == 1 else chr(10) * 2}## Part {section}")
        for before in ("\n\n", "\n\n", "\n\n- ", "\n- "):
            sentences: list[str] = []
            for _ in range(4):
                # rand() of the C standard, which gives the same numbers on every machine
                number = (number * 1_103_515_245 + 12_345) % 2**31
                start = number // 65_536
                words = [vocabulary[(start + 7 * place) % len(vocabulary)] for place in range(6 + start % 8)]
                sentences.append(f"{' '.join(words).capitalize()}.")
            yield from split_tokens(before + " ".join(sentences))
