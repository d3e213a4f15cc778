"""Meaning of a server's settings: invitations, addresses of pages, and warnings before an event."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from gameserver.authentication.roster import Roster
from gameserver.core.commands import EntryMode
from gameserver.flow_control.limits import Limits
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.policies import Rules
from gameserver.protocol import Context, WireProtocol
from gameserver.read_model.views import ListenerSummary
from gameserver.server.invitation import invitation, pages_url
from gameserver.server.preflight import warnings_before
from gameserver.tournaments.presets import preset
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.clients.websocket import handshake
from tests.support.echo import EchoOptions, EchoProtocol
from tests.support.serving import Running, serving

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


FREE = 1_000_000_000


async def warnings_of(
    running: Running, *entered: str, entry: EntryMode = EntryMode.LOGGED_IN, **plan: Any
) -> list[str]:
    cup = preset("hanze", "Cup", "Tic-tac-toe", **plan)
    return list(await warnings_before(running.server._setup, running.server._read_model, cup, entry, entered))


def roster_of(directory: Path, text: str) -> Roster:
    file = directory / "class.csv"
    file.write_text(text, encoding="utf-8")
    roster = Roster(file, trio.current_time)
    roster.load()
    return roster


async def slow_match(running: Running) -> None:
    """A match in which ann or bob takes 8 s for a move."""
    first, second = await running.match()
    await trio.sleep(8)
    await first.send("move 4")
    await second.until("YOURTURN")
    await first.send("forfeit")
    await first.until("LOSS")


async def test_each_setting_that_would_hurt_is_told(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(trusted_proxies=("10.0.0.1",)), free_bytes=lambda: 3_500_000) as running:
        await slow_match(running)
        grades, proxy, address, clock, disk = await warnings_of(running, clock="turn 5s")
        assert "There is no roster" in grades
        assert "match.drop_grace_s = 30" in proxy
        assert f"No other machine reaches nc 127.0.0.1 {running.port}" in address
        assert "up to 8.0 s, of " in clock
        assert "turn 9s" in clock
        assert "has 3 MB left" in disk


async def test_nothing_is_told_where_nothing_would_hurt(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving(
        rules=Rules(drop_grace_ms=30_000),
        limits=Limits(trusted_proxies=("10.0.0.1",)),
        options_of={"http": HttpOptions("https://games.example.edu")},
        roster=roster_of(tmp_path, "name,secret\nzoe,correct horse\nyan,battery staple\n"),
        free_bytes=lambda: FREE,
    ) as running:
        await slow_match(running)
        told = {"entry": EntryMode.ROSTER, "clock": "turn 5s"}
        assert await warnings_of(running, "zoe", "yan", "house-random", **told) == []
        (unproven,) = await warnings_of(running, "zoe", "xia", **told)
        assert "under the name of xia" in unproven
        assert await warnings_of(running, "xia", event=False, **told) == [], "a match for practice gives no grade"


EVERYWHERE = (ListenerSummary("strategic", "::", 7789), ListenerSummary("http", "::", 8080))


@pytest.mark.parametrize(
    ("reached", "url"),
    [
        ("127.0.0.1", "http://localhost:8080"),
        ("::1", "http://localhost:8080"),
        ("::ffff:127.0.0.1", "http://localhost:8080"),
        ("", "http://localhost:8080"),
        ("10.0.0.5", "http://10.0.0.5:8080"),
        ("::ffff:10.0.0.5", "http://10.0.0.5:8080"),
        ("2001:db8::5", "http://[2001:db8::5]:8080"),
        ("fe80::1%eth0", "http://[fe80::1]:8080"),
    ],
)
def test_pages_are_at_the_address_that_was_reached(reached: str, url: str) -> None:
    assert pages_url(EVERYWHERE, reached) == url


def test_pages_that_are_served_at_one_address_are_there() -> None:
    assert pages_url([ListenerSummary("http", "10.0.0.7", 80, is_encrypted=True)], "10.0.0.5") == "https://10.0.0.7:80"


def test_pages_are_at_the_address_that_the_settings_name() -> None:
    assert pages_url(EVERYWHERE, "10.0.0.5", "https://games.example.edu/") == "https://games.example.edu"


def test_without_an_http_listener_there_are_no_pages() -> None:
    assert pages_url([ListenerSummary("strategic", "::", 7789)], "10.0.0.5", "https://games.example.edu") == ""


async def test_protocol_is_not_told_what_only_its_listener_may_know(autojump_clock: MockClock) -> None:
    echo = EchoProtocol()
    options = {"echo": EchoOptions("marked")}
    async with serving(protocol=echo, options=options["echo"], others=[HttpProtocol([echo])], options_of=options) as on:
        for port, said in ((on.port, b"hello\n"), (on.ports["http"], handshake("/stream"))):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(said)
                assert await stream.receive_some()
        contexts = [adapter.context for adapter in echo.adapters]
        assert [type(context) for context in contexts] == [Context, Context]
        assert [context.profile for context in contexts] == ["document", "loud"]
        assert [context.options.mark for context in contexts] == ["marked", "marked"]
        assert [context.games for context in contexts] == [("Reversi", "Tic-tac-toe")] * 2
        assert len({context.new_id() for context in contexts}) == 2, "what the server fills in is there"
