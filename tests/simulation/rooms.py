"""A client of the 3D Connect Four protocol: rooms, starts and restarts, and a board of its own.

It waits for the answer to what has one, as the known clients do, and holds everything else against
where it stands. What it asks for can cross what the server tells it meanwhile: it may then be
answered for the place where it was, once.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Any, ClassVar

import orjson
from attrs import define, field

from games.connect_four_3d import GAME
from tests.clients.strategic import Opened
from tests.simulation import fairness, late_answers
from tests.simulation.client import Client
from tests.simulation.room_board import Board
from tests.simulation.violation import Violation
from tests.simulation.wire import TurnTold

PATIENCE_MS = 4_000
"""How long, in the calm, a client waits for an opponent who may not come back."""
NONSENSE = (b"hello", b"[]", b"", b"7")
REFUSED = (b"{}", b'{"action":"fly"}', b'{"action":"join"}', b'{"action":"move","move":3}')
ABOUT_A_ROOM = re.compile("room [0-9]")
BARE = "invalid keys used"
MOVE_REFUSED = ("invalid move", "move denied")
"""By profile."""
WRONG_MOVES = ("e0", "6", "A0", "")


class Place(StrEnum):
    """Where the client takes itself to be."""

    ARRIVED = "arrived"
    LOBBY = "lobby"
    ROOM = "room"
    READY = "ready"
    PLAYING = "playing"
    OVER = "over"
    AGAIN = "again"


@define(eq=False)
class RoomClient(Client):
    """Somebody in the rooms."""

    listener: ClassVar[str] = "connect-four"
    place: Place = Place.ARRIVED
    asked: str = ""
    """What waits for its one answer."""
    room: int = 0
    kept: int | None = None
    """The room in which a game goes on, for all that the client knows."""
    board: Board | None = None
    crossed: bool = False
    """Whether something was asked that may meet another place than it was meant for."""
    may_err: bool = False
    """Whether what it said last may have come after its room was taken away, which is an error then."""
    errors_due: int = 0
    leaving: bool = False
    since_ms: int = 0
    _line: bytearray = field(factory=bytearray)
    _matches_heard: int = 0
    _turns_heard: int = 0

    def begin(self, chance: Random) -> None:
        self.place, self.asked, self.board = Place.ARRIVED, "", None
        self.crossed = self.leaving = self.may_err = False
        self.errors_due = self._matches_heard = self._turns_heard = 0
        self._line.clear()

    def forget(self) -> None:
        self.place, self.asked, self.board = Place.ARRIVED, "", None

    @property
    def can_speak(self) -> bool:
        return super().can_speak and not self.leaving

    @property
    def unsettled(self) -> str:
        if self.place is not Place.LOBBY:
            return "everybody can come back" if self.place is Place.ARRIVED else "every end is told"
        return "every command is answered once" if self.asked else ""

    # What it says.

    def _comes_to_speak(self) -> bool:
        """Connect where that can be done; true if something can be asked now."""
        if self.wire is None:
            if self.may_connect():
                self._connect()
            return False
        return self.can_speak and not self.asked

    def act(self) -> None:
        """Do something that can be done here, or nonsense."""
        if not self._comes_to_speak():
            return
        roll = self.chance.random()
        if roll < 0.02:
            self._nonsense()
        elif roll < 0.024:
            self._say({"action": "disconnect"})
            self.leaving = True
        else:
            _WISHES[self.place](self, self.chance.random())

    def tend(self) -> None:
        """Make a move whose time has come."""
        board = self.board
        if board is not None and board.late is not None:
            late_answers.give(self, board)
        if board is None or board.turn is None or board.reply_end is not None or not self.can_speak or self.asked:
            return
        if board.reply_due_ms is None or board.reply_due_ms > self.world.real_ms:
            return
        if not self.world.calm and self.chance.random() < 0.04:
            self.errors_due += 1
            board.reply_end = self.say_move(self.chance.choice(WRONG_MOVES))
            return
        columns = range(16) if board.state is None else board.state.legal_moves(board.state.turn.seats[0])
        board.pending = self.choose(columns, board)
        board.reply_end = self.say_move(board.pending)

    def say_move(self, move: str) -> int:
        """Send a move."""
        return self._say({"action": "move", "move": move})

    def choose(self, columns: Sequence[int], board: Board) -> str:
        """The move to make."""
        return GAME.write_move(self.chance.choice(columns))

    def wind_up(self) -> None:
        """Go back to where a game goes on, play it, and then stay in the lobby."""
        if not self._comes_to_speak():
            return
        waits = self.kept is not None and self.world.real_ms - self.since_ms < PATIENCE_MS
        if self.place is Place.LOBBY and self.kept is not None:
            self._join(self.kept)
        elif self.place is Place.ROOM and waits:
            self._begin_game("start")
        elif self.place in {Place.ROOM, Place.OVER, Place.AGAIN} or (self.place is Place.READY and not waits):
            self._exit()

    def _connect(self) -> None:
        self.connect()
        self._ask_in()

    def _ask_in(self) -> None:
        """Say who it is; a secret stands beside the name, or behind it."""
        secret = self.world.rosters.shown_by(self)
        if not secret:
            self._ask("connect", name=self.name)
        elif self.chance.random() < 0.5:
            self._ask("connect", name=self.name, secret=secret)
        else:
            self._ask("connect", name=f"{self.name}:{secret}")

    def _say(self, content: dict[str, Any]) -> int:
        return self.send(orjson.dumps(content) + b"\n", str(content))

    def _ask(self, action: str, **more: Any) -> None:
        self.asked = action
        self._say({"action": action, **{key.replace("_", " "): value for key, value in more.items()}})

    def _join(self, room: int) -> None:
        if self.may_err:
            self._ask("connect")
            return
        self.room = room
        self._ask("join", room_number=room)

    def _begin_game(self, action: str) -> None:
        self._move_to(Place.READY if action == "start" else Place.AGAIN)
        self.crossed = True
        self._say({"action": action})

    def _exit(self) -> None:
        self.kept = None
        self.crossed = True
        self._ask("exit game")

    def _nonsense(self) -> None:
        if self.place is Place.ARRIVED or self.chance.random() < 0.5:
            self.send(self.chance.choice(NONSENSE) + b"\n", "nonsense")
        else:
            self.errors_due += 1
            self.send(self.chance.choice(REFUSED) + b"\n", "what is refused")

    def _move_to(self, place: Place) -> None:
        self.place, self.since_ms = place, self.world.real_ms

    def _wish_in_lobby(self, roll: float) -> None:
        if roll < 0.1:
            self._ask("connect")
        else:
            room = self.chance.randrange(self.world.rules.room_count + (roll > 0.97))
            self._join(room if self.kept is None else self.kept)

    def _wish_in_room(self, roll: float) -> None:
        if roll < 0.9:
            self._begin_game("start")
        elif roll < 0.95:
            self._exit()

    def _wish_while_waiting(self, roll: float) -> None:
        if roll < 0.03:
            self._exit()

    def _wish_in_game(self, roll: float) -> None:
        if roll < 0.01:
            self.crossed = True
            self._say({"action": "resign"})
        elif roll < 0.015:
            self._exit()

    def _wish_after_game(self, roll: float) -> None:
        if roll < 0.5:
            self._begin_game("restart")
        elif roll < 0.8:
            self._exit()

    # What it hears.

    def hear(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = bytearray(rest)
        for line in lines:
            content = orjson.loads(line)
            self.world.note("%s hears %s", self, content)
            self.world.count(f"room {content['event']}")
            _HEARD[content["event"]](self, content)

    def _lobby(self, content: dict[str, Any]) -> None:
        if self.asked in {"connect", "exit game"}:
            self.asked, self.may_err = "", False
        elif self.place in {Place.READY, Place.AGAIN}:
            self.may_err = True
        elif self.place not in {Place.ROOM, Place.OVER} and not self.crossed:
            raise self._out_of_place(content)
        if not all(isinstance(room["opponent"], str) for room in content["free lobbies"]):
            raise Violation("lines are well formed", repr(content))
        self.board = None
        self._move_to(Place.LOBBY)

    def _game(self, content: dict[str, Any]) -> None:
        if self.asked != "join":
            raise self._out_of_place(content)
        self.asked, self.crossed = "", False
        self._move_to(Place.ROOM)

    def _started(self, content: dict[str, Any]) -> None:
        assert self.wire is not None
        if self.place not in {Place.READY, Place.AGAIN} and self.asked != "exit game":
            raise self._out_of_place(content)
        meant = self.wire.matches_told[self._matches_heard]
        self._matches_heard += 1
        opened = Opened(meant.players[0], GAME.name, content["opponent"])
        told = self.world.archive.opened(self.index, self.name, meant.match, opened)
        self.board = Board(meant, told, GAME.start(GAME.options_type()))
        for number, move in enumerate(content.get("moves", ())):
            self._follow(self.board, number, move)
        self.kept = self.room
        self.world.count("room shown" if "moves" in content else "room opened")
        self._move_to(Place.PLAYING)

    def _turn(self, content: dict[str, Any]) -> None:
        assert self.wire is not None
        board = self._board(content)
        if board.turn is not None and not board.may_hear_turn_again:
            raise Violation("a turn is told once", f"again in match {board.meant.match} to {self}")
        if board.state is not None and board.state.turn.seats != (board.meant.seat,):
            raise Violation("a turn is told to who is to move", f"{self} is not, after {board.told.moves}")
        board.turn = self.wire.turns_told[self._turns_heard]
        self._turns_heard += 1
        board.reply_end, board.may_hear_turn_again, board.late = None, False, None
        self._think(board, board.turn)

    def _think(self, board: Board, turn: TurnTold) -> None:
        """Decide when to move: mostly at once, sometimes at the last moment, too late, or never."""
        quick, mood, extra = (self.chance.random() for _ in range(3))
        allowed_ms = turn.allowed_ms or 0
        if self.world.calm or quick < 0.9:
            board.reply_due_ms = self.world.real_ms + int(60 * extra * extra)
        elif mood < 0.4:
            board.reply_due_ms = turn.real_ms + allowed_ms - int(120 * extra)
        elif mood < 0.8:
            board.reply_due_ms = turn.real_ms + allowed_ms + self.world.rules.late_margin_ms + int(500 * extra) - 30
        else:
            board.reply_due_ms = None

    def _opponent_moved(self, content: dict[str, Any]) -> None:
        board = self._board(content)
        if board.pending is not None and board.state is not None:
            self._follow(board, len(board.told.moves), board.pending)
        if board.state is not None and board.state.turn.seats == (board.meant.seat,):
            raise Violation("nothing is left out", f"{self} is to move, and hears {content}")
        board.pending = board.turn = None
        self._follow(board, len(board.told.moves), content["move"])

    def _error(self, content: dict[str, Any]) -> None:
        reason = content["reason"]
        if reason == "lobby entry denied":
            self.leaving = True
            self.asked = ""
        elif reason == "time elapsed":
            self._overtaken(content.get("move"))
        elif reason in MOVE_REFUSED and self.board is not None and self.board.turn is not None:
            self.board.pending = None
            self.board.may_hear_turn_again = True
            self.errors_due = max(0, self.errors_due - 1)
        elif self.asked == "join" and self._is_about_join(content):
            self.asked = ""
            self.kept = None if self.room == self.kept else self.kept
        elif self.errors_due > 0:
            self.errors_due -= 1
        elif not self.crossed:
            raise self._out_of_place(content)

    def _is_about_join(self, content: dict[str, Any]) -> bool:
        """Whether an error answers a join; where errors say no more than a constant, if nothing else was wrong."""
        if content["reason"] != "missing keys":
            return True
        if content["message"] == BARE:
            return self.errors_due == 0
        return ABOUT_A_ROOM.search(content["message"]) is not None

    def _overtaken(self, move: str | None) -> None:
        """A move was made in this client's place; which one, not every profile tells."""
        board = self.board
        if board is None or board.turn is None:
            raise Violation("who loses on time was to move", f"{self} was not, and {move} was played")
        fairness.check_late(self, board.turn, board.reply_end, board.meant.match)
        self.world.count("room overtaken")
        late_answers.begin(self, board)
        board.turn = None
        if board.pending is not None and late_answers.was_waited_for(self, board):
            self.world.count("room answered late")
            board.pending = None
        if move is None or board.pending is not None:
            board.state, board.pending = None, None
            return
        self._follow(board, len(board.told.moves), move)

    def _game_over(self, content: dict[str, Any]) -> None:
        board = self._board(content)
        result = {"you": "win", "opponent": "loss", "draw": "draw"}[content["winner"]]
        if board.state is not None:
            record = self.world.archive.ended_as(board.told, board.meant, result, board.pending)
            if (content["winning move"] is not None) != (record.reason == "played" and result != "draw"):
                raise Violation("everybody is told what is on record", f"{content}, recorded is {record}")
            if result == "loss" and record.reason == "late":
                raise Violation("late costs a move here", repr(record))
        self.board, self.kept = None, None
        self._move_to(Place.OVER)

    def _follow(self, board: Board, number: int, move: str) -> None:
        """Take in the move with this number, from 0."""
        if board.state is None:
            return
        player = board.meant.players[board.state.turn.seats[0]]
        self.world.archive.moved(board.told, board.meant.match, number, (player, move))
        board.play(move)

    def _board(self, content: dict[str, Any]) -> Board:
        if self.board is None:
            raise self._out_of_place(content)
        return self.board

    def _out_of_place(self, content: dict[str, Any]) -> Violation:
        return Violation("nobody is told what has no place", f"{self}, {self.place}, asked {self.asked!r}: {content}")


_WISHES: Mapping[Place, Callable[[RoomClient, float], None]] = {
    Place.ARRIVED: lambda client, _: client._ask_in(),
    Place.LOBBY: RoomClient._wish_in_lobby,
    Place.ROOM: RoomClient._wish_in_room,
    Place.READY: RoomClient._wish_while_waiting,
    Place.PLAYING: RoomClient._wish_in_game,
    Place.OVER: RoomClient._wish_after_game,
    Place.AGAIN: RoomClient._wish_while_waiting,
}

_HEARD: Mapping[str, Callable[[RoomClient, dict[str, Any]], None]] = {
    "lobby": RoomClient._lobby,
    "game": RoomClient._game,
    "started": RoomClient._started,
    "make move": RoomClient._turn,
    "opponent moved": RoomClient._opponent_moved,
    "game over": RoomClient._game_over,
    "error": RoomClient._error,
}
