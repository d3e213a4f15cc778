"""`gameserver blame`, `replay` and `export`, on the data file of a server that runs."""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from rich.console import Console

from gameserver.cli.main import main
from gameserver.cli.replay import _step_through
from gameserver.exports.match_steps import Frame, frames
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.match_record import MatchRecord
from tests.exports.matches import GAMES, played
from tests.support.journals import open_journal
from tests.support.stopping import stop_with_its_client

MATCHES = {1: ("Tic-tac-toe", {}), 2: ("Reversi", {}), 3: ("Backgammon", {"length": "cash"})}


@pytest.fixture(scope="module")
def records() -> list[MatchRecord]:
    # Unrated: a journal in PostgreSQL works ratings out, and one in SQLite writes down those that the lobby gives.
    return [
        evolve(played(game, number, **options), match=number, rated=False)
        for number, (game, options) in MATCHES.items()
    ]


@pytest.fixture
def run(tmp_path: Path, records: list[MatchRecord]) -> Iterator[Callable[..., Result]]:
    """Runs a command while the server has the file open."""
    journal = SqliteJournal(tmp_path / "data.sqlite3")
    journal.append([], records)
    runner = CliRunner()
    yield lambda *words: runner.invoke(main, [words[0], "--data", str(tmp_path / "data.sqlite3"), *words[1:]])
    journal.close()


def test_blame(run: Callable[..., Result]) -> None:
    told = run("blame", "1")
    assert told.exit_code == 0
    assert told.output.startswith("match 1, Tic-tac-toe: ")
    assert "the game was played to its end" in told.output


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


@pytest.mark.parametrize("words", [("blame", "99"), ("replay", "99"), ("export", "text", "99")])
def test_a_match_that_is_not_there(run: Callable[..., Result], words: tuple[str, ...]) -> None:
    told = run(*words)
    assert told.exit_code == 1
    assert told.stderr == "gameserver: there is no finished match 99 on record\n"


@pytest.mark.parametrize("words", [("blame", str(1 << 63)), ("replay", "9" * 30), ("export", "text", "0")])
def test_numbers_that_no_match_can_have(run: Callable[..., Result], words: tuple[str, ...]) -> None:
    told = run(*words)
    assert told.exit_code == 1
    assert told.stderr.startswith("gameserver: there is no finished match ")


def test_a_file_that_cannot_be_written(run: Callable[..., Result], tmp_path: Path) -> None:
    told = run("export", "matches", "--output", str(tmp_path / "none" / "matches.jsonl"))
    assert told.exit_code == 1
    assert "matches.jsonl cannot be written: No such file or directory" in told.stderr


@pytest.mark.parametrize(
    ("content", "says"), [(None, "there is no data file"), (b"no database" * 99, "cannot be read: file is not")]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "other"
    if content is not None:
        file.write_bytes(content)
    told = CliRunner().invoke(main, ["blame", "1", "--data", str(file)])
    assert told.exit_code == 1
    assert says in told.stderr
    assert told.stderr.count("\n") == 1


def test_replay_prints_every_step(run: Callable[..., Result], records: list[MatchRecord]) -> None:
    told = run("replay", "1", "--all")
    assert told.exit_code == 0
    assert told.output.count("match 1, Tic-tac-toe: ") == len(records[0].moves) + 2
    assert "the beginning" in told.output
    assert "the end, played: " in told.output
    assert told.output.count(" played ") >= len(records[0].moves)


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
    assert first.happened == "the boards cannot be shown: the game Chess is not installed"
    assert len(others) == len(records[0].moves) + 1
    assert not any(frame.board for frame in others)


def test_the_last_board_stands_with_the_result(records: list[MatchRecord]) -> None:
    *_, before, last = frames(records[1], GAMES, None)
    assert before.board == last.board != ""


def test_export_rows(run: Callable[..., Result], records: list[MatchRecord], tmp_path: Path) -> None:
    rows = [json.loads(line) for line in run("export", "matches").stdout.splitlines()]
    assert [row["match"] for row in rows] == [1, 2, 3]
    told = run("export", "moves", "2", "--format", "csv", "--output", str(tmp_path / "moves.csv"))
    assert (told.exit_code, told.output) == (0, "")
    content = (tmp_path / "moves.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbfmatch,")
    assert len(list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))) == len(records[1].moves)
    assert run("export", "matches", "--csv", "dutch").stdout.startswith("match;game;options;")


@pytest.mark.parametrize(
    ("option", "value", "found"), [("--game", "reversi", [2]), ("--player", "gx-ann", [3]), ("--player", "nobody", [])]
)
def test_export_only_some(run: Callable[..., Result], option: str, value: str, found: list[int]) -> None:
    rows = [json.loads(line) for line in run("export", "matches", option, value).stdout.splitlines()]
    assert [row["match"] for row in rows] == found


def test_export_in_the_formats_of_the_games(run: Callable[..., Result]) -> None:
    assert run("export", "text").stdout.count('[Match "') == 3
    assert run("export", "sgf").stdout.count("GM[2]") == 1
    assert " Game 1\n" in run("export", "mat", "3").stdout
    left_out = run("export", "sgf", "1")
    assert (left_out.stdout, left_out.stderr) == ("", "gameserver: match 1 is left out: Tic-tac-toe has no sgf\n")
    unknown = run("export", "pdf")
    assert unknown.exit_code == 2
    assert unknown.stderr == "gameserver: 'pdf' cannot be exported; there is matches, moves, text, mat, sgf\n"


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
    unknown = run("replay", "1", "--to-client", "--as", seat.player, "--", "no-such-program")
    assert unknown.exit_code == 1
    assert unknown.stderr.endswith("gameserver: no-such-program cannot be started: No such file or directory\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to end it by")
@pytest.mark.usefixtures("run")
def test_ended_replay_leaves_no_client_behind(records: list[MatchRecord], tmp_path: Path) -> None:
    seat = records[0].seats[0].player
    client = (sys.executable, str(CLIENT), "{host}", "{port}", "{name}")
    words = ("1", "--data", str(tmp_path / "data.sqlite3"), "--to-client", "--as", seat, "--", *client)
    stop_with_its_client(("replay", *words), CLIENT)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--to-client",), "end with the command that starts the client, after `--`"),
        (("--to-client", "--connect", "--", "bot"), "end with the command that starts the client"),
        (("--to-client", "--protocol", "x", "--", "bot"), "--protocol: there is no 'x'; there is "),
        (("--to-client", "--protocol", "mastermind", "--", "bot"), "clients of mastermind play the house alone"),
        (("--to-client", "--as", "nobody", "--", "bot"), "--as: the players of match 1 are "),
        (("--to-client", "--as", "one", "--from", "99", "--", "bot"), "--from: match 1 has "),
        (("--to-client", "--as", "one", "--continue", "house-x", "--", "bot"), "--continue: nobody of the house plays"),
        (("--", "bot"), "a client is started for --to-client only"),
    ],
)
def test_a_replay_that_cannot_be(
    run: Callable[..., Result], records: list[MatchRecord], words: tuple[str, ...], says: str
) -> None:
    name = records[0].seats[0].player
    told = run("replay", "1", *(name if word == "one" else word for word in words))
    assert (told.exit_code, says in told.stderr) == (2, True), told.output
