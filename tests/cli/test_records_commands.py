"""`gameserver blame`, `replay` and `export`, on the data file of a server that runs."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from rich.console import Console

from gameserver.cli import prune
from gameserver.cli.main import main
from gameserver.cli.replay import _step_through
from gameserver.exports.matches import Frame, frames
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.match_record import MatchRecord
from tests.cli.test_sessions import records
from tests.exports.matches import GAMES
from tests.support.journals import open_journal
from tests.support.stopping import stop_with_its_client

__all__ = ["records"]


@pytest.fixture
def run(tmp_path: Path, records: list[MatchRecord]) -> Iterator[Callable[..., Result]]:
    """Runs a command while the server has the file open."""
    journal = SqliteJournal(tmp_path / "data.sqlite3")
    journal.append([], records)
    runner = CliRunner()
    yield lambda *words: runner.invoke(main, [words[0], "--data", str(tmp_path / "data.sqlite3"), *words[1:]])
    journal.close()


def test_a_postgresql_database_tells_the_same(
    run: Callable[..., Result], records: list[MatchRecord], database: str
) -> None:
    with closing(open_journal(database)) as journal:
        journal.append([], records)
        for words in (
            ("blame", "1"),
            ("replay", "2", "--all"),
            ("export", "matches"),
            ("export", "moves", "--csv", "dutch", "--game", "reversi"),
            ("export", "text", "--player", "ann"),
            ("export", "mat", "3"),
            ("blame", "99"),
            ("blame", str(1 << 63)),
        ):
            told = CliRunner().invoke(main, [words[0], "--data", database, *words[1:]])
            assert (told.exit_code, told.output) == (run(*words).exit_code, run(*words).output), words


def test_moves_are_kept_by_a_no_at_the_terminal(
    tmp_path: Path, records: list[MatchRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "is_terminal", lambda: True)
    with closing(SqliteJournal(tmp_path / "data.sqlite3")) as journal:
        journal.append([], records)
    words = ["records", "prune", "--before", "1971-01-01", "--data", str(tmp_path / "data.sqlite3")]
    told = {typed: CliRunner().invoke(main, words, input=f"{typed}\n") for typed in "ny"}
    assert (told["n"].exit_code, "nothing was removed" in told["n"].output) == (1, True)
    assert (told["y"].exit_code, "results, ratings and standings stay" in told["y"].output) == (0, True)


def test_replay_goes_where_the_keys_say() -> None:
    shown = tuple(Frame("a match", f"step {number}", "board") for number in range(4))
    keys = iter(["n", "p", "p", "G", "x", "g", "\r", " ", "n", "n", "not asked for"])
    output = io.StringIO()
    _step_through(shown, Console(file=output, width=60), lambda: next(keys))
    seen = [line.split()[2] for line in output.getvalue().splitlines() if "step" in line]
    assert seen == ["0", "1", "0", "0", "3", "3", "0", "1", "2", "3"]
    assert next(keys) == "not asked for", "behind the last step it ends"


def test_a_replay_ends_when_the_user_breaks_it_off() -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    _step_through((Frame("", "", ""),), Console(file=io.StringIO()), interrupted)


def test_a_match_of_a_game_that_is_gone_is_shown_without_boards(records: list[MatchRecord]) -> None:
    first, *others = frames(evolve(records[0], game="Chess", games=()), GAMES, None)
    assert first.happened == "the boards cannot be shown: the game Chess is not installed, or not in the config"
    assert len(others) == len(records[0].moves) + 1
    assert not any(frame.board for frame in others)


def test_the_last_board_stands_with_the_result(records: list[MatchRecord]) -> None:
    *_, before, last = frames(records[1], GAMES, None)
    assert before.board == last.board != ""


CLIENT = Path(__file__).parents[1] / "check" / "scripted_client.py"


def test_a_match_is_played_again_to_a_client(run: Callable[..., Result], records: list[MatchRecord]) -> None:
    (first, *_), seat = records[0].moves, records[0].seats[0]
    others = [str(cell) for cell in range(9) if str(cell) != first.move]
    client = (sys.executable, str(CLIENT), "{host}", "{port}", "{name}")
    told = run("replay", "1", "--to-client", "--no-wait", "--as", seat.player, "--", *client, others[0])
    assert told.exit_code == 0, told.output
    assert f"your client plays {seat.player}\n" in told.output
    assert f"move 1: in match 1 it played {first.move}; now it played {others[0]}, in this position:" in told.output
    wrong = run("replay", "1", "--to-client", "--no-wait", "--as", seat.player, "--", *client, "99")
    assert wrong.exit_code == 1
    assert "illegal move" in wrong.output
    assert "the same 0 decisions" not in wrong.output


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to end it by")
@pytest.mark.usefixtures("run")
def test_ended_replay_leaves_no_client_behind(records: list[MatchRecord], tmp_path: Path) -> None:
    seat = records[0].seats[0].player
    client = (sys.executable, str(CLIENT), "{host}", "{port}", "{name}")
    words = ("1", "--data", str(tmp_path / "data.sqlite3"), "--to-client", "--as", seat, "--", *client)
    stop_with_its_client(("replay", *words), CLIENT)
