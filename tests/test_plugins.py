"""Finding plug-ins: ours are there, broken ones are named and left out."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from gameserver import plugins
from gameserver.cli.main import main
from gameserver.config import structure
from gameserver.game import GameLibrary, GameOffer
from tests.support.games import Countdown
from tests.support.own_plugins import OWN
from tests.support.tables import table

ROOT = Path(__file__).parents[1]


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


def countdown(name: str, *aliases: str) -> Countdown:
    made = Countdown()
    made.name, made.aliases = name, aliases
    return made


def no_game(why: str) -> Countdown:
    raise ValueError(why)


@attrs.frozen
class Wanted:
    names: tuple[str, ...] = ()


class Countdowns(GameLibrary):
    """Offers what its options name, and with a word behind the name something else."""

    name = "countdowns"
    options_type = Wanted

    def games(self, options: Wanted) -> Iterator[GameOffer]:
        if "none" in options.names:
            raise ValueError("its package is not installed")
        for text in options.names:
            name, _, kind = text.partition(" ")
            make = {"": partial(countdown, name), "not": partial(no_game, "too long"), "text": partial(str, name)}
            yield GameOffer(text, os.abort if kind == "crash" else make[kind], is_probed=kind == "crash")


class Named(Countdowns):
    name = "strategic"


class Demanding(Countdowns):
    options_type = attrs.make_class("Demanded", ["names"])


COUNTDOWN = Countdown()
NAMELESS = Nameless()
QUOTED = Quoted()
LONELY = Lonely()
OPTIONAL = Optional()
OTHELLO = countdown("othello")
SECOND_OTHELLO = countdown("Countdown", "OTHELLO")
LIKE_REVERSI = countdown("Countdown", "reversi")
LIBRARY = Countdowns()
NAMED = Named()
DEMANDING = Demanding()
SOMETHING_ELSE = "no game"
SEVERAL = (NAMELESS, COUNTDOWN)
HERE = "tests.test_plugins"


def test_our_own_are_found() -> None:
    found = plugins.load(installed=False)
    assert {"tic-tac-toe", "reversi"} <= set(found.games)
    assert "strategic" in found.protocols
    assert found.sources["Reversi"] == "games.reversi"
    assert found.problems == ()
    assert list(found.games) == sorted(found.games), "answers list them in this order, whichever module has which"


def test_the_config_names_more() -> None:
    found = plugins.load([f"{HERE}:COUNTDOWN"], installed=False)
    assert found.games["countdown"] is COUNTDOWN
    assert found.problems == ()


def test_module_exports_one_game_or_a_tuple_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unusable game of a tuple is left out, and the games beside it are found."""
    assert {OWN.sources[name] for name in ("Backgammon", "Fevga", "Tavli")} == {"games.backgammon"}
    named = plugins.load([f"{HERE}:SEVERAL"], installed=False)
    (tmp_path / "several.py").write_text(f"from {HERE} import LONELY as GAME, SEVERAL as GAMES")
    monkeypatch.setattr("games.__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "games.several", raising=False)
    built_in = plugins.load(installed=False)
    for found, unusable in ((named, ("printable text",)), (built_in, ("matches are for two", "printable text"))):
        assert found.games["countdown"] is COUNTDOWN
        assert all(why in problem.why for why, problem in zip(unusable, found.problems, strict=True))


@pytest.mark.parametrize(("named", "says"), table(__file__, "plug-ins that cannot be used"))
def test_unusable_plugin_is_named_and_skipped(named: str, says: str) -> None:
    named = f"{HERE}{named}" if named.startswith(":") else named
    found = plugins.load([named], installed=False)
    (problem,) = found.problems
    assert named in problem.source
    assert says in problem.why
    assert set(found.games) == set(OWN.games)


@pytest.mark.parametrize(
    ("wanted", "brought", "problems"),
    [
        ([], set(), []),
        (["Ludo", "Halma"], {"ludo", "halma"}, []),
        (["Ludo", "none"], set(), ["[countdowns]: its package is not installed"]),
        (
            ["Ludo crash", "Go not", "Go text", "Reversi", "Othello", "Halma", "halma"],
            {"halma"},
            [
                "[countdowns] Ludo crash: it crashed the process that tried it",
                "[countdowns] Go not: too long",
                "[countdowns] Go text: AttributeError: 'str' object has no attribute 'name'",
                "[countdowns] Reversi: the name 'Reversi' is taken",
                "[countdowns] Othello: the name 'Othello' is taken by Reversi",
                "[countdowns] halma: the name 'halma' is taken by Halma, from [countdowns] Halma",
            ],
        ),
    ],
)
def test_library_brings_the_games_of_its_table(wanted: list[str], brought: set[str], problems: list[str]) -> None:
    found = plugins.load([f"{HERE}:LIBRARY"], installed=False)
    _, options = structure({"countdowns": {"names": wanted}}, found.configured)
    with_games = plugins.with_games_of_libraries(found, options)
    assert with_games.games.keys() - found.games.keys() == brought
    assert list(with_games.games) == sorted(with_games.games)
    told = [f"{problem.source}: {problem.why}" for problem in with_games.problems]
    assert [line.startswith(start) for line, start in zip(told, problems, strict=True)] == [True] * len(problems), told


def test_installed_ones_are_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(group: str) -> Iterator[Any]:
        if group == "gameserver.games":
            yield EntryPoint("countdown", f"{HERE}:COUNTDOWN", group)
            yield EntryPoint("broken", "nowhere:GAME", group)

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    found = plugins.load()
    assert found.games["countdown"] is COUNTDOWN
    assert ["entry point 'broken'" in problem.source for problem in found.problems] == [True]


def test_third_party_plugins_are_not_tested(tmp_path: Path) -> None:
    """A developer has a game and a protocol of somebody else's in the environment, and a package that is broken."""
    package = tmp_path / "gameserver_third-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: gameserver-third\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[gameserver.games]\nthird = third:GAME\nbroken = nowhere:GAME\n"
        "[gameserver.protocols]\nthird = third:PROTOCOL\n"
    )
    (tmp_path / "third.py").write_text(
        "from games.tic_tac_toe import TicTacToe\n"
        "from tests.support.echo import EchoProtocol\n"
        "class Third(TicTacToe):\n    name, aliases = 'A-third', ()\n"
        "class ThirdProtocol(EchoProtocol):\n    name = 'third'\n    default_port = 7\n"
        "    def endpoints(self):\n        return ()\n"
        "GAME, PROTOCOL = Third(), ThirdProtocol()\n"
    )
    asked = (
        "import json; from gameserver.cli.effective_config import find_plugins\n"
        "from tests.support.own_plugins import OWN\n"
        "found = [(sorted(one.games), sorted(one.protocols), len(one.problems)) for one in (find_plugins(), OWN)]\n"
        "print(json.dumps(found))"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", asked],
        capture_output=True,
        check=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": path},
    )
    everything, ours = json.loads(done.stdout)
    assert ours == [sorted(OWN.games), sorted(OWN.protocols), 0]
    assert everything == [sorted([*OWN.games, "a-third"]), sorted([*OWN.protocols, "third"]), 1]


RECKON_WITH_EVERYTHING = {
    "tests/test_plugins.py",
    "tests/end_to_end/server_process.py",
    "tests/end_to_end/support.py",
    "tests/benchmarks/processes.py",
}
"""Here, or because a server is started that would find and listen for everything."""


def test_tests_take_our_own_plug_ins() -> None:
    """Else a package of somebody else's in the environment of development would break them."""
    loading = re.compile(
        r"(plugins\.load|find_plugins)\((?!.*installed=False)|from gameserver\.plugins import .*\bload\b"
    )
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if loading.search(path.read_text(encoding="utf-8"))
    }
    assert found == RECKON_WITH_EVERYTHING


def terminal_entry_points(group: str) -> Iterator[Any]:
    if group == "gameserver.terminals":
        yield EntryPoint("go", "nowhere:COMMAND", group)
        yield EntryPoint("chess", f"{HERE}:SOMETHING_ELSE", group)
        yield EntryPoint("mastermind", f"{HERE}:SOMETHING_ELSE", group)


def test_broken_terminal_game_does_not_harm_others(monkeypatch: pytest.MonkeyPatch) -> None:
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
