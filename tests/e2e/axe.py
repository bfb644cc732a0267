"""What axe finds wrong on a page for people who use a screen reader, the keyboard or little contrast.

assert axe_findings(page) == []
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

AXE: Final = Path("tests/islands/node_modules/axe-core/axe.min.js").read_text()
RUN: Final = """async () => {
  await new Promise(requestAnimationFrame);
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 160)}: ${failureSummary}`));
}"""


def axe_findings(page: Page) -> list[str]:
    """What breaks a rule of axe: WCAG 2.2 AA and best practices, a line each.

    Without motion: what appears just now would be half transparent, and too pale to read.
    """
    page.evaluate(AXE)
    page.emulate_media(reduced_motion="reduce")
    try:
        return page.evaluate(RUN)
    finally:
        page.emulate_media(reduced_motion="no-preference")
