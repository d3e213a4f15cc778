"""The scenarios that come with our protocols: what every one of them tells its reader."""

import re
from collections.abc import Iterator

import pytest

from gameserver import plugins
from gameserver.check.library import of_package
from gameserver.check.report import Level
from gameserver.check.scenario import Scenario
from gameserver.protocol import WireProtocol

PROTOCOLS = [protocol for protocol in plugins.load(installed=False).protocols.values() if protocol.scenarios]
LINE_MAX = 120


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
