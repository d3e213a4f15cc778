"""Commands that take something away ask again on a terminal, and elsewhere need `--yes` and `--why`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gameserver.cli import admin, agreement
from gameserver.cli import tournament as cli
from gameserver.tournaments.acts import Report
from gameserver.tournaments.lifecycle.act_table import apply, teacher_acts
from gameserver.tournaments.model import TournamentPhase, Verdict
from gameserver.tournaments.output.view import as_json, tournament_view
from tests.tournaments.lifecycle.test_act_table import in_phase

DESTRUCTIVE = [name for name, spec in teacher_acts().items() if spec.is_destructive]
ARGUMENTS = {"drop": ["p01"], "disqualify": ["p01"], "void": ["1"], "correct": ["1", "draw"], "cancel": []}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests to the server."""
    found: list[Any] = []
    tournament = apply(in_phase(TournamentPhase.RUNNING), Report(1, 1, Verdict.FIRST))

    class Server:
        def get(self, *path: str) -> Any:
            if path == ("status",):
                return {"matches": [{"match": 7, "game": "Reversi", "players": ["ann", "bob"], "moves": 12}]}
            view = as_json(tournament_view(tournament, number=4))
            return {"tournaments": [view]} if path == ("tournaments",) else view

        def post(self, *path: str, **body: Any) -> Any:
            found.append((path[-1], body["why"]))
            return as_json(tournament_view(tournament, number=4))

    @contextmanager
    def running_server(*_where: object) -> Iterator[Server]:
        yield Server()

    monkeypatch.setattr(cli, "running_server", running_server)
    monkeypatch.setattr(admin, "running_server", running_server)
    return found


def run(name: str, *options: str, typed: str = "") -> Result:
    command = cli.act_command(name, teacher_acts()[name])
    return CliRunner().invoke(command, [*ARGUMENTS[name], *options], input=typed)


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "is_terminal", lambda: True)


@pytest.mark.parametrize("name", DESTRUCTIVE)
@pytest.mark.parametrize("options", [(), ("--yes",), ("--why", "slip"), ("--yes", "--why", " ")])
def test_without_a_terminal_it_needs_both(asked: list[Any], name: str, options: tuple[str, ...]) -> None:
    refused = run(name, *options)
    assert (refused.exit_code, asked) == (2, [])
    assert "give --yes, and the reason by --why" in refused.output
    assert run(name, "--yes", "--why", "slip").exit_code == 0
    assert asked == [(name, "slip")]


@pytest.mark.usefixtures("_terminal")
@pytest.mark.parametrize("name", DESTRUCTIVE)
def test_a_terminal_is_told_the_losses_and_asked(asked: list[Any], name: str) -> None:
    refused = run(name, "--why", "slip", typed="n\n")
    assert (refused.exit_code, asked) == (1, [])
    assert "nothing was changed" in refused.output
    done = run(name, typed="y\n\nslip\n")
    assert done.exit_code == 0
    assert f"{teacher_acts()[name].button}: league\n  " in done.output
    assert asked == [(name, "slip")]


@pytest.mark.usefixtures("_terminal")
def test_with_both_nothing_is_asked(asked: list[Any]) -> None:
    done = run("cancel", "--yes", "--why", "fire alarm")
    assert done.output == "league was cancelled\n"
    assert asked == [("cancel", "fire alarm")]


@pytest.mark.usefixtures("_terminal")
def test_unknown_player_is_refused_before_the_question(asked: list[Any]) -> None:
    command = cli.act_command("drop", teacher_acts()["drop"])
    refused = CliRunner().invoke(command, ["zed"], input="y\n")
    assert (refused.exit_code, asked) == (1, [])
    assert "zed is not in this tournament" in refused.output


def void(*words: str, typed: str = "") -> Result:
    """`gameserver void`, upon a match outside of any tournament."""
    return CliRunner().invoke(admin.void, [*words, "--by", "ms"], input=typed)


@pytest.mark.parametrize("options", [(), ("--yes",), ("--why", "slip")])
def test_void_without_a_terminal_needs_both(asked: list[Any], options: tuple[str, ...]) -> None:
    refused = void("7", *options)
    assert (refused.exit_code, asked) == (2, [])
    assert "`void` cannot ask without a terminal: give --yes, and the reason by --why" in refused.output
    assert void("7", "--yes", "--why", "slip").output == "match 7 is void\n"
    assert asked == [("void", "slip")]


@pytest.mark.usefixtures("_terminal")
def test_void_says_on_a_terminal_what_is_lost(asked: list[Any]) -> None:
    refused = void("7", typed="n\n")
    assert (refused.exit_code, asked) == (1, [])
    assert "End match 7 without a loser: ann against bob, Reversi\n  12 moves have been made." in refused.output
    assert "nothing was changed" in refused.output
    assert void("7", typed="y\nfire drill\n").exit_code == 0
    assert asked == [("void", "fire drill")]
    unknown = void("8", typed="y\nfire drill\n")
    assert (unknown.exit_code, len(asked)) == (1, 1)
    assert "no match 8 is being played" in unknown.output
