"""The page to play on in Chromium: coming in, the lobby, being called, and what happens to the connection."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gameserver.read_model.live import game_card
from gameserver.web.pages.play import play_page
from gameserver.web.ui.assets import _ASSETS
from tests.support.browser import PATIENCE_MS, expect
from tests.support.own_plugins import OWN
from tests.web.pages.conftest import ADDRESS
from tests.web.pages.scripted_lobby import ScriptedLobby, match
from tests.web.pages.test_screens import LAPTOP, PHONE

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


def test_a_link_to_a_house_player_chooses_a_game_that_it_knows(lobby, open_page) -> None:
    page = open_page("ada", address="play?to=house-breaker")
    expect(page.locator("#games input:checked")).to_have_value("Mastermind")
    page.get_by_role("button", name="Play at Mastermind").click()
    expect(page.locator("#say-what")).to_have_text("house-breaker is coming.")
    lobby.tell(match(7, "house-breaker", "Mastermind"))
    screen(page, "match")
    assert page.url == f"{ADDRESS}play", "a reload does not ask again"
