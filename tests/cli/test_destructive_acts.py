"""Commands that take something away ask again on a terminal, and elsewhere need `--yes` and `--why`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gameserver.cli import admin, common
from gameserver.cli import tournament as cli
from gameserver.tournaments.act_table import apply, teacher_acts
from gameserver.tournaments.model import Report, TournamentPhase, Verdict
from gameserver.tournaments.view import as_json, tournament_view
from tests.tournaments.test_act_table import in_phase

DESTRUCTIVE = [name for name, spec in teacher_acts().items() if spec.is_destructive]
ARGUMENTS = {
    "drop": ["p01"],
    "disqualify": ["p01"],
    "void": ["1"],
    "correct": ["1", "draw"],
    "cancel": [],
    "void-stage": [],
}


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
    """The act upon a tournament, or `void` upon a match outside of any."""
    if name == "void-match":
        return CliRunner().invoke(admin.void, ["7", *options, "--by", "ms"], input=typed)
    command = cli.act_command(name, teacher_acts()[name])
    return CliRunner().invoke(command, [*ARGUMENTS[name], *options], input=typed)


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "is_terminal", lambda: True)


@pytest.mark.parametrize("name", [*DESTRUCTIVE, "void-match"])
@pytest.mark.parametrize("options", [(), ("--yes",), ("--why", "slip"), ("--yes", "--why", " ")])
def test_without_a_terminal_it_needs_both(asked: list[Any], name: str, options: tuple[str, ...]) -> None:
    refused = run(name, *options)
    assert (refused.exit_code, asked) == (2, [])
    assert "give --yes, and the reason by --why" in refused.output
    assert run(name, "--yes", "--why", "slip").exit_code == 0
    assert asked == [(name.removesuffix("-match"), "slip")]


@pytest.mark.usefixtures("_terminal")
@pytest.mark.parametrize("name", [*DESTRUCTIVE, "void-match"])
def test_a_terminal_is_told_the_losses_and_asked(asked: list[Any], name: str) -> None:
    refused = run(name, "--why", "slip", typed="n\n")
    assert (refused.exit_code, asked) == (1, [])
    assert "nothing was changed" in refused.output
    done = run(name, typed="y\n\nslip\n")
    assert done.exit_code == 0
    lost = "End match 7 without a loser: ann against bob, Reversi\n  12 moves have been made."
    assert (f"{teacher_acts()[name].button}: league\n  " if name in DESTRUCTIVE else lost) in done.output
    assert asked == [(name.removesuffix("-match"), "slip")]


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


@pytest.mark.usefixtures("_terminal")
def test_match_that_is_not_played_cannot_be_voided(asked: list[Any]) -> None:
    unknown = CliRunner().invoke(admin.void, ["8", "--by", "ms"], input="y\nfire drill\n")
    assert (unknown.exit_code, asked) == (1, [])
    assert "no match 8 is being played" in unknown.output
