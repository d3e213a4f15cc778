"""Players of GammonX on the official SignalR client, each in a Node process of its own, moved by a test.

The process says what it hears, line by line, and the test decides what it does next. So a test can
stop the play wherever it wants to look at it, cut a connection or kill the server, and go on.
"""

import json
import queue
import random
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

from attrs import Factory, define, field

from protocols.gammonx.guids import player_name
from tests.end_to_end.support import DEADLINE_S, LOCAL

OFF = -100
"""Where a checker is that is borne off; the bar is -1."""
POINTS = 24
ACTIONS = ("StartGame", "Roll", "Move", "EndTurn", "AcceptDouble")
"""What is done as soon as it is allowed; a double is offered now and then instead of a roll."""
LISTENING = ("match-started", "game-waiting", "game-started", "game-state", "double-offered", "game-ended")
"""Events that say what is allowed next."""


class Wire:
    """A way to the server that can be cut: a port that passes everything on, both ways, until then."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._listener = socket.create_server((LOCAL, 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection off, with a reset to both ends. New ones pass."""
        ends, self._open = self._open, []
        for end in ends:
            with suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                # Wakes the thread that reads from it; close alone leaves the connection open under a blocked recv.
                end.shutdown(socket.SHUT_RD)
            end.close()

    def close(self) -> None:
        """Cut, and let nobody in any more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection((LOCAL, self._target_port))
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@define(eq=False)
class Asked:
    """Something that a player was let invoke."""

    method: str
    arguments: tuple[int, ...]
    is_done: bool = False
    """Whether the server has said so; what a lost connection took with it may be done or not."""

    @property
    def text(self) -> str:
        """The move as records have it, whose points are 24 to 1 for both players."""
        words = {"Roll": "roll", "EndTurn": "end", "UndoMove": "undo", "OfferDouble": "double", "AcceptDouble": "take"}
        if self.method != "Move":
            return words.get(self.method, "")
        source, target = self.arguments
        return f"{'bar' if source == -1 else POINTS - source}/{'off' if target == OFF else POINTS - target}"


@define(eq=False)
class Player:
    """One client, and everything that it was told."""

    guid: str
    process: subprocess.Popen[str]
    told: "queue.Queue[tuple[Player, dict[str, Any]]]"
    asked: list[Asked] = Factory(list)
    events: list[tuple[str, Any]] = Factory(list)
    connections_back: int = 0
    state: Any = None
    """The payload of the last event that says what is allowed, or None once that has been done."""
    game_state: Any = None
    match_ended: Any = None
    _waiting: list[Asked] = field(factory=list, init=False)
    _reader: threading.Thread = field(init=False)

    @property
    def name(self) -> str:
        """What it is called on record."""
        return player_name(self.guid)

    def start_reading(self) -> Self:
        """Bring what it says to the queue."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.told.put((self, json.loads(line)))
        self.told.put((self, {"connection": "process ended"}))

    def invoke(self, method: str, *arguments: int) -> Asked:
        """Have it invoke a method of its match."""
        asked = Asked(method, arguments)
        self.asked.append(asked)
        self._waiting.append(asked)
        self.state = None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([method, *arguments]) + "\n")
        self.process.stdin.flush()
        return asked

    def hear(self, said: dict[str, Any]) -> None:
        """Take what it says."""
        if "event" in said:
            self._hear_event(said["event"], said["payload"], is_right=said["isEnvelopeRight"])
        elif "done" in said or "failed" in said:
            if said.get("done", said.get("failed")) != "JoinMatch":
                self._waiting.pop(0).is_done = "done" in said
        elif said["connection"] == "back":
            self.connections_back += 1
        else:
            assert said["connection"] == "lost" or self.match_ended, f"{self.guid}: {said}"

    def _hear_event(self, name: str, payload: Any, *, is_right: bool) -> None:
        assert is_right, f"{name} is called otherwise inside"
        assert name != "error", payload
        self.events.append((name, payload))
        if "boardState" in payload:
            self.game_state = payload
        if name in LISTENING:
            self.state = payload
        if name == "match-ended":
            self.match_ended = payload

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait(DEADLINE_S)
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        self._reader.join(DEADLINE_S)


def check_moves(player: str, everything_asked: Sequence[Asked], recorded: Sequence[str]) -> None:
    """Every move that was answered is on record, in its order, and none that was not asked; others may be."""
    asked = [asked for asked in everything_asked if asked.text]
    ends = {0}
    """How many of the moves that were asked may have led to the record so far."""
    for number, text in enumerate(recorded):
        ends = {place + 1 for end in ends for place in _next_done(asked, end) if asked[place].text == text}
        assert ends, f"{player}: move {number} on record is {text}, which it was not let play then"
    assert any(not any(each.is_done for each in asked[end:]) for end in ends), f"{player}: an answered move is missing"


def _next_done(asked: Sequence[Asked], begin: int) -> Iterator[int]:
    """The next moves that may have been done: up to the first that has."""
    for place in range(begin, len(asked)):
        yield place
        if asked[place].is_done:
            return


class Match:
    """Two players, and the hand that moves them."""

    def __init__(self, script: Sequence[str], ports: Sequence[int], guids: Sequence[str], **wishes: Any) -> None:
        self._told: queue.Queue[tuple[Player, dict[str, Any]]] = queue.Queue()
        self._chance = random.Random(1)
        self._doubles = wishes.get("doubles", 0.0)
        self.actions = 0
        self.players: list[Player] = []
        for port, guid in zip(ports, guids, strict=True):
            command = [*script, f"http://{LOCAL}:{port}", guid, str(wishes["variant"]), str(wishes["kind"])]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
            self.players.append(Player(guid, process, self._told).start_reading())

    @property
    def is_over(self) -> bool:
        """Whether both have heard so."""
        return all(player.match_ended for player in self.players)

    def play(self, until: Callable[[], Any]) -> None:
        """Let both do what they may, until something is so. It is looked at before each action."""
        while not until():
            ready = next((player for player in self.players if self._action_of(player)), None)
            if ready is None:
                self._listen()
            else:
                self._act(ready)
                self.actions += 1

    def listen_until(self, condition: Callable[[], Any], what: str) -> None:
        """Let nobody do anything until something is so."""
        while not condition():
            self._listen(what)

    def game_states(self) -> list[Any]:
        """What `GameState` tells each of them now."""
        for player in self.players:
            asked = player.invoke("GameState")
            self.listen_until(lambda asked=asked: asked.is_done, f"{player.guid} is told the state")
            assert player.events[-1][0] == "game-state"
        return [player.state for player in self.players]

    def cut(self, number: int, wire: Wire, *, in_flight: bool) -> None:
        """Break a player's connection off, with something under way or not, and wait until it is back."""
        player = self.players[number]
        back = player.connections_back
        if in_flight:
            self.play(until=lambda: self._action_of(player))
            self._act(player)
        wire.cut()
        self.listen_until(lambda: player.connections_back > back, f"{player.guid} is back")

    def close(self) -> None:
        """End both."""
        for player in self.players:
            player.close()

    def _listen(self, what: str = "the play goes on") -> None:
        try:
            player, said = self._told.get(timeout=DEADLINE_S)
        except queue.Empty:
            ends = [(player.guid, player.events[-2:], player.asked[-2:]) for player in self.players]
            raise AssertionError(f"not within {DEADLINE_S:g} s: {what}; {ends}") from None
        player.hear(said)

    def _action_of(self, player: Player) -> str | None:
        allowed = player.state["allowedCommands"] if player.state else ()
        return next((action for action in ACTIONS if action in allowed), None)

    def _act(self, player: Player) -> None:
        action = self._action_of(player)
        assert action is not None
        if "OfferDouble" in player.state["allowedCommands"] and self._chance.random() < self._doubles:
            action = "OfferDouble"
        player.invoke(action, *(self._chosen_move(player.state) if action == "Move" else ()))

    def _chosen_move(self, state: Any) -> tuple[int, int]:
        """Mostly what is farthest behind, because that ends a game soonest; any move now and then."""
        moves = [sequence["moves"][0] for sequence in state["moveSequences"]]
        step = self._chance.choice(moves)
        if self._chance.random() < 0.8:
            step = min(moves, key=lambda move: (move["to"] != OFF, move["from"]))
        return step["from"], step["to"]
