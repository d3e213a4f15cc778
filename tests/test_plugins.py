"""Finding plug-ins: ours are there, broken ones are named and left out."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from click.testing import CliRunner

from gameserver import plugins
from gameserver.cli import main
from tests.support.games import Countdown


class Nameless(Countdown):
    name = "  "


class Quoted(Countdown):
    name = 'Say "when"'


class Lonely(Countdown):
    name = "Patience"
    seats = 1


class Optional(Countdown):
    name = "Options"
    options_type = dict


COUNTDOWN = Countdown()
NAMELESS = Nameless()
QUOTED = Quoted()
LONELY = Lonely()
OPTIONAL = Optional()
SOMETHING_ELSE = "no game"
HERE = "tests.test_plugins"


def test_our_own_are_found() -> None:
    found = plugins.load()
    assert {"tic-tac-toe", "reversi"} <= set(found.games)
    assert "strategic" in found.protocols
    assert found.sources["Reversi"] == "games.reversi"
    assert found.problems == ()


def test_the_config_names_more() -> None:
    found = plugins.load([f"{HERE}:COUNTDOWN"])
    assert found.games["countdown"] is COUNTDOWN
    assert found.problems == ()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("nowhere:GAME", "No module named 'nowhere'"),
        (f"{HERE}:NONE", "has no attribute 'NONE'"),
        ("just_text", "should read module:NAME"),
        (f"{HERE}:SOMETHING_ELSE", "neither a Game nor a WireProtocol"),
        (f"{HERE}:Countdown", "export an instance, not a class"),
        (f"{HERE}:NAMELESS", "printable text"),
        (f"{HERE}:QUOTED", "must not contain"),
        (f"{HERE}:LONELY", "matches are for two"),
        (f"{HERE}:OPTIONAL", "must be an attrs class"),
        ("games.reversi:GAME", "the name 'Reversi' is taken by the one from games.reversi"),
    ],
)
def test_what_cannot_be_used_is_named_and_left_out(named: str, says: str) -> None:
    found = plugins.load([named])
    (problem,) = found.problems
    assert named in problem.source
    assert says in problem.why
    assert set(found.games) == set(plugins.load().games)


def test_installed_ones_are_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> Iterator[Any]:
        if group == "gameserver.games":
            yield EntryPoint("countdown", f"{HERE}:COUNTDOWN", group)
            yield EntryPoint("broken", "nowhere:GAME", group)

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    found = plugins.load()
    assert found.games["countdown"] is COUNTDOWN
    assert ["entry point 'broken'" in problem.source for problem in found.problems] == [True]


def terminal_entry_points(group: str) -> Iterator[Any]:
    if group == "gameserver.terminals":
        yield EntryPoint("go", "nowhere:COMMAND", group)
        yield EntryPoint("chess", f"{HERE}:SOMETHING_ELSE", group)
        yield EntryPoint("mastermind", f"{HERE}:SOMETHING_ELSE", group)


def test_terminal_games_are_found_like_all_plug_ins_and_a_broken_one_harms_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugins, "entry_points", terminal_entry_points)
    run = CliRunner().invoke
    listed = run(main, ["play", "--help"])
    assert listed.exit_code == 0
    assert all(name in listed.output for name in ("go", "chess", "mastermind"))
    assert "make a secret code" in run(main, ["play", "mastermind", "--help"]).output.replace("one makes", "make")
    for name, why in (("go", "No module named 'nowhere'"), ("chess", "is no click command")):
        refused = run(main, ["play", name])
        assert refused.exit_code == 1
        assert f"gameserver: {name} cannot be played" in refused.output
        assert why in refused.output
    assert run(main, ["play", "ludo"]).exit_code == 2


def test_players_wait_for_no_pages() -> None:
    """What only browsers, teachers and tracebacks need is not imported before the server listens."""
    code = "import sys; from gameserver.commands import serve; serve.effective(None, None, ()); print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "protocols.gammonx" in imported
    late = {"anyio", "h11", "jinja2", "networkx", "prometheus_client", "rich", "starlette", "websockets"}
    assert not late.intersection(imported)
