"""People who play in Chromium, and their opponents: other people, and the example clients of the other protocols."""

import re
from contextlib import ExitStack
from typing import Any

import pytest

from tests.end_to_end.example_bots import ExampleBot, python_command
from tests.end_to_end.support import eventually
from tests.end_to_end.test_browser_play import announced, person, serve_people
from tests.support.browser import expect, obstacles
from tests.support.play_page import Person, Way

pytestmark = pytest.mark.slow

__all__ = ["person", "serve_people"]

ENDED = re.compile("You won|You lost|A draw")


@pytest.fixture
def bots():
    """Starts the example clients; all of them end with the test."""
    with ExitStack() as to_end:

        def start(server: Any, protocol: str, script: str, *arguments: object) -> ExampleBot:
            return ExampleBot.start(to_end, python_command(script), server.port_of(protocol), "bob", *arguments)

        yield start


def begin_together(first: Person, second: Person, game: str) -> None:
    """The first challenges the second; both are ready."""
    first.challenge(second.name, game)
    second.accept(first.name)
    for one in (first, second):
        one.be_ready()
    for one in (first, second):
        expect(one.page.locator('.play-match[data-phase="playing"]')).to_be_visible()


def test_two_people_see_each_others_moves_and_play_once_more(serve_people, person) -> None:
    server = serve_people()
    ada, bob = person(server), person(server, "bob", Way.FINGER)
    begin_together(ada, bob, "Tic-tac-toe")
    mover, other = (ada, bob) if ada.is_to_move() else (bob, ada)
    assert mover.wait_for_turn()
    expect(other.page.locator(".play-headline")).to_have_text(f"{mover.name} is to move")
    assert other.page.locator(".board .spot").count() == 0, "only the player who is to move can touch anything"
    mover.move()
    expect(announced(other.page)).to_have_text(re.compile(rf"^{mover.name} plays [a-z ]+\. Your turn, \d+ seconds\.$"))
    expect(other.page.locator(".play-match.is-own-turn")).to_be_visible()
    mover.page.context.set_offline(True)
    mover.page.context.close()
    away = other.page.locator(".play-others .seat.away")
    expect(away).to_contain_text(re.compile(r"away\d+\.\d s"))
    expect(announced(other.page)).to_contain_text(f"{mover.name} has lost the connection")
    other.page.get_by_role("button", name="Resign").click()
    other.page.get_by_role("button", name="Resign the match").click()
    expect(other.page.locator(".play-headline")).to_have_text("You lost: You resigned")


def test_an_offer_of_a_rematch_is_taken_up(serve_people, person) -> None:
    server = serve_people()
    ada, bob = person(server), person(server, "bob")
    begin_together(ada, bob, "Reversi")
    ada.page.get_by_role("button", name="Resign").click()
    ada.page.get_by_role("button", name="Resign the match").click()
    expect(bob.page.locator(".play-headline")).to_have_text("You won: ada resigned")
    ada.page.get_by_role("button", name="Rematch").click()
    expect(ada.page.locator(".play-prompt")).to_have_text("bob is asked for a rematch.")
    expect(bob.page.locator(".play-prompt")).to_have_text("ada offers a rematch.")
    bob.page.get_by_role("button", name="Accept the rematch").click()
    for one in (ada, bob):
        expect(one.page.locator(".play-heading")).to_contain_text("match 2")
        expect(one.page.locator("#call li")).to_have_count(0)


def test_a_browser_meets_a_connect_four_client(serve_people, person, bots) -> None:
    server = serve_people()
    ada = person(server)
    ada.seek("Connect-four-3D")
    bot = bots(server, "connect-four", "connect_four_bot.py")
    ada.be_ready()
    ada.play_to_end()
    expect(ada.page.locator(".play-headline")).to_have_text(ENDED)
    bot.finish()
    (recorded,) = eventually(server.matches, "the match is on record")
    assert sorted(recorded.players) == ["ada", "bob"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_a_players_way(serve_people, person, scheme: str) -> None:
    """Deque's axe on the match screen in each of its states, at every kind of board."""
    server = serve_people()
    ada = person(server, color_scheme=scheme)
    for game in ("Backgammon", "Connect-four-3D", "Mastermind", "Reversi", "Tic-tac-toe"):
        ada.challenge("house-random", game)
        expect(ada.page.locator(".play-end button.main")).to_be_visible()
        assert obstacles(ada.page) == {}, f"{game}: before it"
        assert ada.wait_for_turn()
        assert obstacles(ada.page) == {}, f"{game}: own turn"
        if game == "Backgammon":
            while not ada.page.locator(".board .spot.source").count():
                ada.move()
                assert ada.wait_for_turn()
            ada._touch_spot(*ada._choose(".board .spot.source"))
            assert obstacles(ada.page) == {}, f"{game}: a piece is chosen"
        ada.page.locator(".play-legal summary").click()
        assert obstacles(ada.page) == {}, f"{game}: all legal moves"
        ada.page.get_by_role("button", name="Resign").click()
        assert obstacles(ada.page) == {}, f"{game}: asked again"
        ada.page.get_by_role("button", name="Resign the match").click()
        expect(ada.page.locator(".play-headline")).to_contain_text("You resigned")
        assert obstacles(ada.page) == {}, f"{game}: after it"
        ada.page.get_by_role("button", name="To the lobby").click()
