"""The server's side of the conversation with the page to play on, as a script that a test directs."""

import json
from collections.abc import Callable
from typing import Any

from attrs import Factory, define

from tests.web.pages.conftest import ADDRESS

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
    """What is told to a player who comes back by a key, right behind the welcome."""
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
