"""The incremental Markdown reader alone: however a text is cut into pieces, its blocks are those of the whole."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effort import EFFORT

ROOT = Path(__file__).resolve().parents[2]
REPLY = ROOT / "app" / "ui" / "reply"
NODE = Path(sys.executable).parent / "node"

CHECK = """
import { readFileSync } from "node:fs";
import { BlockReader } from "./blocks.ts";
const { texts, seed, cuts } = JSON.parse(readFileSync(0, "utf8"));
let state = seed;
const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
const shape = (blocks) => JSON.stringify(blocks.map(({ type, raw }) => [type, raw.trimEnd()]));
const wrong = [];
for (const text of texts) {
  const whole = shape(new BlockReader().read(text, false));
  for (let round = 0; round < cuts; round++) {
    const reader = new BlockReader();
    const most = [1, 3, 12, 60][round % 4];
    for (let end = 0; end < text.length; ) {
      end = Math.min(text.length, end + 1 + random(most));
      reader.read(text.slice(0, end), true);
    }
    if (shape(reader.read(text, false)) !== whole) { wrong.push(text); break; }
  }
}
console.log(JSON.stringify(wrong));
"""

PIECES = [
    "A paragraph of words.", "Two\nlines", "- a\n- b", "- a\n\n- b", "1. x\n2. y\n   more", "- a\n\n  inside\n\n- b",
    "> quote\nlazy", "> a\n\n> b", "```py\nx = 1\n\ny\n```", "~~~\nopen", "# Heading", "Set\n===", "Set\n---",
    "---", "| a | b |\n|---|---|\n| 1 | 2 |", "    indented\n\n    code", "<div>\nhtml\n\nmore</div>", "$$\nx\n$$",
    "\\[ y \\]", "[a]: https://example.org", "See [a] and **bold** `code`", "* * *", "+ plus\n+ plus", "```", "1.",
    "- a\n  1. b\n     - c", "text\n```js\nlet\n```\nafter", "- [ ] task\n- [x] done", "a\r\nb\r\n\r\nc", "\ttab",
    "1) one\n2) two", "- \n- b", "$$\na\n- b\n$$", "Words:\n\\[\na\n---\n> b\n\\]", "$$\na\n1. b",
    "See[^1] and [^a-z]", "[^1]: A note\nof two lines.\n\n    And more.\n[^2]: Another.",
]  # fmt: skip


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    packages = ROOT / "tests" / "islands" / "node_modules"  # the page's own versions: tests/islands/test_islands.py
    if not (packages / "marked").exists():
        pytest.skip("the tools for TypeScript are not installed here: make .venv/islands")
    folder = tmp_path_factory.mktemp("blocks")
    for name in ("blocks.ts", "bounds.ts", "cjk.ts", "footnotes.ts", "math_syntax.ts"):
        shutil.copy(REPLY / name, folder)
    (folder / "package.json").write_text('{"type":"module"}')
    (folder / "node_modules").symlink_to(packages)
    (folder / "check.js").write_text(CHECK)
    return folder


def wrongly_read(workshop: Path, texts: list[str], seed: int) -> list[str]:
    asked = json.dumps({"texts": texts, "seed": seed, "cuts": EFFORT.cuts})
    command = [NODE, "check.js"]
    done = subprocess.run(command, cwd=workshop, input=asked, capture_output=True, text=True, check=True, timeout=100)
    return json.loads(done.stdout)


def test_every_pair_of_blocks_reads_the_same_in_pieces_as_at_once(workshop: Path) -> None:
    texts = [f"{first}{gap}{second}" for first in PIECES for second in PIECES for gap in ("\n", "\n\n")]

    assert wrongly_read(workshop, texts, seed=1) == []


@pytest.mark.exhaustive
def test_every_triple_around_a_list_reads_the_same(workshop: Path) -> None:
    texts = [f"{a}\n\n- item\n\n{b}\n\n{a}" for a in PIECES for b in PIECES]

    assert wrongly_read(workshop, texts, seed=2) == []
