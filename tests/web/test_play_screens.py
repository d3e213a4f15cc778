"""The page to play on in Chromium: coming in, the lobby, being called, and what happens to the connection."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import Factory, define

from gameserver.read_model.live import game_card
from gameserver.time_control import TimeControl
from gameserver.web.lobby import play_page
from gameserver.web.responses import _ASSETS
from tests.support.browser import PATIENCE_MS, expect, obstacles
from tests.support.own_plugins import OWN
from tests.support.play_page import choose_game
from tests.web.conftest import ADDRESS
from tests.web.test_tournament_screens import LAPTOP, OUTSIDE, PHONE, scrolls_sideways

GAMES = ("Backgammon", "Connect-four-3D", "Mastermind", "Reversi", "Tic-tac-toe")
KEY = "k" * 22
HOUSE = ("house-random", "house-novice", "house-club", "house-master", "house-greedy")
Message = dict[str, Any]


def player(
    name: str, protocol: str = "strategic", *, games: tuple[str, ...] | None = None, house: bool = False
) -> Message:
    return {"name": name, "protocol": protocol, "house": house, "games": games, "match": None}


def house() -> list[Message]:
    found = [player(name, "house", games=GAMES, house=True) for name in HOUSE]
    return [*found, player("house-breaker", "house", games=("Mastermind",), house=True)]


def match(number: int, opponent: str = "bob", game: str = "Reversi", **changes: Any) -> Message:
    """A game begins; the page's player, ada, has the first seat."""
    players = ["ada", opponent]
    told = {"tell": "match", "match": number, "game": game, "players": players, "you": 0, "first": 0}
    return {**told, "turn_time_s": 60, "number": 1, "moves": [], "resumed": False, **changes}


@define
class ScriptedLobby:
    """Answers every page of a browser's context. Refusals are by what was asked to be done, for the next time alone."""

    players: list[Message] = Factory(house)
    refusals: dict[str, tuple[str, str]] = Factory(dict)
    heard: list[Message] = Factory(list)
    sockets: list[Any] = Factory(list)
    back_in: list[Message] = Factory(list)
    """Messages to a player who comes back by a key, right behind the welcome."""
    board: Message = Factory(dict)
    """The board of every match; without one it is refused."""
    is_away: bool = False
    """True if every connection is closed at once."""

    def listen(self, context: Any) -> None:
        """Answer the sockets of this context's pages."""

        def opened(socket: Any) -> None:  # Playwright marks a handler, which a bound method does not take
            self._open(socket)

        context.route_web_socket(f"{ADDRESS.replace('http', 'ws')}play/socket", opened)

    def tell(self, *messages: Message) -> None:
        """Say something to the page that came in last."""
        for message in messages:
            self.sockets[-1].send(json.dumps(message))

    def asked(self, do: str) -> list[Message]:
        """Everything of this kind that pages have asked for."""
        return [{key: told for key, told in one.items() if key != "id"} for one in self.heard if one["do"] == do]

    def _open(self, socket: Any) -> None:
        if self.is_away:
            socket.close()
            return
        self.sockets.append(socket)
        socket.on_message(lambda text: self._hear(socket, json.loads(text)))
        socket.send(json.dumps({"tell": "hello", "server_ms": 5_000_000, "version": "0"}))

    def _hear(self, socket: Any, message: Message) -> None:
        self.heard.append(message)
        do, about = message["do"], {"id": message.get("id")}
        for told in self._answers(do, message):
            socket.send(json.dumps(told if "number" in told and "match" in told else {**told, **about}))

    def _answers(self, do: str, message: Message) -> list[Message]:
        if do in self.refusals:
            code, why = self.refusals.pop(do)
            return [{"tell": "error", "do": do, "code": code, "why": why}]
        answers: dict[str, Callable[[], list[Message]]] = {
            "login": lambda: [{"tell": "welcome", "name": message["name"], "key": KEY}, *self._back_in(message)],
            "list": lambda: [
                {"tell": "ok", "do": "list"},
                {"tell": "players", "players": self.players, "games": GAMES},
            ],
            "ping": lambda: [{"tell": "pong", "at": message["at"], "server_ms": 5_000_000}],
            "board": lambda: [{"tell": "ok", "do": "board"}, *([self.board] if self.board else [])],
            "bye": list,
        }
        return answers.get(do, lambda: [{"tell": "ok", "do": do}])()

    def _back_in(self, message: Message) -> list[Message]:
        return self.back_in if "key" in message else []


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
            route.fulfill(body=play_page(7789, TimeControl(10_000), CARDS), content_type="text/html; charset=utf-8")
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


# A server on the same machine has answered before the browser draws: only then does what was hidden have the focus yet.
ANSWERS_AT_ONCE = """
window.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new Event("open")));
  }
  send(text) {
    const { do: act, id, name } = JSON.parse(text);
    const answers = {
      login: [{ tell: "hello", server_ms: 1, version: "0" }, { tell: "welcome", name, key: "k", id }],
      list: [{ tell: "ok", do: act, id }, { tell: "players", players: [], games: ["Reversi"], id }],
    }[act] ?? [];
    const hear = (told) => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(told) }));
    for (const told of answers) queueMicrotask(() => hear(told));
  }
  close() {}
};
"""


def test_a_list_that_comes_before_the_page_is_drawn_takes_the_focus(open_page) -> None:
    page = open_page()
    page.evaluate(f"() => {{{ANSWERS_AT_ONCE}}}")
    page.fill("#name", "ada")
    page.keyboard.press("Enter")
    expect(page.locator("#games input:checked")).to_be_focused()


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


LONG = "M" * 64
NOW_MS = 5_000_000
NUMBERS_BROKEN = """() => [...document.querySelectorAll(".play-moves .number")].filter(number => {
  const line = document.createRange();
  line.selectNodeContents(number);
  return line.getClientRects().length !== 1 || number.scrollWidth > number.clientWidth + 1;
}).map(number => number.textContent)"""


def told(tell: str, **fields: Any) -> Message:
    """A word about match 3."""
    return {"tell": tell, "match": 3, **fields}


def board(*moves: str, total: int = 0, step: int = 0, **changes: Any) -> Message:
    """The board of a game without pictures."""
    shown = told("board", game="Pig", step=step, lines=["ada 0", "bob 0"], picture=None)
    to_act = {"sides": [], "awaited": [0], "turn": 0, "prompt": "roll or hold | 0 0", "deadline_ms": NOW_MS + 60_000}
    return {**shown, "moves": moves, "moves_total": total or len(moves), **to_act, **changes}


def turn(**changes: Any) -> Message:
    given = {"turn": 0, "seats": [0], "prompt": "roll or hold | 0 0", "deadline_ms": NOW_MS + 60_000}
    return told("turn", **given | changes)


RETURNED = told("returned", seat=1, player="bob", ready_by_ms=None)


def test_a_game_without_pictures_is_played_by_buttons_or_by_typing(lobby: ScriptedLobby, open_page) -> None:
    lobby.board = board("roll", "hold")
    page = open_page("ada", PHONE)
    lobby.tell(match(3, LONG, "Pig"), turn())
    expect(page.locator(".board-text")).to_have_text("ada 0\nbob 0")
    expect(page.locator(".play-prompt")).to_have_text("Roll or hold")
    assert not scrolls_sideways(page)
    assert obstacles(page) == {}
    lobby.refusals["move"] = ("not your turn", "it is not your turn")
    page.get_by_role("button", name="Hold").click()
    expect(page.locator(".play-note")).to_have_text("It is not your turn.")
    assert lobby.asked("move") == [{"do": "move", "move": "hold", "match": 3}]
    expect(page.get_by_role("button", name="Hold")).to_be_visible()
    assert len(lobby.asked("board")) >= 2, "what was refused is looked up again"
    lobby.board = board(*(f"m{number}" for number in range(200)), total=5_000, step=1)
    lobby.tell(told("moved", seat=1, player=LONG, move="hold", details="", by="server"), turn(turn=0))
    expect(page.locator(".play-last")).to_have_text(f"{LONG} was late: the server played hold.")
    assert not scrolls_sideways(page)
    page.get_by_label("Type a move").fill("m4711")
    page.keyboard.press("Enter")
    expect(page.locator(".play-typed input")).to_have_value("")
    assert lobby.asked("move")[-1]["move"] == "m4711"


def test_a_bank_is_offered_shown_and_kept_for_the_rematch(lobby: ScriptedLobby, open_page) -> None:
    lobby.players = [player("ada", "web"), player("bob"), player("cy", "web"), *house()]
    page = open_page("ada", PHONE)
    choose_game(page, "Reversi")
    page.select_option("#turn-time", "5m, 3 x 30s")
    expect(page.locator("#finding")).to_contain_text("with at least 10 seconds for a turn. A bank is for challenges.")
    page.click("#find")
    expect(page.locator("#finding")).to_contain_text("Looking for an opponent")
    for name in ("bob", "cy"):
        page.get_by_role("button", name=f"Challenge {name}").click()
        expect(page.locator("#own-challenge")).to_contain_text(f"challenged {name}")
    page.click("#house button")
    expect(page.locator("#say-what")).to_have_text("house-random is coming.")
    assert lobby.asked("seek") == [{"do": "seek", "game": "Reversi"}]
    asked = [one["clock"] for one in lobby.asked("challenge")]
    assert asked == ["5m, 3 x 30s, turn 60s", "5m, 3 x 30s", "5m, 3 x 30s"], "bob's client cannot see a bank"
    offer = {"tell": "challenged", "number": 3, "from": "cy", "game": "Reversi", "turn_time_s": None, "clock": "3m+2s"}
    lobby.tell(offer)
    expect(page.locator("#call li")).to_contain_text("challenges you to Reversi, with a bank of 3 min + 2 s.")
    lobby.board = {**board("roll"), "deadline_ms": NOW_MS + 19_000, "banks_ms": [19_000, 400_000]}
    clock = "5m, 3 x 30s"
    lobby.tell(match(3, "cy", "Pig", turn_time_s=None, clock=clock), turn())
    expect(page.locator(".play-others .bank")).to_have_text("bank 5:10 + 3 \N{MULTIPLICATION SIGN} 30 s")
    expect(page.locator(".play-own .bank")).to_have_text(re.compile(r"^bank 1\d\.\d s, last period, low$"))
    expect(page.locator(".play-own .state > .clock")).to_be_empty()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert obstacles(page) == {}
    assert not scrolls_sideways(page)
    lobby.tell(told("match over", result="loss", reason="late", points=[0, 2], winners=[1], by=0))
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".play-prompt")).to_have_text("cy is asked for a rematch.")
    assert lobby.asked("challenge")[-1] == {"do": "challenge", "to": "cy", "game": "Pig", "clock": clock}


def test_a_series_goes_on_by_itself_and_tells_its_score(lobby: ScriptedLobby, open_page) -> None:
    lobby.board = board("roll")
    page = open_page("ada")
    lobby.tell(match(3, "bob", "Pig"), turn())
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    lobby.tell({"tell": "said", "from": "bob", "text": "hello <b>"})
    expect(page.locator(".play-said")).to_have_text("bob: hello <b>")
    lobby.tell(told("dropped", seat=1, player="bob", return_by_ms=NOW_MS + 9_500))
    expect(page.locator(".seat.away")).to_contain_text(re.compile(r"away\d\.\d s"))
    lobby.tell(RETURNED)
    expect(page.locator(".seat.away")).to_have_count(0)
    over = {"result": "win", "reason": "late", "reason_text": "", "winners": [0], "by": 1, "number": 1}
    lobby.tell(told("game over", **over, points=[2, 0], revealed="", why="", ready_by_ms=NOW_MS + 60_000))
    expect(page.locator(".play-headline")).to_have_text("Game 1: You won: bob ran out of time")
    expect(page.locator(".play-score")).to_have_text("Score: ada 2, bob 0")
    assert page.locator(".play-buttons[aria-label=Moves] button").count() == 0
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("button", name="Resign this game")).to_have_count(0)
    page.get_by_role("button", name="Keep playing").click()
    page.get_by_role("button", name="Next game").click()
    expect(page.locator(".play-prompt")).to_contain_text("You are ready.")
    assert lobby.asked("ready") == [{"do": "ready"}]
    lobby.tell({**match(3, "bob", "Pig"), "number": 2}, turn())
    expect(page.locator(".play-heading")).to_contain_text("Pig, game 2")
    expect(page.locator(".play-score")).to_have_text("Score: ada 2, bob 0")
    lobby.tell(told("match over", result="void", reason="void", points=[], winners=[], by=None))
    expect(page.locator(".play-headline")).to_contain_text("nobody has lost")
    expect(page.get_by_role("button", name="To the lobby")).to_be_visible()


def test_after_a_reload_the_page_knows_who_is_away_and_the_whole_series(lobby: ScriptedLobby, open_page) -> None:
    lobby.board = board("roll")
    page = open_page("ada")
    away = [{"seat": 1, "return_by_ms": NOW_MS + 50_000}]
    moved = {"seat": 1, "player": "bob", "by": "player", "move": "hold", "details": "a long way " * 20}
    series = match(3, "bob", "Pig", whole="Three-of-Pig", away=away, resumed=True, moves=[moved] * 1_000)
    lobby.back_in = [{**series, "number": 2}, turn()]
    page.reload()
    expect(page.locator(".play-moves li")).to_have_count(1_000)
    assert page.evaluate(NUMBERS_BROKEN) == []
    expect(page.locator(".seat.away")).to_contain_text("bob")
    lobby.tell(RETURNED)
    expect(page.locator(".seat.away")).to_have_count(0)
    expect(page.locator(".play-heading")).to_contain_text("Three-of-Pig, game 2: Pig")
    lobby.tell(told("match over", result="win", reason="resigned", points=[2, 0], winners=[0], by=1))
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".play-prompt")).to_have_text("bob is asked for a rematch.")
    assert [one["game"] for one in lobby.asked("challenge")] == ["Three-of-Pig"]


def test_an_offer_of_a_rematch_is_not_overwritten_by_a_late_board(lobby: ScriptedLobby, open_page) -> None:
    """The button stays the same one, too, when the end of the match is told behind that of the game."""
    lobby.board = board("roll")
    page = open_page("ada")
    lobby.tell(match(3, "bob", "Pig"), turn())
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    held: list[Any] = []
    page.route("**/matches/3/board**", lambda route: held.append(route))  # noqa: PLW0108 - no method
    lobby.refusals["board"] = ("not in match", "you are in no match")
    end = {"result": "loss", "reason": "resigned", "points": [0, 2], "winners": [1], "by": 0}
    lobby.tell({"tell": "game over", "match": 3, **end, "number": 1, "reason_text": "", "revealed": "", "why": ""})
    expect(page.locator(".play-prompt")).to_have_text("Points: ada 0, bob 2.")
    page.evaluate("document.querySelector('.play-end button.main').dataset.told = 'first'")
    lobby.tell({"tell": "match over", "match": 3, **end})
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".play-prompt")).to_have_text("bob is asked for a rematch.")
    assert page.get_attribute(".play-end button.main", "data-told") == "first"
    for route in held:
        route.fulfill(body='<figure data-scores="0 2" data-ending="by resigning"><svg class="board"></svg></figure>')
    expect(page.locator(".play-stage svg.board")).to_have_count(1)
    expect(page.locator(".play-prompt")).to_have_text("bob is asked for a rematch.")


def test_dice_of_the_opening_are_told_once(lobby: ScriptedLobby, open_page) -> None:
    """The words of a draw begin with those of the draw or the move before it."""
    lobby.board = board("roll")
    page = open_page("ada")
    words = ["white rolls 4, black 4", "white rolls 5, black 2", "white rolls 5, black 2, white rolls 6 1"]
    dice = {"seat": None, "player": "", "by": "chance"}
    moves = [{**dice, "move": text, "details": details} for text, details in zip("123", words, strict=True)]
    lobby.tell(match(3, "bob", "Pig", moves=moves), turn())
    expect(page.locator(".play-moves li")).to_have_count(3)
    rolled = {"details": "13/7, black rolls 3 3", "details_words": "black rolls 3 3"}
    lobby.tell(told("moved", seat=0, player="ada", by="player", move="13/7", words="13 to 7", **rolled))
    lobby.tell(told("moved", **dice, move="3 3", **rolled))
    moved = told("moved", seat=1, player="bob", by="player")
    steps = {"move": "13/10 13/7", "details": "13/10 10/7*", "details_words": ""}
    lobby.tell({**moved, **steps, "words": "13 to 10, 10 to 7 with a hit"})
    lobby.tell({**moved, "move": "roll", "details": "white rolls 2 1"})
    expect(page.locator(".play-moves li")).to_have_text(  # a move begins with its number
        [
            "White rolls 4, black 4.",
            "White rolls 5, black 2.",
            "White rolls 6 1.",
            "1You play 13 to 7. Black rolls 3 3.",
            "2bob plays 13 to 10, 10 to 7 with a hit.",
            "3White rolls 2 1.",
        ]
    )


def test_narrow_points_take_two_touches_and_doubling_is_asked_once(lobby: ScriptedLobby, open_page) -> None:
    shapes = [
        {"kind": "box", "x": 20 * place, "y": 0, "width": 20, "height": 100, "spot": f"point {place}"}
        for place in range(1, 5)
    ]
    touches = [{"move": f"4/{place}", "spots": ["point 4", f"point {place}"]} for place in range(1, 4)]
    picture = {"width": 360, "height": 100, "description": "Four narrow points", "shapes": shapes, "code": None}
    moves = ("roll", "double", "4/3", "4/2", "4/1")
    lobby.board = board(*moves, picture={**picture, "touches": touches, "buttons": ["roll", "double"]})
    page = open_page("ada", PHONE)
    lobby.tell(match(3, "bob", "Pig"), turn())
    for point in ("point 4", "point 2"):
        frame = page.locator(f'.spot[data-spot="{point}"] .frame').bounding_box()
        assert frame["width"] < 30
        page.touchscreen.tap(frame["x"] + frame["width"] / 2, frame["y"] + 40)
    expect(page.locator(".play-which button")).to_have_count(0)
    page.get_by_role("button", name="Roll").wait_for()
    assert lobby.asked("move") == [{"do": "move", "move": "4/2", "match": 3}]
    page.locator(".play-legal summary").click()
    named = ["Roll", "Double", "point 4 to point 3", "point 4 to point 2", "point 4 to point 1"]
    expect(page.locator(".play-legal button")).to_have_text(named)
    page.locator(".play-legal summary").click()
    roll, double = (page.get_by_role("button", name=name, exact=True) for name in ("Roll", "Double"))
    looks = "button => getComputedStyle(button).backgroundColor"
    assert roll.evaluate(looks) != double.evaluate(looks)
    double.click()
    page.get_by_role("button", name="Keep the stake").click()
    double.click()
    page.get_by_role("button", name="Double the stake").click()
    expect(page.locator("dialog")).to_have_count(0)
    roll.click()
    expect(roll).to_be_visible()
    assert [one["move"] for one in lobby.asked("move")] == ["4/2", "double", "roll"]
    page.set_viewport_size({"width": 844, "height": 390})
    assert page.evaluate(OUTSIDE, ".play-stage svg, .play-buttons button") == [], "a phone that is held sideways"
    assert obstacles(page) == {}
