"""Scenarios: how they are read, where they are found, and what every one of ours tells its reader."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from gameserver import plugins
from gameserver.check.checker import wanted
from gameserver.check.duration import expected_s
from gameserver.check.report import Level, ScenarioOutcome
from gameserver.check.reports import json_report
from gameserver.check.scenario import KEYS, MANY, Scenario, ScenarioWire, WrongScenario, of_directory, of_package, read
from gameserver.check.steps import (
    CLIENT,
    FORMS,
    UNITS_S,
    Aim,
    ClientAccepts,
    ClientHears,
    ClientIsCutOff,
    ClientIsLate,
    ComesIn,
    Event,
    MatchIsCalled,
    Meets,
    MovesArePlayed,
    Placed,
    Repeat,
    Resigns,
    ServerRestarts,
    Starts,
    Step,
    read_step,
)
from gameserver.protocol import WireProtocol
from tests.check.reports import samples
from tests.support.tables import table

HEAD = """\
title: A line in two packets
level: required                 # required | advised | curious
source: TCP is a stream of bytes;
    clients that took one read for one line
    lost whole tournaments by it
document: Every line ends with a newline.
change: Read lines.
"""
STEPS = """\
CLIENT comes in
OPPONENT comes in
"""


def text(*steps: str, head: str = "") -> str:
    return "\n".join([HEAD + head, STEPS, *steps])


def test_file_is_read() -> None:
    scenario = read(text("CLIENT meets OPPONENT  # by any way", "# and nothing more"), "a/two.scenario", "two")
    assert (scenario.name, scenario.file, scenario.title) == ("two", "a/two.scenario", "A line in two packets")
    assert scenario.level is Level.REQUIRED
    assert scenario.source.endswith("clients that took one read for one line lost whole tournaments by it")
    assert [placed.step for placed in scenario.steps] == [ComesIn("CLIENT"), ComesIn("OPPONENT"), Meets("OPPONENT")]
    assert [placed.line for placed in scenario.steps] == [9, 10, 12]
    assert scenario.games == ()
    assert scenario.suits("Reversi")


def test_settings_of_server_wire_and_rewrites_are_read() -> None:
    head = (
        "games: Reversi, Tic-tac-toe\nwire: split, delay 200ms\nwire to client: coalesce\n"
        "rewrite: ^(SVR) (.*)$ => \\2 \\1\nrewrite: a => b\n"
        'server: match.clock = "turn 10s"\nserver: connect-four.time_elapsed_error = false\n'
    )
    scenario = read(text(head=head), "f", "f")
    assert (scenario.suits("reversi"), scenario.suits("Mastermind")) == (True, False)
    assert scenario.wire == ScenarioWire(to_client="coalesce", to_server="split, delay 200ms")
    assert [rewrite.applied("SVR abc") for rewrite in scenario.rewrites] == ["abc SVR", "SVR bbc"]
    assert scenario.settings == {"match": {"clock": "turn 10s"}, "connect-four": {"time_elapsed_error": False}}


def test_hash_inside_text_is_no_remark() -> None:
    steps = read(text("CLIENT hears SVR #1 {A: 2}"), "f", "f").steps
    assert steps[-1].step == ClientHears("SVR #1 {A: 2}")


def test_repeated_steps_are_indented() -> None:
    scenario = read(text("repeat 10 times:", "    CLIENT meets OPPONENT", "    3 moves are played"), "f", "f")
    block = scenario.steps[-1].step
    assert isinstance(block, Repeat)
    assert block.count == 10
    assert [placed.step for placed in block.steps] == [Meets("OPPONENT"), MovesArePlayed(3)]
    assert block.steps[-1].line == 14


@pytest.mark.parametrize(
    ("line", "changed", "why"), table(__file__, "lines of the head, what becomes of them, and what is said")
)
def test_wrong_head_is_explained_with_its_line(line: str, changed: str, why: str) -> None:
    assert line in HEAD
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(f"{HEAD.replace(line, changed)}\n{STEPS}", "f", "f")


@pytest.mark.parametrize(("steps", "why"), table(__file__, "steps after both players, and what is said of them"))
def test_wrong_step_is_explained_with_its_line(steps: str, why: str) -> None:
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(text(steps), "f", "f")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (HEAD + STEPS, "f:8: 'CLIENT comes in' is not `key: value`; the steps come after an empty line"),
        (HEAD + "\nANN comes in\n", "f:9: no step lets the client come in"),
        ("", "f:1: 'title' is missing"),
    ],
)
def test_file_that_lacks_a_part_is_explained(wrong: str, why: str) -> None:
    with pytest.raises(WrongScenario, match="^" + re.escape(why)):
        read(wrong, "f", "f")


@pytest.mark.parametrize(("text", "step"), table(__file__, "steps"))
def test_step_is_read(text: str, step: str) -> None:
    assert repr(read_step(text)) == step


@pytest.mark.parametrize(("text", "why"), table(__file__, "texts that are no step"))
def test_step_that_is_none_is_explained(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read_step(text)


def test_every_step_can_be_written() -> None:
    assert {form.step.__name__ for form in FORMS} | {"Repeat"} == {step.__name__ for step in Step.__subclasses__()}


PACKAGES = sorted(
    {protocol.scenarios for protocol in plugins.load(installed=False).protocols.values() if protocol.scenarios}
)


@pytest.mark.parametrize("package", PACKAGES)
def test_scenarios_of_protocols_can_be_read(package: str) -> None:
    library = of_package(package)
    assert library.problems == ()
    assert library.scenarios


def test_protocol_without_scenarios_has_none() -> None:
    assert of_package("").scenarios == ()


def test_broken_file_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "good.scenario").write_text(text())
    (tmp_path / "bad.scenario").write_text(text("CLIENT flies"))
    (tmp_path / "binary.scenario").write_bytes(b"\xff\xfe")
    (tmp_path / "notes.txt").write_text("no scenario")
    library = of_directory(tmp_path)
    assert [scenario.name for scenario in library.scenarios] == ["good"]
    assert [problem.partition(":")[0] for problem in library.problems] == [
        str(tmp_path / "bad.scenario"),
        str(tmp_path / "binary.scenario"),
    ]


def test_scenario_of_course_replaces_one_of_that_name(tmp_path: Path) -> None:
    for place in ("own", "course"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "same.scenario").write_text(text())
    both = of_directory(tmp_path / "own") + of_directory(tmp_path / "course")
    assert [scenario.file for scenario in both.scenarios] == [str(tmp_path / "course" / "same.scenario")]


PROTOCOLS = [protocol for protocol in plugins.load(installed=False).protocols.values() if protocol.scenarios]


def pieces(quotation: str) -> Iterator[str]:
    """The texts of a quotation between its omissions."""
    yield from (piece.strip() for piece in quotation.split("..."))


def plain(text: str) -> str:
    """A page without its line breaks, and without the marks of who says a line of an example."""
    return re.sub(r"\s+", " ", re.sub(r"(?m)^    [<>] ", " ", text))


def scenarios() -> Iterator[tuple[WireProtocol, Scenario]]:
    for protocol in PROTOCOLS:
        for scenario in of_package(protocol.scenarios).scenarios:
            yield protocol, scenario


ALL = [pytest.param(protocol, scenario, id=f"{protocol.name}-{scenario.name}") for protocol, scenario in scenarios()]


@pytest.mark.parametrize(("protocol", "scenario"), ALL)
def test_document_is_quoted_word_for_word(protocol: WireProtocol, scenario: Scenario) -> None:
    """A student who looks the quotation up finds it, and whoever changes the page finds the scenario."""
    page = plain(protocol.guide)
    assert [piece for piece in pieces(scenario.document) if plain(piece) not in page] == []


@pytest.mark.parametrize(("protocol", "scenario"), ALL)
def test_games_exist(protocol: WireProtocol, scenario: Scenario) -> None:
    assert set(scenario.games) <= {game.name for game in plugins.load(installed=False).games.values()}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_titles_are_unique(protocol: WireProtocol) -> None:
    titles = [scenario.title for scenario in of_package(protocol.scenarios).scenarios]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_something_is_required(protocol: WireProtocol) -> None:
    assert any(scenario.level is Level.REQUIRED for scenario in of_package(protocol.scenarios).scenarios)


SHORTEST = {"strategic": 5, "connect-four": 7, "web": 5}
"""The moves of the shortest match of any game: three in a row, four in a row."""


@pytest.mark.parametrize(
    ("protocol", "step"),
    [
        ("strategic", Resigns),
        ("connect-four", Resigns),
        *((protocol, step) for protocol in ("connect-four", "web") for step in (ClientIsCutOff, ServerRestarts)),
    ],
)
def test_no_match_is_won_before_a_step_of_its_middle(protocol: str, step: type[Step]) -> None:
    """A match that may be over by then shows nothing about the client. Those of `web` resign only to end a match.

    Those of `strategic` break the connection after four moves, two of them the client's own: the fifth one seldom wins,
    and whoever has forgotten both is more likely to be found than with one.
    """
    for scenario in of_package(plugins.load(installed=False).protocols[protocol].scenarios).scenarios:
        played, first = 0, ""
        for placed in _unrolled(scenario.steps):
            match placed.step:
                case Meets():
                    played, first = 0, placed.step.first
                case MatchIsCalled() | Starts() | ClientAccepts():
                    played, first = 0, ""
                case MovesArePlayed():
                    played += placed.step.count
                case ClientIsLate():
                    played += 2
                case step():
                    # The client does not wait for steps: if it has the turn, it makes one move more.
                    has_turn = not first or (first == CLIENT) == (played % 2 == 0)
                    assert played + has_turn < SHORTEST[protocol], f"{scenario.name}, line {placed.line}"


def _unrolled(steps: Iterable[Placed]) -> Iterator[Placed]:
    for placed in steps:
        yield from _unrolled(placed.step.steps) if isinstance(placed.step, Repeat) else [placed]


PAGE = (Path(__file__).parents[2] / "docs" / "check.md").read_text("utf-8")


@pytest.mark.parametrize("word", [*KEYS, *MANY, *map(str, Level), *map(str, ScenarioOutcome)])
def test_every_key_level_and_outcome_is_explained(word: str) -> None:
    assert re.search(rf"\b{word}\b", PAGE)


@pytest.mark.parametrize("word", [each.value for kind in (Aim, Event) for each in kind])
def test_every_aim_and_event_is_named(word: str) -> None:
    assert f"`{word}`" in PAGE.replace("\n", " ")


@pytest.mark.parametrize("unit", UNITS_S)
def test_every_unit_of_time_is_shown(unit: str) -> None:
    assert re.search(rf"`\d+ {unit}`", PAGE)


def test_every_field_of_the_json_report_is_described() -> None:
    told = json.loads(json_report(samples.report_of(samples.FAILED)))
    (scenario,) = told["scenarios"]
    names = [*told, *scenario, *scenario["findings"][0], *scenario["wire"][0]]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_scenario_of_the_page_is_one() -> None:
    (text,) = re.findall(r"```\n(title: .*?)```", PAGE, re.DOTALL)
    scenario = read(text, "page", "page")
    assert len(scenario.steps) == 6
    assert scenario.level is Level.REQUIRED


PLUGINS = plugins.load(installed=False)
OTHER_HEAD = "title: x\nlevel: required\nsource: x\ndocument: x\nchange: x\n"
REQUIRED_S = 60.0


@pytest.mark.parametrize("protocol", ["strategic", "connect-four", "mastermind", "gammonx", "web"])
def test_required_scenarios_take_a_minute_at_most(protocol: str) -> None:
    found = of_package(PLUGINS.protocols[protocol].scenarios).scenarios
    for game in PLUGINS.games.values():
        chosen = wanted(found, game.name, Level.REQUIRED, ())
        assert sum(expected_s(one, is_called=True) for one in chosen) <= REQUIRED_S, game.name


@pytest.mark.parametrize(
    ("head", "steps", "if_it_asks", "if_it_is_called"),
    [
        ("", "CLIENT comes in\n", 0.3, 0.3),
        ("", "CLIENT comes in\nOPPONENT comes in\nOPPONENT thinks 6 s\n", 6.3, 6.3),
        ("", "CLIENT comes in\nOPPONENT comes in\nrepeat 10 times:\n    CLIENT meets OPPONENT\n", 4.3, 10.6),
        ("wire: delay 500ms\n", "CLIENT comes in\n3 moves are played\n", 3.8, 3.8),
    ],
)
def test_time_is_that_of_the_steps(head: str, steps: str, if_it_asks: float, if_it_is_called: float) -> None:
    scenario = read(f"{OTHER_HEAD}{head}\n{steps}", "f", "f")
    told = [expected_s(scenario, is_called=is_called) for is_called in (False, True)]
    assert told == pytest.approx([if_it_asks, if_it_is_called])
