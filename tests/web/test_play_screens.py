"""The page to play on in Chromium: coming in, the lobby, being called, and what happens to the connection."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
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
from tests.support.scenarios import scenarios_in
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


SCENARIOS = scenarios_in(Path(__file__).parent / "screens")


def players(text: str) -> list[Message]:
    """Players such as `ann:web cy:mastermind:Mastermind bob::12`, the last of whom is in match 12, and the house."""
    found = []
    for word in text.split():
        name, protocol, more = (*word.split(":"), "", "")[:3]
        games = (more,) if more and not more.isdigit() else None
        found.append(player(name, protocol or "strategic", games=games))
        found[-1]["match"] = int(more) if more.isdigit() else None
    return [*found, *house()]


def fields(words: list[str]) -> Message:
    """Fields such as `number=3 from=bob`."""
    given: Message = {}
    for name, _, value in (word.partition("=") for word in words):
        given[name] = value
        with suppress(ValueError):
            given[name] = json.loads(value)
    return given


def message(text: str) -> Message:
    """A message to the page, such as `challenged number=3 from=bob`. Moves may be given by their number."""
    tell, *words = shlex.split(text)
    given = fields(words)
    if isinstance(given.get("moves"), int):
        given["moves"] = [f"m{number}" for number in range(given["moves"])]
    if tell == "match":
        return match(3, given.pop("against", "bob")) | given
    return {"board": board(), "turn": turn(), "returned": RETURNED}.get(tell, {"tell": tell}) | given


@define
class Screen:
    """A page of a scripted lobby, as somebody uses it who has a phone or a laptop."""

    lobby: ScriptedLobby
    open_page: Open
    size: tuple[int, int]
    page: Any = None

    def open(self, what: str) -> None:
        name, _, address = what.partition("at ")
        self.page = self.open_page(name.strip(), self.size, address or "play")

    def at(self, what: str) -> Any:
        """The element that a CSS selector finds, or `button NAME`, `link NAME`, `label TEXT`."""
        kind, _, name = what.partition(" ")
        if kind in {"button", "link"}:
            return self.page.get_by_role(kind, name=name)
        return self.page.get_by_label(name) if kind == "label" else self.page.locator(what)

    def refuse(self, what: str) -> None:
        do, code, why = what.split(" | ")
        self.lobby.refusals[do] = (code, why)

    def put(self, what: str) -> None:
        """Fill a field in, or choose from its list."""
        place, _, text = what.partition(" =")
        field = self.at(place)
        (field.select_option if field.evaluate("e => e.tagName") == "SELECT" else field.fill)(text.strip())

    def do(self, step: str) -> None:
        verb, _, what = step.partition(" ")
        STEPS[verb](self, what)

    def see(self, what: str) -> None:
        """Wait until something is seen, or look at once where a page does not change by itself."""
        found = ((re.fullmatch(pattern, what), look) for pattern, look in SEEN.items())
        match_, look = next((each, look) for each, look in found if each)
        assert look(self, *match_.groups()) is not False, what


STEPS: dict[str, Callable[[Screen, str], Any]] = {
    "open": Screen.open,
    "tell": lambda one, what: one.lobby.tell(message(what)),
    "board": lambda one, what: setattr(one.lobby, "board", message(f"board {what}")),
    "back": lambda one, what: setattr(one.lobby, "back_in", [message(what)] if what else []),
    "players": lambda one, what: setattr(one.lobby, "players", players(what)),
    "away": lambda one, what: setattr(one.lobby, "is_away", what == "yes"),
    "hang-up": lambda one, _: one.lobby.sockets[-1].close(),
    "refuse": Screen.refuse,
    "click": lambda one, what: one.at(what).click(),
    "focus": lambda one, what: one.at(what).focus(),
    "press": lambda one, what: one.page.keyboard.press(what),
    "type": lambda one, what: one.page.keyboard.type(what),
    "put": Screen.put,
    "choose": lambda one, what: choose_game(one.page, what),
    "reload": lambda one, _: one.page.reload(),
    "run": lambda one, what: one.page.evaluate(what),
    "dark": lambda one, _: one.page.emulate_media(color_scheme="dark"),
    "clock": lambda one, _: one.page.clock.install(),
    "wait": lambda one, what: one.page.clock.run_for(int(what)),
}
SEEN: dict[str, Callable[..., Any]] = {
    "clear": lambda one: obstacles(one.page) == {},
    "fits": lambda one: not scrolls_sideways(one.page),
    "screen (.+)": lambda one, name: screen(one.page, name),
    "title (.+)": lambda one, text: one.page.title() == text,
    "address (.+)": lambda one, text: one.page.url == ADDRESS + text,
    "(.+Storage) has (.+)": lambda one, kept, text: text in one.page.evaluate(f"JSON.stringify({{...{kept}}})"),
    "(.+Storage) lacks (.+)": lambda one, kept, text: text not in one.page.evaluate(f"JSON.stringify({{...{kept}}})"),
    r"(\d+)x asked (.+)": lambda one, count, do: len(one.lobby.asked(do)) == int(count),
    r"asked (\S+) ?(.*)": lambda one, do, told: one.lobby.asked(do)[-1] == {"do": do} | fields(shlex.split(told)),
    r"(\d+)x (.+)": lambda one, count, place: expect(one.at(place)).to_have_count(int(count)),
    "value of (.+) = ?(.*)": lambda one, place, text: expect(one.at(place)).to_have_value(text),
    r"(\S+) of (.+) = (.+)": lambda one, name, place, text: expect(one.at(place)).to_have_attribute(name, text),
    "(.+) is (focused|hidden|visible|empty|enabled|disabled)": lambda one, place, how: getattr(
        expect(one.at(place)), f"to_be_{how}"
    )(),
    "(.+?) = (.+)": lambda one, place, text: expect(one.at(place)).to_have_text(text),
    "(.+?) has (.+)": lambda one, place, text: expect(one.at(place)).to_contain_text(text),
    "(.+?) ~ (.+)": lambda one, place, text: expect(one.at(place)).to_have_text(re.compile(text)),
}
"""Checks of the page by the words of a sight; the first that fits counts."""


@pytest.mark.parametrize("title", SCENARIOS)
def test_page_shows_what_is_written(title: str, lobby: ScriptedLobby, open_page: Open) -> None:
    settings = SCENARIOS[title].settings
    if "players" in settings:
        lobby.players = players(settings["players"])
    shown = Screen(lobby, open_page, PHONE if "phone" in settings else LAPTOP)
    for step, expected in SCENARIOS[title].steps:
        for line, act in ((step, shown.do), *((one, shown.see) for one in expected)):
            try:
                act(line.text)
            except Exception as error:
                error.add_note(line.place)
                raise


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
