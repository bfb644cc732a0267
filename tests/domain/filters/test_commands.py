from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import Mark
from app.domain.filters.bar.command_rules import (
    ConfirmCommand,
    Decision,
    PerformCommand,
    RefuseCommand,
    ShowText,
    decide_call,
    describe_command,
)
from app.domain.filters.language.commands import (
    COMMANDS,
    BarLine,
    Command,
    CommandCall,
    Delete,
    Export,
    ExportFormat,
    ExportOrder,
    FileUnder,
    Fork,
    Rate,
    SetFlag,
    SetMark,
)
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter, parse_line
from app.domain.filters.language.syntax import Everything, Filter
from tests.domain.filters.strategies import FILTERS, patient


def command_of(line: str) -> Command:
    call = parse_line(line).call
    assert call is not None
    return call.command


def decision_on(line: str, selected: int) -> Decision:
    parsed = parse_line(line)
    assert parsed.call is not None
    return decide_call(parsed.call, parsed.filter, selected)


# --- reading ---


@pytest.mark.parametrize(
    ("written", "command"),
    [
        (":export", Export()),
        (":export md", Export(ExportFormat.MARKDOWN)),
        (":export html --order=topic", Export(ExportFormat.HTML, order=ExportOrder.TOPIC)),
        (":export --filename 'my notes' json", Export(filename="my notes")),
        (':export --filename="it\'s" --order time', Export(filename="it's")),
        (":topic 'AI > Planning'", FileUnder(("AI", "Planning"))),
        (':topic "AI"', FileUnder(("AI",))),
        (":topic AI", FileUnder(("AI",))),
        (r":topic 'A \> B \*'", FileUnder(("A > B *",))),
        (":topic", FileUnder()),
        (":star 0", Rate(0)),
        (":star 3", Rate(3)),
        (":flag", SetFlag(flagged=True)),
        (":unflag", SetFlag(flagged=False)),
        (":in", SetMark(Mark.IN)),
        (":out", SetMark(Mark.OUT)),
        (":delete", Delete()),
        (":delete --force", Delete(force=True)),
        (":fork", Fork()),
        (": fork ", Fork()),
    ],
)
def test_a_command_is_read_to_a_value(written: str, command: Command) -> None:
    assert parse_line(f"s2 {written}") == BarLine(parse_filter("s2"), CommandCall(command))
    assert parse_line(f"{written} --dry-run") == BarLine(Everything(), CommandCall(command, dry_run=True))


def test_a_line_may_have_no_command() -> None:
    assert parse_line("s2 r3") == BarLine(parse_filter("s2 r3"))
    assert parse_line("") == BarLine(Everything())


def test_a_command_starts_at_the_first_colon_outside_quotes_and_parentheses() -> None:
    line = parse_line("""(m'openai:*' | c":star") :topic 'a: b'""")

    assert line.filter == parse_filter("""m'openai:*' | c':star'""")
    assert line.call == CommandCall(FileUnder(("a: b",)))


@pytest.mark.parametrize(
    ("line", "position", "found", "expected"),
    [
        ("b :", 3, "", "a command (export, topic, star, flag, unflag, in, out, delete, fork)"),
        ("b :remove", 3, "remove", "a command (export, topic, star, flag, unflag, in, out, delete, fork)"),
        ("b :Fork", 3, "Fork", "a command (export, topic, star, flag, unflag, in, out, delete, fork)"),
        ("b :'fork'", 3, "'fork'", "a command (export, topic, star, flag, unflag, in, out, delete, fork)"),
        ("b :delete --foo", 10, "--foo", "a flag of :delete (--force, --dry-run)"),
        ("b :fork --force", 8, "--force", "a flag of :fork (--dry-run)"),
        ("b :fork --", 8, "--", "a flag of :fork (--dry-run)"),
        ("b :export pdf", 10, "pdf", "json, md or html"),
        ("b :export --order size", 18, "size", "time or topic"),
        ("b :export --order", 17, "", "time|topic after --order"),
        ("b :export --order= time", 19, "time", "time|topic after --order"),
        ("b :export --filename --dry-run", 21, "--dry-run", "name after --filename"),
        ("b :export --filename a/b", 21, "a/b", "a file's name, without folders"),
        (r"b :export --filename 'a\\b'", 21, r"'a\\b'", "a file's name, without folders"),
        ("b :export --filename ' '", 21, "' '", "a file's name, without folders"),
        (r"b :export --filename 'a\nb'", 21, r"'a\nb'", "a file's name, without folders"),
        ("b :export md html", 13, "html", "--filename, --order, --dry-run or the end"),
        ("b :topic AI > Planning", 12, ">", "--dry-run or the end"),
        ("b :topic 'AI*'", 9, "'AI*'", "the path of one topic, without stars"),
        ("b :topic 'AI...'", 9, "'AI...'", "the path of one topic, without stars"),
        ("b :topic ''", 9, "''", "the path of one topic, without stars"),
        ("b :star", 7, "", "0, 1, 2 or 3"),
        ("b :star 4", 8, "4", "0, 1, 2 or 3"),
        ("b :delete --force=yes", 10, "--force=", "--force without a value"),
        ("b :flag --dry-run --dry-run", 18, "--dry-run", "--dry-run once"),
        ("b :flag 3", 8, "3", "--dry-run or the end"),
        ("b :topic 'AI", 9, "'", "a closing ' after it"),
        ("s7 :fork", 1, "7", "a number of stars from 0 to 3"),
    ],
)
def test_a_command_that_cannot_be_called_so_is_an_error(line: str, position: int, found: str, expected: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_line(line)

    assert (caught.value.position, caught.value.found, caught.value.expected) == (position, found, expected)


def test_every_command_of_the_table_can_be_read() -> None:
    assert {parse_line(row.example).call is not None for row in COMMANDS.values()} == {True}
    assert [command_of(row.example).__class__ for row in COMMANDS.values()] == [
        *(Export, FileUnder, Rate, SetFlag, SetFlag, SetMark, SetMark, Delete, Fork)
    ]


@patient
@given(FILTERS, st.sampled_from([row.name for row in COMMANDS.values() if row.name != "star"]))
def test_any_filter_can_precede_a_command(tree: Filter, name: str) -> None:
    line = parse_line(f"{format_filter(tree)}:{name}")

    assert line.filter == tree
    assert line.call is not None


# --- rules ---


@pytest.mark.parametrize("line", [":export", ":topic AI", ":star 3", ":flag", ":unflag", ":in", ":out", "r3 :fork"])
def test_what_can_be_taken_back_is_done_at_once(line: str) -> None:
    assert decision_on(line, selected=3) == PerformCommand()


def test_delete_always_asks_and_says_how_many() -> None:
    assert decision_on("s1 :delete", selected=1) == ConfirmCommand("Really delete 1 pair?")
    assert decision_on("s1 :delete", selected=50) == ConfirmCommand("Really delete 50 pairs?")
    assert decision_on("s1 :delete --force", selected=1_000) == ConfirmCommand("Really delete 1,000 pairs?")


def test_delete_of_more_than_fifty_pairs_requires_force() -> None:
    assert decision_on("s1 :delete", selected=51) == RefuseCommand("To delete 51 pairs, more than 50, add --force.")


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("r10 :delete", "r10"),
        ("!o :delete", "o"),
        ("o5 :delete", "o5"),
        ("t :delete", "t"),
        ("t10 :delete --force", "t10"),
        ("s1 (b | !(t r3)) r3 :delete --dry-run", "t, r3"),
    ],
)
def test_delete_refuses_filters_whose_meaning_shifts_as_pairs_vanish(line: str, terms: str) -> None:
    decision = decision_on(line, selected=2)

    assert isinstance(decision, RefuseCommand)
    assert decision.reason.startswith(f"Cannot delete by {terms}: its selection changes when pairs are deleted.")


@pytest.mark.parametrize("line", ["t'AI' m a d<7d k i e c'x' u>2 s1 in :delete", ":delete"])
def test_delete_takes_filters_whose_meaning_stays(line: str) -> None:
    assert decision_on(line, selected=2) == ConfirmCommand("Really delete 2 pairs?")


def test_a_dry_run_says_what_would_happen_with_a_count() -> None:
    assert decision_on("s1 :delete --dry-run", selected=12) == ShowText("Would delete 12 pairs. Nothing was changed.")
    assert decision_on(":star 2 --dry-run", selected=1) == ShowText("Would give 1 pair 2 stars. Nothing was changed.")
    assert isinstance(decision_on(":delete --dry-run", selected=99), RefuseCommand)


@pytest.mark.parametrize("line", [":delete", ":fork", ":export --dry-run"])
def test_nothing_is_done_to_no_pairs(line: str) -> None:
    assert decision_on(line, selected=0) == RefuseCommand("The filter selects no pairs.")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (":export md --filename notes --order topic", 'export 12 pairs as md to "notes", by topic'),
        (":export", "export 12 pairs as json"),
        (":topic 'AI > Planning'", "file 12 pairs under AI > Planning"),
        (":topic", "file 12 pairs under the chosen topic"),
        (":star 1", "give 12 pairs 1 star"),
        (":flag", "flag 12 pairs"),
        (":unflag", "unflag 12 pairs"),
        (":in", "tag 12 pairs “include”"),
        (":out", "tag 12 pairs “exclude”"),
        (":delete", "delete 12 pairs"),
        (":fork", "start a new conversation from 12 pairs"),
    ],
)
def test_a_command_reads_as_words(written: str, words: str) -> None:
    assert describe_command(command_of(written), 12) == words
