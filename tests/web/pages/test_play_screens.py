"""The page to play on in Chromium: coming in, the lobby, being called, and what happens to the connection."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gameserver.read_model.live import game_card
from gameserver.web.pages.play import play_page
from gameserver.web.ui.assets import _ASSETS
from tests.support.browser import PATIENCE_MS, expect, obstacles
from tests.support.own_plugins import OWN
from tests.support.play_page import choose_game
from tests.web.pages.conftest import ADDRESS
from tests.web.pages.scripted_lobby import KEY, ScriptedLobby, house, match, player
from tests.web.pages.test_screens import LAPTOP, PHONE, scrolls_sideways

Open = Callable[..., Any]
LEVELS = ["Random", "Novice", "Club", "Master"]
CARDS = tuple(map(game_card, sorted(OWN.games.values(), key=lambda game: game.name)))


@pytest.fixture
def lobby() -> ScriptedLobby:
    return ScriptedLobby()


@pytest.fixture
def open_page(browser: Any, lobby: ScriptedLobby) -> Iterator[Open]:
    """Opens the page, all in one browser that a player has at home; with a name also comes in."""
    contexts: dict[tuple[int, int], Any] = {}
    faults: list[str] = []

    def context_of(size: tuple[int, int]) -> Any:
        if size not in contexts:
            screen = {"width": size[0], "height": size[1]}
            contexts[size] = browser.new_context(viewport=screen, reduced_motion="reduce", has_touch=size == PHONE)
            contexts[size].set_default_timeout(PATIENCE_MS)
            contexts[size].route("**/*", answer)
            lobby.listen(contexts[size])
        return contexts[size]

    def answer(route: Any) -> None:
        asset = _ASSETS.get(route.request.url.rpartition("/")[2].partition("?")[0])
        if asset is not None:
            route.fulfill(body=asset.content, content_type=asset.media_type)
        elif "/play" in route.request.url:
            route.fulfill(body=play_page(7789, 10_000, CARDS), content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=404)

    def make(name: str = "", size: tuple[int, int] = LAPTOP, address: str = "play") -> Any:
        page = context_of(size).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{ADDRESS}{address}")
        if name:
            page.fill("#name", name)
            page.keyboard.press("Enter")
            expect(page.locator("#lobby")).to_be_visible()
            expect(page.locator("#house button")).to_be_visible()
        return page

    yield make
    for context in contexts.values():
        context.close()
    assert faults == []


def screen(page: Any, name: str) -> None:
    expect(page.locator(f"#{name}")).to_be_visible()
    expect(page.locator(".screen:visible")).to_have_count(1)


def test_a_name_that_is_refused_is_told_beside_its_field(lobby, open_page) -> None:
    page = open_page()
    expect(page.locator("#name")).to_be_focused()
    expect(page.locator("#secret")).to_be_hidden()
    lobby.refusals["login"] = ("name taken", "ada is here already: choose another name")
    page.fill("#name", "ada")
    page.keyboard.press("Enter")
    expect(page.locator("#name-wrong")).to_have_text("ada is here already: choose another name")
    expect(page.locator("#name")).to_be_focused()
    assert page.get_attribute("#name", "aria-invalid") == "true"
    lobby.refusals["login"] = ("unproven", "ada belongs to a student: type the secret, too")
    page.keyboard.press("Enter")
    expect(page.locator("#secret-wrong")).to_have_text("ada belongs to a student: type the secret, too")
    expect(page.locator("#secret")).to_be_focused()
    expect(page.locator("#name-wrong")).to_be_empty()
    assert obstacles(page) == {}
    page.keyboard.type("s3cret")
    page.keyboard.press("Enter")
    screen(page, "lobby")
    expect(page.locator("#own-name")).to_have_text("ada")
    assert lobby.asked("login")[-1] == {"do": "login", "name": "ada", "secret": "s3cret"}
    kept = page.evaluate("JSON.stringify({...localStorage})")
    assert KEY in kept
    assert "s3cret" not in kept, "only the tab keeps the secret, for a reload"
    page.reload()
    screen(page, "lobby")
    assert lobby.asked("login")[-1] == {"do": "login", "name": "ada", "secret": "s3cret", "key": KEY}
    page.click("#log-out")
    screen(page, "asking")
    assert lobby.asked("bye") == [{"do": "bye"}]
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert not any(word in kept for word in (KEY, "s3cret"))


def test_an_opponent_is_found_by_keyboard_alone(lobby, open_page) -> None:
    lobby.players = [player("ada", "web"), player("bob"), player("cy", "mastermind", games=("Mastermind",)), *house()]
    page = open_page("ada")
    chosen = page.locator("#games input:checked")
    expect(chosen).to_be_focused()
    expect(page.locator("#people li")).to_have_count(2)
    expect(page.locator("#people li").first).to_contain_text("by text client")
    expect(page.locator("#people li").nth(1)).to_contain_text("does not play Connect-four-3D")
    assert page.locator("#level optgroup").nth(0).locator("option").all_inner_texts() == LEVELS, "weakest first"
    assert page.locator("#level optgroup").nth(1).locator("option").all_inner_texts() == ["Greedy"]
    while chosen.input_value() != "Reversi":
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Challenge bob").focus()
    lobby.refusals["challenge"] = ("other in match", "bob is in a match: wait for its end")
    page.keyboard.press("Enter")
    expect(page.locator("#say-what")).to_have_text("bob is in a match: wait for its end")
    page.keyboard.press("Enter")
    expect(page.locator("#own-challenge")).to_contain_text("You have challenged bob to Reversi")
    expect(page.locator("#say-what")).to_be_empty()
    assert lobby.asked("challenge")[-1] == {"do": "challenge", "to": "bob", "game": "Reversi", "turn_time_s": 60}
    expect(page.locator("#finding")).to_contain_text("plays you, with at least 1 minute for a turn.")
    page.focus("#find")
    page.keyboard.press("Enter")
    expect(page.locator("#finding")).to_contain_text("Looking for an opponent at Reversi")
    expect(page.locator("#finding .wait")).to_have_text(re.compile(r"^0:0\d$"))
    expect(page.locator("#finding button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#find")).to_be_focused()
    assert lobby.asked("seek") == [{"do": "seek", "game": "Reversi", "turn_time_s": 60}]
    assert lobby.asked("withdraw") == [{"do": "withdraw"}]
    lobby.players = [player("ada", "web"), *house()]
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#own-challenge")).to_have_text("bob has left.")
    expect(page.locator("#nobody")).to_be_visible()
    choose_game(page, "Mastermind")
    expect(page.locator("#level option").last).to_have_text("house-breaker")
    page.select_option("#seat", label="code breaker")
    page.click("#house button")
    expect(page.locator("#say-what")).to_have_text("house-random is coming.")
    assert (lobby.asked("challenge")[-1]["game"], lobby.asked("challenge")[-1]["seat"]) == ("Mastermind", 1)
    choose_game(page, "Reversi")
    expect(page.locator("#seat")).to_be_hidden()
    page.select_option("#turn-time", "")
    page.select_option("#level", label="Novice")
    expect(page.locator("#level-about")).to_contain_text("a beginner")
    page.click("#house button")
    expect(page.locator("#say-what")).to_have_text("house-novice is coming.")
    assert lobby.asked("challenge")[-1] == {"do": "challenge", "to": "house-novice", "game": "Reversi"}
    lobby.tell(match(7, "house-novice"))
    screen(page, "match")
    expect(page.locator("#talk-nobody")).to_be_visible()
    expect(page.locator("#match h2")).to_be_focused()


def test_a_link_to_a_house_player_chooses_a_game_that_it_knows(lobby, open_page) -> None:
    page = open_page("ada", address="play?to=house-breaker")
    expect(page.locator("#games input:checked")).to_have_value("Mastermind")
    page.get_by_role("button", name="Play at Mastermind").click()
    expect(page.locator("#say-what")).to_have_text("house-breaker is coming.")
    lobby.tell(match(7, "house-breaker", "Mastermind"))
    screen(page, "match")
    assert page.url == f"{ADDRESS}play", "a reload does not ask again"


def test_a_player_is_called_and_accepts(lobby, open_page) -> None:
    page = open_page("ada")
    page.evaluate("document.hasFocus = () => false")
    lobby.tell({"tell": "challenged", "number": 3, "from": "bob", "game": "Reversi", "turn_time_s": 30})
    expect(page.locator("#call li")).to_contain_text("bob challenges you to Reversi, 30 seconds for a turn.")
    assert page.title() == "● bob challenges you to Reversi, 30 seconds for a turn"
    asked = {"tell": "challenged", "number": 4, "from": "cy", "game": "Mastermind", "turn_time_s": 3600}
    lobby.tell({**asked, "seat": 0})
    expect(page.locator("#call li").nth(1)).to_contain_text("Mastermind as the code maker, 1 hour for a turn")
    lobby.tell({"tell": "challenge closed", "number": 3})
    expect(page.locator("#call li")).to_have_count(1)
    page.get_by_role("button", name="Accept the challenge of cy").click()
    expect(page.locator("#call li")).to_have_count(0)
    lobby.tell(match(5, "cy"))
    screen(page, "match")
    assert lobby.asked("accept") == [{"do": "accept", "number": 4}]
    assert page.title() == "● Reversi against cy begins"
    page.evaluate("delete document.hasFocus; dispatchEvent(new Event('focus'))")
    assert page.title() == "gameserver: play"


def test_choices_are_kept_and_a_double_click_asks_once(lobby, open_page) -> None:
    lobby.players = [player("ada", "web"), player("bob"), player("cy", "web"), *house()]
    page = open_page("ada")
    choose_game(page, "Reversi")
    page.select_option("#turn-time", "180")
    page.reload()
    expect(page.locator("#people li")).to_have_count(2)
    expect(page.locator("#games input:checked")).to_have_value("Reversi")
    page.locator('[aria-label="Challenge bob"]').evaluate("bob => { bob.click(); bob.click(); }")
    expect(page.locator("#own-challenge")).to_contain_text("looks for opponents, choose “Find an opponent”")
    assert lobby.asked("challenge") == [{"do": "challenge", "to": "bob", "game": "Reversi", "turn_time_s": 180}]
    page.get_by_role("button", name="Challenge cy").click()
    expect(page.locator("#own-challenge")).to_have_text(re.compile("challenged cy .* takes this one back.$"))
    assert len(lobby.asked("challenge")) == 2, "a button works again when it has its answer"


def test_the_page_comes_back_to_its_match_and_says_when_it_is_over(lobby, open_page) -> None:
    page = open_page("ada")
    page.clock.install()
    lobby.tell(match(5))
    screen(page, "match")
    lobby.back_in = [match(5, resumed=True, moves=[])]
    lobby.is_away = True
    lobby.tell({"tell": "goodbye", "kind": "stopping", "why": "The server is stopping; log in again when it is back"})
    page.clock.run_for(5_000)
    expect(page.locator("#connection")).to_have_text("The server is being restarted. This page goes on by itself.")
    screen(page, "match")
    lobby.is_away = False
    page.clock.run_for(15_000)
    expect(page.locator("#connection")).to_have_text("")
    screen(page, "match")
    assert lobby.asked("login")[-1] == {"do": "login", "name": "ada", "key": KEY}
    lobby.back_in = []
    lobby.sockets[-1].close()
    page.clock.run_for(10_000)
    screen(page, "lobby")
    expect(page.locator("#say-what a")).to_have_attribute("href", "/matches/5")
    page.reload()
    screen(page, "lobby")
    assert lobby.asked("login")[-1] == {"do": "login", "name": "ada", "key": KEY}
    lobby.refusals["login"] = ("name taken", "ada is somebody else by now")
    lobby.sockets[-1].close()
    screen(page, "asking")
    expect(page.locator("#name-wrong")).to_have_text("ada is somebody else by now")
    expect(page.locator("#name")).to_have_value("ada")


def test_the_newest_tab_plays_and_the_other_one_offers_to(lobby, open_page) -> None:
    first = open_page("ada")
    lobby.tell(match(5))
    screen(first, "match")
    sockets = list(lobby.sockets)
    lobby.back_in = [match(5, resumed=True)]
    second = open_page()
    screen(second, "match")
    sockets[0].send('{"tell": "goodbye", "kind": "elsewhere", "why": "You play elsewhere"}')
    sockets[0].close()
    screen(first, "elsewhere")
    expect(first.locator("#elsewhere-title")).to_be_focused()
    expect(first.locator("#watch-link")).to_have_attribute("href", "/matches/5")
    expect(first.locator("#connection")).to_have_text("")
    assert obstacles(first) == {}
    first.click("#play-here")
    screen(first, "match")
    lobby.tell({"tell": "goodbye", "kind": "dismissed", "why": "Ms Reed: no"})
    screen(first, "dismissed")
    expect(first.locator("#dismissed-why")).to_have_text("Ms Reed: no")
    first.click("#come-back")
    screen(first, "match")


def test_what_a_reload_ends_is_told_and_a_search_goes_on(lobby, open_page) -> None:
    lobby.players = [player("ada", "web"), player("bob"), player("cy", "web"), *house()]
    page = open_page("ada")
    choose_game(page, "Reversi")
    page.get_by_role("button", name="Challenge bob").click()
    expect(page.locator("#own-challenge")).to_contain_text("You have challenged bob")
    lobby.tell({"tell": "challenged", "number": 3, "from": "cy", "game": "Mastermind", "turn_time_s": 30})
    expect(page.locator("#call li")).to_have_count(1)
    page.click("#find")
    expect(page.locator("#finding")).to_contain_text("Looking for an opponent at Reversi")
    page.reload()
    expect(page.locator("#own-challenge")).to_have_text(
        "Your challenge to bob at Reversi has ended, as you were away for a moment. Challenge bob again to play. "
        "The challenge of cy to Mastermind has ended, as you were away for a moment. Challenge cy to play."
    )
    expect(page.locator("#call li")).to_have_count(0)
    expect(page.locator("#finding")).to_contain_text("Looking for an opponent at Reversi")
    assert len(lobby.asked("seek")) == 2
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("#find")).to_be_visible()
    page.reload()
    expect(page.locator("#people li")).to_have_count(2)
    expect(page.locator("#own-challenge")).to_be_empty()
    expect(page.locator("#find")).to_be_visible()
    assert len(lobby.asked("seek")) == 2, "what has ended is told once, and a search that was withdrawn is over"


def test_who_plays_is_watched_and_not_challenged(lobby, open_page) -> None:
    lobby.players = [player("ada", "web"), {**player("bob"), "match": 12}, player("cy", "web"), *house()]
    page = open_page("ada", PHONE, address="play?to=bob&game=Reversi")
    expect(page.locator("#wanted .state")).to_have_text("is playing now: wait for the end of the match.")
    expect(page.locator("#wanted button")).to_be_disabled()
    expect(page.get_by_role("button", name="Challenge bob")).to_have_count(0)
    expect(page.get_by_role("link", name="Watch bob")).to_have_attribute("href", "/matches/12")
    expect(page.locator("#people li").first.locator(".cannot")).to_have_text("is playing")
    expect(page.get_by_role("button", name="Challenge cy")).to_be_visible()
    expect(page.get_by_role("link", name="Watch cy")).to_have_count(0)
    assert not scrolls_sideways(page)
    assert obstacles(page) == {}
    lobby.players[1] = player("bob")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("button", name="Challenge bob")).to_be_visible()
    expect(page.locator("#wanted button")).to_be_enabled()
