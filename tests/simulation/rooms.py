"""A client of the 3D Connect Four protocol in the rooms: it starts, restarts and plays, and leaves, at random.

What it may hear when is the strict client's business. This one waits for the answer to what has one, as the known
clients do, and holds what it is told against what the world knows.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from attrs import Factory, define

from games.connect_four_3d import GAME
from gameserver.core.events import By
from tests.clients.connect_four import ConnectFourClient, Match, Message, Stage
from tests.clients.strategic import Opened
from tests.simulation.client import Client
from tests.simulation.told import Told, check_late
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold, TurnTold


@define
class LateAnswer:
    move: str
    due_ms: int


@define
class Board:
    """A game as the client is told of it, and what the server meant by it."""

    match: Match
    meant: MatchTold
    told: Told
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    reply_end: int | None = None
    late: LateAnswer | None = None


GIVES_UP = 0.2
"""The probability that a client gives up on a question that was answered in its place."""
CERTAIN_MS = 1_500
"""The rest of the wait that a move needs to come within it for sure."""
SOON_MS = 3_000
"""Delay of a late answer where the server does not wait for it."""


PATIENCE_MS = 4_000
"""Time in the calm that a client waits for an opponent who may not come back."""
NONSENSE = (b"hello", b"[]", b"", b"7")
REFUSED = (b"{}", b'{"action":"fly"}', b'{"action":"join"}', b'{"action":"move","move":3}')
WRONG_MOVES = ("e0", "6", "A0", "")


@define(eq=False)
class RoomClient(Client):
    listener: ClassVar[str] = "connect-four"
    speaks: ConnectFourClient = Factory(ConnectFourClient)
    room: int = 0
    kept: int | None = None
    """The room in which a game goes on, for all that the client knows."""
    board: Board | None = None
    since_ms: int = 0
    """Time at which it came to its stage."""
    _matches_heard: int = 0
    _turns_heard: int = 0

    def begin(self, chance: Random) -> None:
        self.forget()
        self._matches_heard = self._turns_heard = 0

    def forget(self) -> None:
        self.speaks, self.board = ConnectFourClient(), None

    @property
    def can_speak(self) -> bool:
        return super().can_speak and not self.speaks.left and not self.speaks.is_over

    @property
    def is_waiting(self) -> bool:
        return self.speaks.is_ready and self.speaks.stage in {Stage.ROOM, Stage.OVER}

    @property
    def unsettled(self) -> str:
        if self.speaks.stage is not Stage.LOBBY:
            return "everybody can come back" if self.speaks.stage is Stage.ARRIVED else "every end is told"
        return "every command is answered once" if self.speaks.awaits else ""

    # What it says.

    def _comes_to_speak(self) -> bool:
        """Connect where that can be done; true if something can be asked now."""
        return self.is_connected() and self.can_speak and not self.speaks.awaits

    def act(self) -> None:
        if not self._comes_to_speak():
            return
        roll = self.chance.random()
        if roll < 0.02:
            self._nonsense()
        elif roll < 0.024:
            self.say("disconnect")
        elif self.is_waiting:
            self._wish_while_waiting(self.chance.random())
        else:
            _WISHES[self.speaks.stage](self, self.chance.random())

    def tend(self) -> None:
        board = self.board
        if board is not None and board.late is not None:
            self._give_late_answer(board)
        if board is None or board.turn is None or board.reply_end is not None:
            return
        is_due = board.reply_due_ms is not None and board.reply_due_ms <= self.world.real_ms
        if not is_due or not self.can_speak or self.speaks.awaits:
            return
        if not self.world.calm and self.chance.random() < 0.04:
            board.reply_end = self.say_move(self.chance.choice(WRONG_MOVES))
            return
        board.reply_end = self.say_move(self.choose(board.match.legal_moves, board))

    def say_move(self, move: str) -> int:
        return self.say("move", move=move)

    def choose(self, moves: Sequence[str], board: Board) -> str:
        return self.chance.choice(moves)

    def wind_up(self) -> None:
        """Go back to where a game goes on, play it, and then stay in the lobby."""
        if not self._comes_to_speak():
            return
        waits = self.kept is not None and self.world.real_ms - self.since_ms < PATIENCE_MS
        if self.speaks.stage is Stage.LOBBY and self.kept is not None:
            self._join(self.kept)
        elif self.speaks.stage is Stage.ROOM and waits and not self.is_waiting:
            self._begin_game("start")
        elif self.speaks.stage is Stage.OVER or (self.speaks.stage is Stage.ROOM and not waits):
            self._exit()

    def connect(self, address: str | None = None) -> None:
        super().connect(address)
        self._ask_in()

    def _ask_in(self) -> None:
        """Log in; a secret stands beside the name, or behind it."""
        secret = self.world.rosters.shown_by(self)
        if not secret:
            self.say("connect", name=self.name)
        elif self.chance.random() < 0.5:
            self.say("connect", name=self.name, secret=secret)
        else:
            self.say("connect", name=f"{self.name}:{secret}")

    def say(self, action: str, **more: Any) -> int:
        return self.send(self.speaks.say(action, **more), f"{action} {more or ''}")

    def _join(self, room: int) -> None:
        if self.speaks.asked:
            # Its last request may have come after its room was taken away, and an error may come for that.
            self.say("connect")
            return
        self.room = room
        self.say("join", room_number=room)

    def _begin_game(self, action: str) -> None:
        self.since_ms = self.world.real_ms
        self.say(action)

    def _exit(self) -> None:
        self.kept = None
        self.say("exit game")

    def _nonsense(self) -> None:
        if self.speaks.stage is Stage.ARRIVED or self.chance.random() < 0.5:
            self.send(self.speaks.wrote(self.chance.choice(NONSENSE) + b"\n"), "nonsense")
        else:
            self.send(self.speaks.wrote(self.chance.choice(REFUSED) + b"\n"), "what is refused")

    def _wish_in_lobby(self, roll: float) -> None:
        if roll < 0.1:
            self.say("connect")
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
            self.say("resign")
        elif roll < 0.015:
            self._exit()

    def _wish_after_game(self, roll: float) -> None:
        if roll < 0.5:
            self._begin_game("restart")
        elif roll < 0.8:
            self._exit()

    # What it hears.

    def hear(self, data: bytes) -> None:
        was, told = self.speaks.stage, self.speaks.receive(data)
        while (content := next(told, None)) is not None:
            self.world.note("%s hears %s", self, content)
            self.world.count(f"room {content['event']}")
            if content["event"] in _HEARD:
                _HEARD[content["event"]](self, content)
            board = self.board
            if board is not None and self.speaks.match is board.match:
                self._follow(board)
            if self.speaks.stage is not was:
                was, self.since_ms = self.speaks.stage, self.world.real_ms

    def _lobby(self, _: Message) -> None:
        self.board = None

    def _started(self, content: Message) -> None:
        meant = self.wire.matches_told[self._matches_heard]
        self._matches_heard += 1
        opened = Opened(meant.players[0], GAME.name, content["opponent"])
        told = self.world.archive.opened(self.index, self.name, meant.match, opened)
        self.board = Board(self.speaks.match, meant, told)
        self.kept = self.room
        self.world.count("room shown" if "moves" in content else "room opened")

    def _turn(self, _: Message) -> None:
        board = self.board
        if board.match.seat not in {None, board.meant.seat}:
            raise Violation("a turn is told to who is to move", f"{self} is not, after {board.told.moves}")
        board.turn = self.wire.turns_told[self._turns_heard]
        self._turns_heard += 1
        board.reply_end = board.late = None
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

    def _opponent_moved(self, _: Message) -> None:
        self.board.turn = None

    def _error(self, content: Message) -> None:
        asked = self.speaks.answered
        if content["reason"] == "time elapsed":
            self._overtaken()
        elif asked is not None and asked.action == "join" and self.room == self.kept:
            self.kept = None

    def _overtaken(self) -> None:
        """Take in that a move was made in this client's place; which one, not every profile tells."""
        board = self.board
        if board.turn is None:
            raise Violation("who loses on time was to move", f"{self} was not")
        check_late(self, board.turn, board.reply_end, board.meant.match)
        self.world.count("room overtaken")
        self._begin_late_answer(board)
        board.turn = None
        if board.match.is_unsure and self._was_waited_for(board):
            self.world.count("room answered late")
            board.match.is_unsure = False

    def _game_over(self, content: Message) -> None:
        board = self.board
        result = {"you": "win", "opponent": "loss", "draw": "draw"}[content["winner"]]
        if board.match.position is not None:
            *_, pending = [None, *board.match.moves[len(board.told.moves) :]]
            record = self.world.archive.ended_as(board.told, board.meant, result, pending)
            if (content["winning move"] is not None) != (record.reason == "played" and result != "draw"):
                raise Violation("everybody is told what is on record", f"{content}, recorded is {record}")
            if result == "loss" and record.reason == "late" and not self.world.rules.room_clock.has_bank:
                raise Violation("late costs a move here", repr(record))
        self.board = self.kept = None

    def _follow(self, board: Board) -> None:
        """Check the moves that the client knows of against what was told before."""
        for number, move in enumerate(board.match.moves):
            self.world.archive.moved(board.told, board.meant.match, number, (board.meant.players[number % 2], move))

    # Late answers: one move for each `make move`, also after the server moved in this client's place, as the known
    # clients give it. While the server waits for that answer it must be played for no question: such a client goes on
    # following the game, and notices at once if its board and the server's differ.

    def _begin_late_answer(self, board: Board) -> None:
        """Go on thinking about a question that was answered in this client's place."""
        chance = self.world.plan.stream(f"late answer of {self.index} in {board.meant.match}.{board.turn.turn}")
        if self.world.calm or board.reply_end is not None or chance.random() < GIVES_UP:
            return
        wait_ms = self.world.rules.late_answer_ms or SOON_MS
        # Most come soon, or a match of two seconds a turn would be over before they did.
        later_ms = int(wait_ms * chance.random() ** 3)
        board.late = LateAnswer(GAME.write_move(chance.randrange(16)), self.world.real_ms + later_ms)

    def _give_late_answer(self, board: Board) -> None:
        late = board.late
        if late is None or late.due_ms > self.world.real_ms or not self.can_speak or self.speaks.awaits:
            return
        board.late = None
        is_certain = self._is_waited_for(board)
        self.say_move(late.move)
        if is_certain:
            # Else it may be taken for the answer to the next question.
            board.match.is_unsure = False
            self.world.count("room answered late")

    def _is_waited_for(self, board: Board) -> bool:
        """True if the server waits for an answer, and for as long as a move that is sent now can take."""
        process, wire = self.world.process, self.wire
        match = None if process is None else process.lobby.matches.get(board.meant.match)
        if process is None or match is None or wire is None or wire.held_until_ms > self.world.real_ms:
            return False
        until_ms = process.axis_ms + CERTAIN_MS
        return any(owed.seat == board.meant.seat and owed.until_ms > until_ms for owed in match.owed)

    def _was_waited_for(self, board: Board) -> bool:
        """True if an answer that crossed the news of the server's move was dropped, or will be."""
        process, wire = self.world.process, self.wire
        match = None if process is None else process.lobby.matches.get(board.meant.match)
        if match is None or wire is None or wire.held_until_ms > self.world.real_ms:
            return False
        has_time, seat = (match.policies.late_answer_ms or 0) > 2 * SOON_MS, board.meant.seat
        # A move that counted since is perhaps that answer: the server had given up on this seat, and now waits again.
        has_counted = any(move.seat == seat and move.by is By.PLAYER for move in match.moves[len(board.match.moves) :])
        return has_time and seat not in match.unanswering and not has_counted


_WISHES: Mapping[Stage, Callable[[RoomClient, float], None]] = {
    Stage.ARRIVED: lambda client, _: client._ask_in(),
    Stage.LOBBY: RoomClient._wish_in_lobby,
    Stage.ROOM: RoomClient._wish_in_room,
    Stage.PLAYING: RoomClient._wish_in_game,
    Stage.OVER: RoomClient._wish_after_game,
}

_HEARD: Mapping[str, Callable[[RoomClient, Message], None]] = {
    "lobby": RoomClient._lobby,
    "started": RoomClient._started,
    "make move": RoomClient._turn,
    "opponent moved": RoomClient._opponent_moved,
    "game over": RoomClient._game_over,
    "error": RoomClient._error,
}
