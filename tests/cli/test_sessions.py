r"""Commands and what they print, as text files in `sessions`; `tests.support.scenarios` tells their form.

@file class.csv name,secret|ann,     a file in the current directory, a line after each bar; `@file2` another one
@records                             `data.sqlite3` has three matches, and a server has it open
@records stopped                     the same, and no server has it open any more
@season                              it has the tournaments Week 1 and 2, which are over, and Week 3, which gathers, and
                                     the ranking of a ladder
$ roster class.csv -o new.csv        a command; it says the indented text, on standard output or error
  exit 2                             its exit code, which is 0 where nothing is said
  line some text                     this is all that it says, in one line
  file class.csv has some text       what a file has then; `file new.csv is not there`
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from gameserver.cli.main import main
from gameserver.core.commands import KeepRanking
from gameserver.core.lobby import TournamentRow
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.match_record import MatchRecord
from gameserver.records.tournament_record import Record, record_of_tournament
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.plan import Format, Plan
from tests.exports.matches import played
from tests.support.scenarios import fault_in_text, scenarios_in
from tests.tournaments.playing import SEED
from tests.tournaments.tables import played as over

SCENARIOS = scenarios_in(Path(__file__).parent / "sessions")
MATCHES = {1: ("Tic-tac-toe", {}), 2: ("Reversi", {}), 3: ("Backgammon", {"length": "cash"})}


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    # Unrated: a journal in PostgreSQL works ratings out, and one in SQLite writes down those that the lobby gives.
    return [
        evolve(played(game, number, **options), match=number, rated=False)
        for number, (game, options) in MATCHES.items()
    ]


def season() -> list[Record]:
    plan = Plan("Week 1", "Reversi", Format.ROUND_ROBIN)
    first = over(plan, ["ann-bob 1-0", "bob-=1+1 1-0", "ann-=1+1 1-0"])
    second = over(evolve(plan, name="Week 2"), ["ann2-bob 0-1"])
    states = first, second, Tournament(evolve(plan, name="Week 3"), SEED)
    rows = (TournamentRow(number, state) for number, state in enumerate(states, start=1))
    # The ladder's night lies between the first two, whose weeks began in September and in November of 2026.
    began_ms = {1: 1_788_300_000_000, 2: 1_795_000_000_000}
    made = [record_of_tournament(None, evolve(row, started_wall_ms=began_ms.get(row.number))) for row in rows]
    ladder = KeepRanking("Reversi", "2026-11-01", (("dan", 1600.0, 60.0, 9), ("ann2", 1500.0, 60.0, 9)))
    return [*(one for one in made if one is not None), ladder]


def fault_of(expected: str, done: Result) -> str:
    """The mistake in it; empty if there is none."""
    said = done.output
    if found := re.fullmatch(r"exit (\d)", expected):
        return "" if done.exit_code == int(found[1]) else f"the exit code is {done.exit_code}"
    if expected.startswith("only "):
        return "" if said.startswith(expected[5:]) and said.count("\n") == 1 else "it is not"
    if found := re.fullmatch(r"file (\S+) has (.*)", expected):
        return fault_in_text(found[2], Path(found[1]).read_text("utf-8"))
    if found := re.fullmatch(r"file (\S+) is not there", expected):
        return "it is" if Path(found[1]).exists() else ""
    return fault_in_text(expected, said)


@pytest.fixture
def has_records(tmp_path: Path) -> Iterator[Callable[[Sequence[Record], bool], None]]:
    """Has a server open the data file with some records."""
    opened: list[SqliteJournal] = []

    def open_data(records: Sequence[Record], is_stopped: bool) -> None:
        opened.append(SqliteJournal(tmp_path / "data.sqlite3"))
        opened[-1].append([], records)
        if is_stopped:
            opened.pop().close()

    yield open_data
    for journal in opened:
        journal.close()


@pytest.mark.parametrize("title", SCENARIOS)
def test_it_goes_as_written(
    title: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    records: list[MatchRecord],
    has_records: Callable[[Sequence[Record], bool], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    for word, value in SCENARIOS[title].settings.items():
        if word == "records":
            has_records(records, value == "stopped")
        elif word == "season":
            has_records(season(), False)
        else:
            name, _, text = value.partition(" ")
            Path(name).write_text(text.replace("|", "\n"), encoding="utf-8")
    for line, expected in SCENARIOS[title].steps:
        done = CliRunner().invoke(main, shlex.split(line.text.removeprefix("$ ")))
        exits = ["exit 0"] if not any(one.text.startswith("exit ") for one in expected) else []
        for place, text in [*((line.place, text) for text in exits), *((one.place, one.text) for one in expected)]:
            fault = fault_of(text, done)
            assert not fault, f"{place}: {text}: {fault}:\n{done.output}{done.exception!r}"
