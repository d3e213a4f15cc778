"""Scenarios played with real programs: small clients that have one fault each."""

import re
import sys
import time
from pathlib import Path

import psutil
import pytest
from attrs import evolve

from gameserver import plugins
from gameserver.check.checker import CannotCheck, Terms, play, prepared, wanted
from gameserver.check.director import Patience
from gameserver.check.match_acts import PAUSE_S
from gameserver.check.report import Failure, Level, ScenarioOutcome, ScenarioResult
from gameserver.check.scenario import read
from tests.check.test_scenario import HEAD

PLUGINS = plugins.load(installed=False)
CLIENT = Path(__file__).with_name("small_client.py")
TWO_MATCHES = """\
CLIENT comes in
OPPONENT comes in
CLIENT meets OPPONENT, CLIENT first
the match is played to its end
CLIENT meets OPPONENT, OPPONENT first
the match is played to its end
"""


def terms_of(tmp_path: Path, fault: str) -> Terms:
    return Terms(
        command=(sys.executable, str(CLIENT), "{host}", "{port}", "{name}", fault),
        protocol="strategic",
        game="Tic-tac-toe",
        name="client",
        directory=tmp_path,
        tell=print,
        turn_time_s=30.0,
        memory_max_bytes=200_000_000,
    )


def played(tmp_path: Path, steps: str, fault: str = "none", head: str = "", **limits: float) -> ScenarioResult:
    terms = evolve(terms_of(tmp_path, fault), **limits)
    patience = Patience() if fault == "sleeps" else Patience(late_s=0.1)
    return play(terms, prepared(PLUGINS, terms, read(f"{HEAD}{head}\n{steps}", "f.scenario", "f")), patience)


def test_good_client_passes_in_both_seats(tmp_path: Path) -> None:
    result = played(tmp_path, TWO_MATCHES)
    assert (result.outcome, result.findings, result.warnings) == (ScenarioOutcome.PASSED, (), ())


@pytest.mark.parametrize(
    ("fault", "line", "what", "kind"),
    [
        ("does not start", 9, "The program ended with exit code 3 before it had logged in.", Failure.NOT_IN),
        ("hangs", 12, "It made no move within 1 s of its turn, and lost the match by that.", Failure.SILENT),
        ("sleeps", 12, " and lost the match by that. It sent one ", Failure.SLOW),
        ("moves illegally", 12, "It made an illegal move, and lost the match by it: '0'", Failure.ILLEGAL),
        ("moves because of MATCH", 12, "It made a move although it was not its turn.", Failure.EARLY),
        ("dies in a match", 12, "The program ended with exit code 1.", Failure.ENDED),
        ("quits", 13, "The program ended by itself after 1 match. In an event it has to stay", Failure.LEFT),
        ("uses much memory", 12, "MB of memory, more than the 200 MB that it may use", Failure.MEMORY),
        ("prints without end", 12, "It printed without end.", Failure.OUTPUT),
        ("closes its connection", 13, "It is not logged in any more, so that no match can begin.", Failure.LEFT),
    ],
)
def test_fault_is_found_where_it_happens(
    tmp_path: Path, fault: str, line: int, what: str, kind: Failure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gameserver.check.match_acts._MEET_S", 1.0)
    monkeypatch.setattr("gameserver.check.scene.OUTPUT_BYTES_MAX", 50_000)
    # Only where the turn is what ends it, it is short: a busy machine may take its time to start printing.
    limits = {"turn_time_s": 1.0} if kind in {Failure.SILENT, Failure.SLOW} else {}
    result = played(tmp_path, TWO_MATCHES, fault, **limits)
    assert (result.outcome, result.failure) == (ScenarioOutcome.FAILED, kind)
    # On a busy machine a program that quits has ended before the step of its match has.
    assert result.findings[0].line in ({line - 1, line} if fault == "quits" else {line})
    assert what in result.findings[0].what
    assert result.wire or fault == "does not start"
    if fault == "dies in a match":
        assert "ValueError: no such square" in result.findings[-1].what
        assert result.output[-1] == "ValueError: no such square"


def test_client_that_does_not_log_in_is_given_up(tmp_path: Path) -> None:
    result = played(tmp_path, "CLIENT comes in\n", "does not log in", login_time_s=0.5)
    assert [finding.what for finding in result.findings] == ["It did not log in within 0.5 s."]


def test_no_process_is_left(tmp_path: Path) -> None:
    played(tmp_path, "CLIENT comes in\n")
    started = [process for process in psutil.Process().children(recursive=True) if str(CLIENT) in process.cmdline()]
    assert started == []


def test_nobody_waits_for_what_only_the_server_waits_for(tmp_path: Path) -> None:
    began_s = time.perf_counter()
    steps = "CLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT, OPPONENT first\nOPPONENT is late\n3 min pass\n"
    result = played(tmp_path, steps, head='server: match.clock = "turn 60s"\n')
    assert (result.outcome, result.findings) == (ScenarioOutcome.PASSED, ())
    assert time.perf_counter() - began_s < 200, "four minutes pass for the server"


def test_nobody_waits_for_the_answer_of_an_opponent_that_was_late(tmp_path: Path) -> None:
    steps = (
        "CLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT, OPPONENT first\nOPPONENT is late\n"
        "CLIENT meets OPPONENT, OPPONENT first\n2 moves are played\nOPPONENT resigns\n"
    )
    result = played(tmp_path, steps)
    assert (result.outcome, result.findings) == (ScenarioOutcome.PASSED, ())
    assert result.took_ms < 5_000, "the server waits 10 s if none comes"


def test_a_scenario_that_changes_no_line_is_not_reached(tmp_path: Path) -> None:
    """Else a pattern that fits nothing would pass every client."""
    result = played(tmp_path, TWO_MATCHES, head="rewrite: ^SVR GAME MTACH => SVR\n")
    assert result.outcome is ScenarioOutcome.NOT_REACHED
    assert result.findings[0].what == "No line or message passed that the scenario wants to change."


def test_what_the_client_can_prevent_could_not_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine tells the end of a match up to half a second after it was seen here.
    monkeypatch.setattr("gameserver.check.match_acts.PAUSE_S", PAUSE_S + 0.5)
    steps = "CLIENT comes in\nOPPONENT comes in\nup to 2 matches until CLIENT is skipped\n"
    result = played(tmp_path, steps)
    assert (result.outcome, result.blocks) == (ScenarioOutcome.NOT_PLAYABLE, False)
    assert result.findings[0].what.startswith("In 2 matches it never happened that CLIENT is skipped.")
    (ended_us, *_) = (heard.at_us for heard in result.wire if re.match("SVR GAME (WIN|LOSS|DRAW)", heard.text))
    (*_, begun_us) = (heard.at_us for heard in result.wire if heard.text.startswith("SVR GAME MATCH"))
    assert begun_us - ended_us >= 1_000_000, "this client asks for no match, and real opponents leave it a second"


def test_move_that_is_waited_for_and_never_legal_accuses_nobody(tmp_path: Path) -> None:
    steps = TWO_MATCHES.replace("CLIENT meets", "OPPONENT plays double as soon as it may\nCLIENT meets", 1)
    result = played(tmp_path, steps)
    assert (result.outcome, result.blocks) == (ScenarioOutcome.NOT_PLAYABLE, False)
    assert result.findings[0].what == "Opponent never came to play 'double'."


@pytest.mark.parametrize("end", ["OPPONENT resigns", "the match is played to its end"])
def test_client_may_win_before_the_match_is_ended(tmp_path: Path, end: str) -> None:
    """Between two steps the players of the check wait; the client makes the move that wins as soon as it can."""
    steps = f"""\
CLIENT comes in
OPPONENT comes in
CLIENT meets OPPONENT, CLIENT first
OPPONENT plays 8 as soon as it may
2 moves are played
OPPONENT plays 7 as soon as it may
2 moves are played
CLIENT sends ^move 2$
CLIENT sends nothing for 100 ms
{end}
CLIENT meets OPPONENT
2 moves are played
OPPONENT resigns
"""
    result = played(tmp_path, steps)
    assert (result.outcome, result.findings) == (ScenarioOutcome.PASSED, ())


@pytest.mark.parametrize(
    ("command", "head", "why"),
    [
        (("no-such-program-anywhere",), "", "no-such-program-anywhere cannot be started"),
        (("python3", "{prot}"), "", r"there is no \{prot\}; there are \{host\}"),
        (("python3",), "server: match.turn_tim_s = 1\n", "f: match.turn_tim_s is not a setting"),
        (("python3",), "wire: spilt\n", "there is no fault 'spilt'"),
    ],
)
def test_check_that_cannot_be_made_says_why(tmp_path: Path, command: tuple[str, ...], head: str, why: str) -> None:
    terms = evolve(terms_of(tmp_path, "none"), command=command)
    with pytest.raises(CannotCheck, match=why):
        play(terms, prepared(PLUGINS, terms, read(f"{HEAD}{head}\nCLIENT comes in\n", "f", "f")))


def test_scenarios_are_chosen_by_game_name_and_level() -> None:
    def scenario(name: str, level: str, games: str) -> str:
        return f"{HEAD.replace('level: required', f'level: {level}')}games: {games}\n\nCLIENT comes in\n"

    found = [
        read(scenario(*one), "f", one[0])
        for one in (("a", "required", "*"), ("b", "advised", "Reversi"), ("c", "curious", "Tic-tac-toe"))
    ]

    def names(game: str, level: Level | None = None, *asked: str) -> list[str]:
        return [one.name for one in wanted(found, game, level, asked)]

    assert names("Reversi") == ["a", "b"]
    assert names("Reversi", Level.REQUIRED) == ["a"]
    assert names("Tic-tac-toe", Level.ADVISED) == ["a"]
    assert names("Tic-tac-toe", Level.CURIOUS) == ["a", "c"]
    assert names("Reversi", Level.REQUIRED, "b") == ["b"]


def test_mistake_of_the_check_itself_costs_one_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("no such move")

    monkeypatch.setattr("gameserver.check.opponent.choose", broken)
    result = played(tmp_path, TWO_MATCHES)
    assert result.outcome is ScenarioOutcome.NOT_REACHED
    assert "The check itself has failed, please report it: KeyError: 'no such move'" in result.findings[0].what


def test_time_does_not_pass_for_a_client_that_has_to_move(tmp_path: Path) -> None:
    steps = "CLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT, CLIENT first\n180 s pass\n"
    result = played(tmp_path, steps, "hangs", head='server: match.clock = "turn 60s"\n')
    assert result.outcome is ScenarioOutcome.NOT_REACHED
    assert "It is the client's turn" in result.findings[0].what


@pytest.mark.parametrize(
    ("fault", "outcome", "what"),
    [
        ("none", ScenarioOutcome.NOT_PLAYABLE, "The client did not come back after a restart of the server"),
        (
            "hangs after a lost connection",
            ScenarioOutcome.FAILED,
            "It made no move within 1 s of its turn, and lost the match",
        ),
    ],
)
def test_restart_is_held_only_against_a_client_that_comes_back(
    tmp_path: Path, fault: str, outcome: ScenarioOutcome, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gameserver.check.acts._RETURN_S", 1.0)
    steps = (
        "CLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT, CLIENT first\n2 moves are played\n"
        "CLIENT goes through a restart of the server\nthe match is played to its end\n"
    )
    result = played(tmp_path, steps, fault, turn_time_s=1.0)
    assert (result.outcome, result.findings[0].what[: len(what)]) == (outcome, what)


@pytest.mark.parametrize("cut", ["CLIENT is cut off", "the server restarts"])
def test_client_that_comes_back_has_to_play_on(tmp_path: Path, cut: str) -> None:
    steps = (
        "CLIENT comes in\nOPPONENT comes in\nCLIENT meets OPPONENT, CLIENT first\n2 moves are played\n"
        f"{cut}\nCLIENT comes back\nthe match is played to its end\n"
    )
    head = "server: match.drop_grace_s = 30\n"
    result = played(tmp_path, steps, "hangs after a lost connection", head, turn_time_s=1.0)
    assert result.outcome is ScenarioOutcome.FAILED
    assert result.findings[0].what == "It made no move within 1 s of its turn, and lost the match by that."


def test_client_that_does_not_come_back_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.check.acts.BACK_AGAIN_S", 0.1)
    steps = "CLIENT comes in\nCLIENT is cut off\nCLIENT comes back\n"
    terms, patience = terms_of(tmp_path, "none"), Patience(back_s=0.5)
    results = [play(terms, prepared(PLUGINS, terms, read(f"{HEAD}\n{steps}", "f", "f")), patience) for _ in range(2)]
    assert [result.failure for result in results] == [Failure.NOT_BACK] * 2
    assert results[0].findings[0].what.startswith("It did not come back within 0.5 s")
    assert (
        results[1].findings[0].what.startswith("It did not come back within 0.1 s after its connection was lost, nor ")
    )
