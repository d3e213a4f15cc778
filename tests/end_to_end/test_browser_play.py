"""The page to play on, in Chromium, with the installed server: people who touch boards, and what they are told."""

import re
from typing import Any

import pytest

from tests.end_to_end.example_bots import ExampleBot, python_command
from tests.end_to_end.support import LOCAL, eventually
from tests.support.browser import expect, obstacles
from tests.support.play_page import Person, Way, choose_game

LISTEN = tuple(f"{name}={LOCAL}:0" for name in ("strategic", "connect-four", "http", "admin"))
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
RANDOM = "house-random"
HOUSE = {"pace": "never", "seed": "a browser's opponent"}


@pytest.fixture
def serve_people(serve):
    """Starts a server, and has people come in by their browsers."""

    def start(**given: Any) -> Any:
        return serve(listen=LISTEN, house=HOUSE, **given)

    return start


@pytest.fixture
def person(new_page):
    """Opens the page for somebody, who comes in."""

    def come(server: Any, name: str = "ada", way: Way = Way.MOUSE, **options: Any) -> Person:
        options = (PHONE if way is Way.FINGER else LAPTOP) | {"reduced_motion": "reduce"} | options
        found = Person(new_page(f"http://{LOCAL}:{server.port_of('http')}/play", **options), name, way)
        found.enter()
        expect(found.page.locator("#house button").first).to_be_visible()
        return found

    return come


def announced(page: Any) -> Any:
    return page.locator(".play-match > [aria-live]")


def test_a_game_is_played_with_the_mouse_and_once_more(serve_people, person) -> None:
    server = serve_people()
    ada = person(server)
    ada.challenge(RANDOM, "Tic-tac-toe")
    expect(ada.page.locator(".play-headline")).to_have_text(f"Tic-tac-toe against {RANDOM}")
    ada.be_ready()
    assert ada.wait_for_turn()
    expect(ada.page.locator(".play-headline")).to_have_text("Your turn")
    expect(announced(ada.page)).to_contain_text(re.compile(r"Your turn, (60|59) seconds\."))
    assert re.fullmatch(r"(\d+\.\d s|1:00)", ada.page.inner_text(".seat.own .clock"))
    expect(ada.page.locator(".play-delay")).to_have_text(re.compile(r"Network delay \d+ ms"))
    board = ada.page.locator(".play-stage svg").bounding_box()
    assert board["y"] + board["height"] <= 800, "the whole board is in sight"
    assert obstacles(ada.page) == {}, "during the game"
    ada.move()
    expect(announced(ada.page)).to_contain_text(
        re.compile(r"You play [a-z ]+\. house-random plays [a-z ]+\. Your turn|Your turn")
    )
    ada.play_to_end()
    (recorded,) = eventually(server.matches, "the match is on record")
    words = {"win": "You won", "loss": "You lost", "draw": "A draw"}
    expect(ada.page.locator(".play-headline")).to_have_text(words[recorded.results[recorded.players.index("ada")]])
    expect(ada.page.locator(".play-moves li")).to_have_count(len(recorded.moves))
    marks = ada.page.locator(".play-stage circle.s-second, .play-stage polyline.s-first")
    assert marks.count() >= len(recorded.moves), "the last position is shown, with its last move"
    assert obstacles(ada.page) == {}, "after the game"
    ada.rematch()
    assert ada.wait_for_turn()
    expect(ada.page.locator(".play-heading")).to_contain_text("match 2")
    ada.page.get_by_role("button", name="Resign").click()
    ada.page.keyboard.press("Escape")
    expect(ada.page.locator("dialog")).to_have_count(0)
    assert ada.page.locator(".play-match").get_attribute("data-phase") == "playing"
    ada.page.get_by_role("button", name="Resign").click()
    ada.page.get_by_role("button", name="Resign the match").click()
    expect(ada.page.locator(".play-headline")).to_have_text("You lost: You resigned")
    ada.page.get_by_role("button", name="To the lobby").click()
    expect(ada.page.locator("#lobby")).to_be_visible()


def test_a_phone_is_played_with_a_finger(serve_people, person) -> None:
    """On a phone the game's small picture has cells that a finger hits. On a smaller screen it is asked again."""
    server = serve_people()
    ada = person(server, way=Way.FINGER)
    ada.challenge(RANDOM, "Connect-four-3D")
    page = ada.page
    for _ in range(2):
        assert ada.wait_for_turn()
        ada.move()
    assert ada.wait_for_turn()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".board .spot .frame").first.bounding_box()["width"] >= 40
    assert obstacles(page) == {}
    page.set_viewport_size({"width": 260, "height": 600})
    page.locator(".play-stage svg").scroll_into_view_if_needed()
    step = page.get_attribute(".play-match", "data-step")
    name, x, y = ada._choose(".board .spot")
    page.touchscreen.tap(x, y)
    expect(page.locator(".board .spot.chosen")).to_have_attribute("data-spot", name)
    again = page.get_by_role("button", name=f"Play {name}")
    assert again.bounding_box()["height"] >= 40, "large enough for a finger"
    page.locator(".play-heading").tap()
    expect(again).to_have_count(0)
    assert page.get_attribute(".play-match", "data-step") == step, "touching elsewhere takes it back"
    ada.move()
    assert ada.wait_for_turn()


# Whole games.

FAMILY = ("Backgammon", "Portes", "Plakoto", "Fevga", "Tavla")
WHOLE = [
    *(
        pytest.param(game, way, id=f"{game}-{way.value}")
        for game in ("Reversi", "Connect-four-3D")
        for way in Way
        if way is not Way.DRAG
    ),
    pytest.param("Tic-tac-toe", Way.KEYBOARD, id="Tic-tac-toe-keyboard"),
    pytest.param("Tic-tac-toe", Way.FINGER, id="Tic-tac-toe-finger"),
    *(
        pytest.param(game, way, id=f"{game}-{way.value}")
        for game, way in zip(FAMILY, (Way.MOUSE, Way.DRAG, Way.FINGER, Way.DRAG, Way.FINGER), strict=True)
    ),
    *(pytest.param(game, Way.KEYBOARD, id=f"{game}-keyboard") for game in FAMILY),
    pytest.param("Tavli", Way.MOUSE, id="Tavli-mouse"),
    pytest.param("Tavli", Way.KEYBOARD, id="Tavli-keyboard"),
    pytest.param("Checkers", Way.DRAG, id="Checkers-drag"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "way"), WHOLE)
def test_a_whole_game_is_played_by_touch(serve_people, person, game: str, way: Way) -> None:
    server = serve_people(match={"clock": "turn 300s"}, openspiel={"games": ["checkers"]})
    ada = person(server, way=way)
    ada.challenge(RANDOM, game)
    assert ada.play_to_end() > 0
    (recorded,) = eventually(server.matches, "the match is on record")
    assert (recorded.game, recorded.reason) == (game, "played")
    words = {"win": "You won", "loss": "You lost", "draw": "A draw"}
    expect(ada.page.locator(".play-headline")).to_contain_text(words[recorded.results[recorded.players.index("ada")]])


@pytest.mark.slow
@pytest.mark.parametrize("way", [Way.MOUSE, Way.FINGER, Way.KEYBOARD])
def test_codes_are_made_and_broken(serve_people, person, way: Way) -> None:
    """On both sides, as the person chooses."""
    server = serve_people()
    ada = person(server, way=way)
    for role in ("code maker", "code breaker"):
        choose_game(ada.page, "Mastermind")
        ada.page.select_option("#seat", label=role)
        ada.challenge(RANDOM, "Mastermind")
        ada.wait_for_turn()
        expect(ada.page.locator(".seat.own small")).to_have_text(f"you, {role}")
        ada.play_to_end()
        expect(ada.page.locator(".play-prompt")).to_contain_text(re.compile(r"The code \d{4} was (not )?found in"))
        ada.page.get_by_role("button", name="To the lobby").click()


# An example client of another protocol.


@pytest.mark.slow
def test_a_browser_meets_a_connect_four_client(serve_people, person, to_end) -> None:
    server = serve_people()
    ada = person(server)
    ada.seek("Connect-four-3D")
    bot = ExampleBot.start(to_end, python_command("connect_four_bot.py"), server.port_of("connect-four"), "bob")
    ada.be_ready()
    ada.play_to_end()
    expect(ada.page.locator(".play-headline")).to_have_text(re.compile("You won|You lost|A draw"))
    bot.finish()
    (recorded,) = eventually(server.matches, "the match is on record")
    assert sorted(recorded.players) == ["ada", "bob"]


@pytest.mark.slow
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
