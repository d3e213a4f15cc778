"""The match on the page to play on, in Chromium, as the server's words make it: what no game of ours leads to often."""

import re
from typing import Any

from tests.support.browser import expect, obstacles
from tests.web.pages.scripted_lobby import Message, ScriptedLobby, match
from tests.web.pages.test_play_screens import lobby, open_page
from tests.web.pages.test_screens import OUTSIDE, PHONE, scrolls_sideways

__all__ = ["lobby", "open_page"]

LONG = "M" * 64
NOW_MS = 5_000_000
NUMBERS_BROKEN = """() => [...document.querySelectorAll(".play-moves .number")].filter(number => {
  const line = document.createRange();
  line.selectNodeContents(number);
  return line.getClientRects().length !== 1 || number.scrollWidth > number.clientWidth + 1;
}).map(number => number.textContent)"""


def board(*moves: str, total: int = 0, step: int = 0, **changes: Any) -> Message:
    """The board of a game without pictures."""
    told = {"tell": "board", "match": 3, "game": "Pig", "step": step, "lines": ["ada 0", "bob 0"], "picture": None}
    to_act = {"sides": [], "awaited": [0], "turn": 0, "prompt": "roll or hold | 0 0", "deadline_ms": NOW_MS + 60_000}
    return {**told, "moves": moves, "moves_total": total or len(moves), **to_act, **changes}


def turn(**changes: Any) -> Message:
    told = {"tell": "turn", "match": 3, "turn": 0, "seats": [0], "prompt": "roll or hold | 0 0"}
    return {**told, "deadline_ms": NOW_MS + 60_000, **changes}


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
    moved = {"seat": 1, "player": LONG, "move": "hold", "details": "", "by": "server"}
    lobby.tell({"tell": "moved", "match": 3, **moved}, turn(turn=0))
    expect(page.locator(".play-last")).to_have_text(f"{LONG} was late: the server played hold.")
    assert not scrolls_sideways(page)
    page.get_by_label("Type a move").fill("m4711")
    page.keyboard.press("Enter")
    expect(page.locator(".play-typed input")).to_have_value("")
    assert lobby.asked("move")[-1]["move"] == "m4711"


def test_a_series_goes_on_by_itself_and_tells_its_score(lobby: ScriptedLobby, open_page) -> None:
    lobby.board = board("roll")
    page = open_page("ada")
    lobby.tell(match(3, "bob", "Pig"), turn())
    expect(page.get_by_role("button", name="Roll")).to_be_visible()
    lobby.tell({"tell": "said", "from": "bob", "text": "hello <b>"})
    expect(page.locator(".play-said")).to_have_text("bob: hello <b>")
    dropped = {"tell": "dropped", "match": 3, "seat": 1, "player": "bob", "return_by_ms": NOW_MS + 9_500}
    lobby.tell(dropped)
    expect(page.locator(".seat.away")).to_contain_text(re.compile(r"away\d\.\d s"))
    lobby.tell({"tell": "returned", "match": 3, "seat": 1, "player": "bob", "ready_by_ms": None})
    expect(page.locator(".seat.away")).to_have_count(0)
    over = {
        "tell": "game over",
        "match": 3,
        "result": "win",
        "reason": "late",
        "reason_text": "",
        "winners": [0],
        "by": 1,
    }
    lobby.tell({**over, "number": 1, "points": [2, 0], "revealed": "", "why": "", "ready_by_ms": NOW_MS + 60_000})
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
    void = {
        "tell": "match over",
        "match": 3,
        "result": "void",
        "reason": "void",
        "points": [],
        "winners": [],
        "by": None,
    }
    lobby.tell(void)
    expect(page.locator(".play-headline")).to_contain_text("nobody has lost")
    expect(page.get_by_role("button", name="To the lobby")).to_be_visible()


def test_after_a_reload_the_page_knows_who_is_away_and_the_whole_series(lobby: ScriptedLobby, open_page) -> None:
    lobby.board = board("roll")
    page = open_page("ada")
    away = [{"seat": 1, "return_by_ms": NOW_MS + 50_000}]
    moved = {"seat": 1, "player": "bob", "by": "player", "move": "hold", "details": "a long way " * 20}
    told = match(3, "bob", "Pig", whole="Three-of-Pig", away=away, resumed=True, moves=[moved] * 1_000)
    lobby.back_in = [{**told, "number": 2}, turn()]
    page.reload()
    expect(page.locator(".play-moves li")).to_have_count(1_000)
    assert page.evaluate(NUMBERS_BROKEN) == []
    expect(page.locator(".seat.away")).to_contain_text("bob")
    lobby.tell({"tell": "returned", "match": 3, "seat": 1, "player": "bob", "ready_by_ms": None})
    expect(page.locator(".seat.away")).to_have_count(0)
    expect(page.locator(".play-heading")).to_contain_text("Three-of-Pig, game 2: Pig")
    end = {"result": "win", "reason": "resigned", "points": [2, 0], "winners": [0], "by": 1}
    lobby.tell({"tell": "match over", "match": 3, **end})
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".play-prompt")).to_have_text("bob is asked for a rematch.")
    assert [one["game"] for one in lobby.asked("challenge")] == ["Three-of-Pig"]


def test_dice_of_the_opening_are_told_once(lobby: ScriptedLobby, open_page) -> None:
    """The words of a draw begin with those of the draw or the move before it."""
    lobby.board = board("roll")
    page = open_page("ada")
    words = ["white rolls 4, black 4", "white rolls 5, black 2", "white rolls 5, black 2, white rolls 6 1"]
    dice = {"seat": None, "player": "", "by": "chance"}
    moves = [{**dice, "move": text, "details": details} for text, details in zip("123", words, strict=True)]
    lobby.tell(match(3, "bob", "Pig", moves=moves), turn())
    expect(page.locator(".play-moves li")).to_have_count(3)
    lobby.tell(
        {
            "tell": "moved",
            "match": 3,
            "seat": 0,
            "player": "ada",
            "move": "13/7",
            "details": "13/7, black rolls 3 3",
            "by": "player",
            "words": "13 to 7",
            "details_words": "black rolls 3 3",
        }
    )
    rolled = {"details": "13/7, black rolls 3 3", "details_words": "black rolls 3 3"}
    lobby.tell({"tell": "moved", "match": 3, **dice, "move": "3 3", **rolled})
    moved = {"tell": "moved", "match": 3, "seat": 1, "player": "bob", "by": "player"}
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
