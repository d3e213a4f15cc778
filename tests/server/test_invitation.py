"""The lines that a student copies to come into a tournament: the host, the port, and what to do there."""

from collections.abc import Mapping

import pytest
from attrs import evolve

from gameserver.core.commands import EntryMode
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import WireProtocol
from gameserver.read_model.views import ListenerSummary
from gameserver.server.invitation import invitation
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB

PROTOCOLS: Mapping[str, WireProtocol] = {
    one.name: one for one in (STRATEGIC, CONNECT_FOUR, MASTERMIND, GAMMONX, WEB, HttpProtocol())
}
TEXT, PAGES = ListenerSummary("strategic", "::", 7789, profile="document"), ListenerSummary("http", "::", 8080)


def lines_of(*places: ListenerSummary, game: str = "Reversi", url: str = "") -> list[str]:
    """The page's address, and the line of each entrance."""
    terms = (game, EntryMode.LOGGED_IN, "Connect-four-3D")
    found = invitation(3, terms, places, PROTOCOLS, public_url=url, machine="10.0.0.5")
    return [found.url, *(one.line for one in found.entrances)]


@pytest.mark.parametrize(
    ("listens_at", "url", "line", "pages"),
    [
        ("::", "", "nc 10.0.0.5 7789", "http://10.0.0.5:8080"),
        ("10.0.0.7", "", "nc 10.0.0.7 7789", "http://10.0.0.7:8080"),
        ("127.0.0.1", "https://games.example.edu/hall/", "nc games.example.edu 7789", "https://games.example.edu/hall"),
        ("127.0.0.1", "", "nc 127.0.0.1 7789", "http://localhost:8080"),
    ],
)
def test_host_is_that_of_the_settings_or_of_the_interface(listens_at: str, url: str, line: str, pages: str) -> None:
    places = [evolve(one, host=listens_at) for one in (TEXT, PAGES)]
    assert lines_of(*places, url=url) == [f"{pages}/tournaments/3", line, pages]


def test_listener_for_this_machine_alone_is_named_only_without_another() -> None:
    own = evolve(TEXT, host="127.0.0.1", port=7000)
    assert lines_of(own, TEXT) == ["", "nc 10.0.0.5 7789"]
    assert lines_of(own) == ["", "nc 127.0.0.1 7000"]


def test_each_profile_has_a_line_and_an_encrypted_port_only_without_one_in_the_clear() -> None:
    encrypted = evolve(TEXT, port=7790, is_encrypted=True)
    old = evolve(TEXT, port=7791, profile="2015")
    assert lines_of(encrypted, TEXT, old) == ["", "nc 10.0.0.5 7789", "nc 10.0.0.5 7791"]
    assert lines_of(encrypted) == ["", "ncat --ssl 10.0.0.5 7790"]


@pytest.mark.parametrize(
    ("game", "protocols"),
    [
        ("Reversi", {"strategic", "web"}),
        ("Connect-four-3D", {"strategic", "connect-four", "web"}),
        ("Mastermind", {"strategic", "mastermind", "web"}),
        ("Backgammon", {"strategic", "gammonx", "web"}),
        ("Plakoto", {"strategic", "web"}),
    ],
)
def test_protocols_that_carry_the_game_tell_what_a_bot_must_do(game: str, protocols: set[str]) -> None:
    for entry in EntryMode:
        deeds = {name: one.joining(game, entry, "Connect-four-3D") for name, one in PROTOCOLS.items()}
        assert {name for name, deed in deeds.items() if deed} == protocols
        assert all(deed.endswith(".") and deed.count("`") % 2 == 0 for deed in deeds.values() if deed)
    assert "subscribe" in STRATEGIC.joining(game, EntryMode.SUBSCRIBED, "")
    assert "cannot take part" in MASTERMIND.joining("Mastermind", EntryMode.LOGGED_IN, "")
