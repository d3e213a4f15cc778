"""A strict client of Mastermind in `Type|JSON`. Written from the protocol's guide, not from the adapter.

Each message has one answer, in order. When a game is over, every answer before must fit the code that is shown then.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import Factory, define, frozen

from tests.clients import Client, Refused, compact


@frozen
class Asked:
    """A message of the client: its type, empty if it cannot be read, and its JSON with the keys in lower case."""

    kind: str
    content: Mapping[str, Any]


@frozen
class Accepted:
    """A game begins."""

    colours: int
    tries: int
    places: int


@frozen
class Answered:
    """A guess was wrong."""

    guess: tuple[int, ...]
    answer: tuple[int, ...]


@frozen
class Ended:
    """The game is over: by this guess, or because it was given up."""

    won: bool
    code: tuple[int, ...]
    guess: tuple[int, ...] | None


@frozen
class Erred:
    """Nothing was done; `asked` is None where nothing was asked, and the connection ends."""

    kind: int
    text: str
    asked: Asked | None


Heard = Accepted | Answered | Ended | Erred

PARSE_ERROR, BAD_PARAMETERS, NO_GAME, BROKEN = range(4)


@define
class CodeGame:
    """A game that is on."""

    size: Accepted
    guesses: list[Answered] = Factory(list)

    def takes(self, guess: Sequence[int]) -> bool:
        """True if a guess has the right length and colours."""
        return len(guess) == self.size.places and all(0 <= colour < self.size.colours for colour in guess)


@define(eq=False)
class MastermindClient(Client):
    """One connection, of lines or of WebSocket messages."""

    asked: deque[Asked] = Factory(deque)
    """Every message without an answer."""
    game: CodeGame | None = None
    _is_over: bool = False

    def new_game(self, colours: int, tries: int, places: int) -> bytes:
        """The message that asks for a game."""
        return self.note(_message(0, {"NbrColors": colours, "MaxTries": tries, "CodeLength": places}))

    def guess(self, code: Sequence[int]) -> bytes:
        """The message that guesses."""
        return self.note(_message(1, {"Guess": list(code)}))

    def retreat(self) -> bytes:
        """The message that gives up."""
        return self.note(_message(4, {}))

    def note(self, message: bytes) -> bytes:
        number, _, body = message.removeprefix(b"\xef\xbb\xbf").strip(b"\r").partition(b"|")
        # The original is written in Go, and took the number's last eight bits.
        kind = str(int(number) % 256) if re.fullmatch(rb"[+-]?[0-9]+", number) and message.count(b"|") == 1 else ""
        try:
            content = json.loads(body) if kind in {"0", "1"} else {}
        except ValueError:
            kind, content = "", {}
        pairs = content.items() if isinstance(content, dict) else ()
        self.asked.append(Asked(kind, {key.lower(): value for key, value in pairs}))
        return message

    def hear(self, message: bytes) -> Heard:
        """Read a message. Raises `Refused` if it may not come now."""
        kind, content = read_message(message)
        _, check = _CHECKS[kind]
        if self._is_over or (not self.asked and check is not MastermindClient._erred):
            raise Refused(f"nothing was asked, and {message!r} comes")
        return check(self, self.asked.popleft() if self.asked else None, content)

    def _accepted(self, asked: Asked, content: Mapping[str, Any]) -> Accepted:
        size = content["Attributes"]
        if asked.kind != "0" or content["Accept"] is not True or tuple(size) != _SIZE:
            raise Refused(f"{asked} is answered with {content}")
        if any(value != asked.content.get(key.lower()) for key, value in size.items()):
            raise Refused(f"another game is accepted than {asked}: {content}")
        self.game = CodeGame(Accepted(size["NbrColors"], size["MaxTries"], size["CodeLength"]))
        return self.game.size

    def _guessed(self, asked: Asked, content: Mapping[str, Any]) -> tuple[CodeGame, tuple[int, ...]]:
        guess = asked.content.get("guess") or ()
        if asked.kind != "1" or self.game is None or not self.game.takes(guess):
            raise Refused(f"{asked} is answered with {content} in {self.game}")
        return self.game, tuple(guess)

    def _answered(self, asked: Asked, content: Mapping[str, Any]) -> Answered:
        game, guess = self._guessed(asked, content)
        answer = content["Answer"]
        if len(answer) != game.size.places or answer != sorted(answer) or not set(answer) <= {0, 1, 2}:
            raise Refused(f"no answer to {guess} is {answer}")
        if not any(answer) or len(game.guesses) + 1 >= game.size.tries:
            raise Refused(f"the game is over after {guess}, and {content} comes")
        game.guesses.append(Answered(guess, tuple(answer)))
        return game.guesses[-1]

    def _ended(self, asked: Asked, content: Mapping[str, Any]) -> Ended:
        code, guess = tuple(content["Code"]), None
        if asked.kind != "4":
            game, guess = self._guessed(asked, content)
        elif self.game is None:
            raise Refused(f"no game is on, and {content} comes")
        else:
            game = self.game
        if not game.takes(code):
            raise Refused(f"the code {code} is not one of {game.size}")
        for told in game.guesses:
            if told.answer != _answer(told.guess, code):
                raise Refused(f"{told} does not fit the code {code}")
        tries = 0 if guess is None else len(game.guesses) + 1
        if (content["Won"], content["Tries"]) != (guess == code, tries):
            raise Refused(f"{content} does not follow from {asked} after {game}")
        if guess not in {None, code} and tries < game.size.tries:
            raise Refused(f"there are tries left after {game}, and {content} comes")
        self.game = None
        return Ended(content["Won"], code, guess)

    def _erred(self, asked: Asked | None, content: Mapping[str, Any]) -> Erred:
        kind = content["ErrorType"]
        if kind not in {PARSE_ERROR, BAD_PARAMETERS, NO_GAME, BROKEN}:
            raise Refused(f"no error has the type {kind}")
        if asked is None and kind not in {PARSE_ERROR, BROKEN}:
            raise Refused(f"nothing was asked, and {content} comes")
        is_fine = asked is not None and self.game is not None and asked.kind in {"1", "4"}
        if is_fine and kind in {PARSE_ERROR, BAD_PARAMETERS} and _is_legal(asked, self.game):
            raise Refused(f"{asked} is legal in {self.game}, and {content} comes")
        self._is_over = asked is None
        if kind == NO_GAME:
            self.game = None
        return Erred(kind, content["Message"], asked)


def read_message(message: bytes) -> tuple[str, Mapping[str, Any]]:
    """Read the type and the content of a message, whether or not it may come now."""
    kind, _, body = message.decode().partition("|")
    try:
        content = json.loads(body)
    except ValueError:
        raise Refused(f"this is not JSON: {message!r}") from None
    if kind not in _CHECKS or tuple(content) != _CHECKS[kind][0] or compact(content) != body:
        raise Refused(f"no message of the server is {message!r}")
    return kind, content


def _is_legal(asked: Asked | None, game: CodeGame | None) -> bool:
    assert asked is not None
    assert game is not None
    guess = asked.content.get("guess")
    return asked.kind == "4" or (
        isinstance(guess, list) and all(type(colour) is int for colour in guess) and game.takes(guess)
    )


def _answer(guess: Sequence[int], code: Sequence[int]) -> tuple[int, ...]:
    """The right answer to a guess, by the guide's rules."""
    exact = sum(one == other for one, other in zip(guess, code, strict=True))
    common = sum(min(guess.count(colour), code.count(colour)) for colour in set(code))
    return (*[0] * exact, *[1] * (common - exact), *[2] * (len(code) - common))


def _message(kind: int, content: Mapping[str, Any]) -> bytes:
    return f"{kind}|{compact(content)}".encode()


_SIZE = ("NbrColors", "MaxTries", "CodeLength")
_CHECKS: Mapping[str, tuple[tuple[str, ...], Callable[..., Heard]]] = {
    "2": (("Answer",), MastermindClient._answered),
    "3": (("Won", "Tries", "Code"), MastermindClient._ended),
    "5": (("Accept", "Attributes"), MastermindClient._accepted),
    "6": (("Message", "ErrorType"), MastermindClient._erred),
}
