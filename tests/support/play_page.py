"""A person at the page to play on: comes in, challenges, and plays by mouse, by finger or by keyboard.

The person knows no game: whatever can be touched is touched, what can be composed is composed, and buttons are pressed.
"""

import random
from enum import Enum
from typing import Any

from attrs import Factory, define

from tests.support.browser import expect

READY_OR_OVER = '.play-match.is-own-turn, .play-match[data-phase="over"], .play-end button.main'
READY = '.play-match:not([data-phase="over"]) .play-end button.main'
NOT_PRESSED = frozenset({"Undo", "Double", "Drop"})
"""Buttons that would keep a game from its end, or end it at once."""

TURNS_MAX = 2_000
ARROWS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")

MIDDLES = """selector => [...document.querySelectorAll(selector)].map(spot => {
  const box = spot.querySelector(".frame").getBoundingClientRect();
  return [spot.dataset.spot, box.x + box.width / 2, box.y + box.height / 2];
})"""


def choose_game(page: Any, game: str) -> None:
    """Choose a game of the lobby, as a person does who touches its picture."""
    page.locator("#games label").filter(has=page.locator(f'input[value="{game}"]')).click()


class Way(Enum):
    """The means by which the person touches the board."""

    MOUSE = "mouse"
    DRAG = "drag"
    FINGER = "finger"
    KEYBOARD = "keyboard"


@define
class Person:
    """Somebody in front of a page."""

    page: Any
    name: str
    way: Way = Way.MOUSE
    rng: random.Random = Factory(lambda: random.Random(1))
    turns: int = 0

    def enter(self) -> None:
        """Come in by the name."""
        self.page.fill("#name", self.name)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#own-name")).to_have_text(self.name)

    def challenge(self, opponent: str, game: str) -> None:
        """Ask a player of the list for a match, a house player too."""
        choose_game(self.page, game)
        if opponent.startswith("house-"):
            self.page.select_option("#level", opponent)
            self.page.click("#house button")
        else:
            self.page.locator(f'button[aria-label$="Challenge {opponent}"]').click()

    def accept(self, challenger: str) -> None:
        """Take up a challenge that has come."""
        self.page.get_by_role("button", name=f"Accept the challenge of {challenger}").click()

    def seek(self, game: str) -> None:
        """Look for anybody who wants to play this game."""
        choose_game(self.page, game)
        self.page.click("#find")

    def be_ready(self) -> None:
        """Say so, unless the page has done it by itself meanwhile, as it does after some seconds."""
        self.page.wait_for_selector('.play-end button.main, .play-match:not([data-phase="readying"])')
        self.page.evaluate(f"document.querySelector({READY!r})?.click()")

    def rematch(self) -> None:
        """Ask the same opponent again, and see the new match begin."""
        match = self.page.inner_text(".play-heading small")
        self.page.get_by_role("button", name="Rematch").click()
        self.expect_other_match(match)

    def expect_other_match(self, than: str) -> None:
        """Wait until another match is on the screen."""
        expect(self.page.locator(".play-heading small")).not_to_have_text(than)

    def wait_for_turn(self) -> bool:
        """True as soon as it is the person's turn, false at the match's end; says ready for further games."""
        while True:
            self.page.wait_for_selector(READY_OR_OVER)
            if self.page.locator('.play-match[data-phase="over"]').count():
                return False
            if self.page.locator(".play-match.is-own-turn").count():
                return True
            self.page.evaluate(f"document.querySelector({READY!r})?.click()")
            self.page.wait_for_selector('.play-match[data-phase="playing"], .play-match[data-phase="over"]')

    def play_to_end(self) -> int:
        """Play until the match is over; the number of moves."""
        while self.wait_for_turn():
            self.turns += 1
            assert self.turns <= TURNS_MAX, "this match does not end"
            self.move()
        return self.turns

    def move(self) -> None:
        """Make one move, and wait until the server has taken it."""
        step = self.page.get_attribute(".play-match", "data-step")
        if self.page.locator(".play-code").count():
            self._compose()
        else:
            buttons = self.page.locator('.play-buttons[aria-label="Moves"] button')
            names = [name for name in buttons.all_inner_texts() if name not in NOT_PRESSED]
            spots = self.page.locator(".board .spot").count()
            if spots and (not names or self.rng.random() < 0.8):
                self._touch()
            else:
                assert names, "a turn without a move to make"
                self._press(buttons.filter(has_text=self.rng.choice(names)).first)
        self.page.wait_for_function(
            """step => { const match = document.querySelector(".play-match");
                         return match.dataset.step !== step || match.dataset.phase !== "playing"; }""",
            arg=step,
        )

    # --- each kind of move

    def _press(self, button: Any) -> None:
        if self.way is Way.KEYBOARD:
            button.focus()
            self.page.keyboard.press("Enter")
        elif self.way is Way.FINGER:
            button.tap()
        else:
            button.click()

    def _compose(self) -> None:
        values = self.page.locator(".play-code .value")
        places = self.page.locator(".play-code .slot").count()
        for _ in range(places):
            self._press(values.nth(self.rng.randrange(values.count())))
        self._press(self.page.locator(".play-code .send"))

    def _touch(self) -> None:
        """One spot after the other until they make a move."""
        source = self._choose(".board .spot")
        if self.way is Way.DRAG and self._is_source(source[0]):
            self._drag(source)
            return
        self._touch_spot(*source)
        while self.page.locator(".board .spot.target").count():
            self._touch_spot(*self._choose(".board .spot.target"))
        if self.page.locator(".play-which button").count():
            self._press(self.page.locator(".play-which button").first)

    def _choose(self, selector: str) -> tuple[str, float, float]:
        # In one go: the page may put another board into the place of this one while Playwright waits for it.
        self.page.evaluate('document.querySelector(".play-stage svg").scrollIntoViewIfNeeded()')
        found = self.page.evaluate(MIDDLES, selector)
        name, x, y = self.rng.choice(found)
        return name, x, y

    def _is_source(self, name: str) -> bool:
        return bool(self.page.locator(f'.board .spot.source[data-spot="{name}"]').count())

    def _touch_spot(self, name: str, x: float, y: float) -> None:
        if self.way is Way.KEYBOARD:
            self._walk_to(name)
            self.page.keyboard.press("Enter")
        elif self.way is Way.FINGER:
            self.page.touchscreen.tap(x, y)
            # Where spots lie close together the first touch only shows the spot.
            again = self.page.locator(".play-which button.main")
            if again.count():
                again.tap()
        else:
            self.page.mouse.click(x, y)

    def _drag(self, source: tuple[str, float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*source[1:])
        mouse.down()
        mouse.move(source[1] + 12, source[2] + 12, steps=3)
        expect(self.page.locator(".board .ghost [class]").first).to_be_visible()
        _, x, y = self._choose(".board .spot.target")
        mouse.move(x, y, steps=4)
        mouse.up()

    def _walk_to(self, name: str) -> None:
        """Arrow keys to the spot, as far as they lead there; else by Tab's stop, Home and the arrows in order."""
        page = self.page
        if page.evaluate("document.activeElement.closest('.board') === null"):
            page.locator('.board .spot[tabindex="0"]').focus()
        seen = set()
        for _ in range(200):
            here, way = page.evaluate(
                """name => {
                     const middle = spot => { const box = spot.querySelector(".frame").getBoundingClientRect();
                                              return [box.x + box.width / 2, box.y + box.height / 2]; };
                     const here = document.activeElement, there = document.querySelector(`.spot[data-spot="${name}"]`);
                     const [x, y] = middle(here), [toX, toY] = middle(there);
                     return [here.dataset.spot, [toX - x, toY - y]]; }""",
                name,
            )
            if here == name:
                return
            keys = ["ArrowRight" if way[0] > 0 else "ArrowLeft", "ArrowDown" if way[1] > 0 else "ArrowUp"]
            if abs(way[1]) > abs(way[0]):
                keys.reverse()
            key = next((key for key in keys if (here, key) not in seen), self.rng.choice(ARROWS))
            seen.add((here, key))
            page.keyboard.press(key)
        raise AssertionError(f"the arrow keys do not lead to {name}")
