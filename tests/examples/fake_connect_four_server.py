"""The server's end of a connection of Connect Four, for scripts: what it hears, and events to tell."""

import json

from tests.examples.fake_strategic_server import Peer

FREE = "No player1 yet"


class JsonPeer(Peer):
    """The server's end of one connection: an object a line."""

    end = "\n"

    def tell(self, *events: object) -> None:
        """Send events, as objects or as lines."""
        self.send(*(event if isinstance(event, str) else json.dumps(event) for event in events))

    def asked(self, action: str, *answers: object, **keys: object) -> None:
        """Hear an action with just these keys, and answer."""
        heard = json.loads(self.hear())
        expected = {"action": action} | {key.replace("_", " "): value for key, value in keys.items()}
        assert heard == expected, f"expected {expected}, heard {heard} after {self.heard[:-1]}"
        self.tell(*answers)

    def moved(self, *answers: object) -> str:
        """Hear a move, and answer."""
        heard = json.loads(self.hear())
        assert heard["action"] == "move", self.heard
        self.tell(*answers)
        return heard["move"]

    def welcome(self, name: str, *shown: str) -> None:
        """Let the bot in, with these rooms in the list."""
        self.asked("connect", lobby(*shown), name=name)

    def seated(self, room: int, opponent: str, *answers: object) -> None:
        """Give it a place in a room."""
        self.asked("join", event("game", opponent=opponent), room_number=room)
        self.asked("start", *answers)

    def goodbye(self) -> None:
        """Let it leave the room and the server."""
        self.asked("exit game", lobby(FREE))
        self.asked("disconnect")
        assert self.hear() == "", "the bot closes the connection after its last match"


def event(kind: str, **keys: object) -> dict[str, object]:
    named = {key.replace("_", " "): value for key, value in keys.items()}
    return {"event": kind, "message": f"{kind} message", **named}


def lobby(*opponents: str) -> dict[str, object]:
    """The lobby with these players waiting in the rooms from 0."""
    rooms = [{"room number": room, "opponent": opponent} for room, opponent in enumerate(opponents)]
    return event("lobby", free_lobbies=rooms)


MAKE_MOVE = event("make move")


def theirs(move: str) -> tuple[dict[str, object], dict[str, object]]:
    return event("opponent moved", move=move), MAKE_MOVE


def over(winner: str) -> dict[str, object]:
    return event("game over", winner=winner, winning_move=None)


def with_moves(*moves: str) -> dict[str, object]:
    return event("started", opponent="bob", moves=list(moves))
