"""The match on the page to play on, in Chromium, as the server's words make it: what no game of ours leads to often."""

from typing import Any

from tests.support.browser import expect, obstacles
from tests.web.pages.scripted_lobby import Message, ScriptedLobby, match
from tests.web.pages.test_play_screens import lobby, open_page
from tests.web.pages.test_screens import PHONE, scrolls_sideways

__all__ = ["lobby", "open_page"]

LONG = "M" * 64
NOW_MS = 5_000_000


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
