"""The scenarios that come with our protocols: what every one of them tells its reader."""

import re
from collections.abc import Iterable, Iterator

import pytest

from gameserver import plugins
from gameserver.check.report import Level
from gameserver.check.scenario import Scenario, of_package
from gameserver.check.steps import (
    CLIENT,
    ClientAccepts,
    ClientIsCutOff,
    ClientIsLate,
    MatchIsCalled,
    Meets,
    MovesArePlayed,
    Placed,
    Repeat,
    Resigns,
    ServerRestarts,
    Starts,
    Step,
)
from gameserver.protocol import WireProtocol

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
