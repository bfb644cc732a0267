"""Actions of a person: by keys alone, or by a pointer, which on a phone is a finger.

    hands.press(button)                        # reached with Tab, then Enter; or clicked; or tapped
    hands.on_pair(2, "Delete the pair", "x")   # its key, or its button

In keyboard mode nothing is clicked. In pointer mode keys are used only to write text.
"""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.e2e.screen import Screen, eventually, press_escape_twice

FOCUSED = "control => document.activeElement === control"
# Number of Tab stops between the focus and a control, as far as a script can tell. Negative: the control is before the
# focus.
STOPS = """control => {
  const at = document.activeElement;
  if (at === document.body) return 1;
  const all = "a[href], button, input, select, textarea, summary, [tabindex]";
  const takesFocus = (it) => it.tabIndex >= 0 && !it.disabled && !it.closest("[inert]");
  const isSeen = (it) => it.checkVisibility({ visibilityProperty: true });
  const stops = [...(control.closest("dialog") ?? document).querySelectorAll(all)].filter(
    (it) => it === control || (takesFocus(it) && isSeen(it)));
  const isBefore = (it) => it !== at && Boolean(it.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
  const way = stops.indexOf(control) - stops.filter(isBefore).length;
  return isBefore(control) || stops.includes(at) ? way : way + 1;
}"""
IN_HISTORY = """document.documentElement.matches("[data-keys=on]")
  && document.activeElement.closest("main") !== null"""
MAX_LEAPS = 150


@dataclass(frozen=True)
class Hands:
    """The hands of one person on one page."""

    screen: Screen
    keys: bool
    phone: bool

    @property
    def page(self) -> Page:
        return self.screen.page

    # --- anywhere ---

    def press(self, control: Locator, key: str = "Enter") -> None:
        """Press a button, a link or a checkbox. `key`: the key that activates it in keyboard mode."""
        expect(control).to_be_visible()
        if self.phone:
            assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the phone"
        if self.keys:
            self.reach(control)
            self.page.keyboard.press(key)
        elif self.phone:
            control.tap()
        else:
            control.click()

    def reach(self, control: Locator) -> None:
        """Move the focus to a control with Tab.

        It jumps several stops at a time, because the list of conversations may be long, and makes the jumps smaller and
        smaller: some stops exist only while the focus is near them. If no element has the focus, a script cannot tell
        the next stop.
        """
        expect(control).to_be_enabled()
        way: list[int] = []
        for leap in range(MAX_LEAPS):
            if control.evaluate(FOCUSED):
                return
            stops: int = control.evaluate(STOPS)
            way.append(stops)
            for _ in range(max(1, abs(stops) // (leap + 2))):
                self.page.keyboard.press("Tab" if stops >= 0 else "Shift+Tab")
        raise AssertionError(f"Tab does not lead to {control}. Stops it was away: {way}.")

    def write(self, box: Locator, text: str) -> None:
        """Replace the text of a box. In keyboard mode the box must have the focus already."""
        if not self.keys:
            self.press(box)
        expect(box).to_be_focused()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    # --- in a conversation ---

    def send(self, text: str, button: str = "Send") -> None:
        """Send a text, or queue it."""
        if self.keys:
            self.reach(self.screen.composer)
        self.write(self.screen.composer, text)
        if self.keys:
            self.page.keyboard.press("Enter")
        else:
            self.press(self.page.get_by_role("button", name=button, exact=True))

    def to_history(self) -> None:
        """Turn single keys on."""
        if not self.page.evaluate(IN_HISTORY):
            self.reach(self.screen.composer)
            self.page.keyboard.press("Escape")
            expect(self.page.locator("html")).to_have_attribute("data-keys", "on")

    def on_pair(self, number: int, button: str, key: str) -> None:
        """Do something to a pair. The pairs are counted from 1 in the order of the page, whatever the filter."""
        pair = self.screen.pairs.nth(number - 1)
        if not self.keys:
            if not self.phone:
                pair.hover()
            named = pair.get_by_role("button", name=button)
            if self.phone and not named.count():  # the phone shows this button only in a menu
                pair.locator(".more > button").tap()
            self.press(named.last)
            return
        self.to_history()
        self.page.keyboard.press("g")
        for _ in range(number - 1):
            self.page.keyboard.press("d")
        expect(pair.get_by_role("group", name="Request of pair")).to_be_focused()
        self.page.keyboard.press(key)

    def undo(self) -> None:
        """Undo the last action."""
        if self.keys:
            expect(self.page.locator(".toast")).to_be_visible()
            self.to_history()
            self.page.keyboard.press("Control+z")
        else:
            self.press(self.page.locator(".toast").get_by_role("button", name="Undo"))

    def stop(self) -> None:
        """Stop the running reply."""
        expect(self.screen.stop).to_be_visible()
        if self.keys:
            press_escape_twice(self.page)
        else:
            self.press(self.screen.stop)

    def choose_filter(self, text: str) -> None:
        """Apply a filter."""
        if self.keys:
            self.to_history()
            self.page.keyboard.press("/")
        elif self.phone:
            self.press(self.page.get_by_role("button", name="Filter", exact=True))
        self.write(self.page.get_by_role("combobox", name="Filter"), text)
        self.page.keyboard.press("Enter")

    def show_branches(self) -> None:
        """Show the tree of branches."""
        if self.keys:
            self.to_history()
            self.page.keyboard.press("Shift+B")
        else:
            self.press(self.page.get_by_role("button", name="Show request", exact=True))
            self.press(self.page.get_by_role("tab", name="Branches"))


def lifecycles(screen: Screen, *wanted: str) -> None:
    """Wait until the pairs have these lifecycles."""
    eventually(lambda: [pair["lifecycle"] for pair in screen.stored_pairs()] == list(wanted))


def texts(screen: Screen, *wanted: str) -> None:
    """Wait until these requests are stored."""
    eventually(lambda: [pair["user_text"] for pair in screen.stored_pairs()] == list(wanted))
