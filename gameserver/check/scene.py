"""The scene of one scenario: a server, the relay in front of it, the players of the check, and the client.

The client is a program that the check starts, or one that its user starts by hand.
"""

import shutil
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import trio
from attrs import Factory, define, field

from gameserver.check.opponent import Opponent
from gameserver.check.report import OUTPUT_LINES_MAX
from gameserver.check.scenario import Scenario
from gameserver.check.server_under_check import HOST, RefusedInput, ServerUnderCheck, SkippingClock, real_s
from gameserver.check.wire import Editor, WireRecord
from gameserver.core.lobby import Player
from gameserver.core.match import Match, MatchPhase
from gameserver.proxy.faults import Direction, Faults, faults_of
from gameserver.proxy.relay import Crossing, Relay
from gameserver.system import Program, filled
from gameserver.transport.listener import Address, ListenError, open_listeners

_POLL_S = 0.02
"""Time after which everybody looks again, if nothing was heard."""

_MEMORY_EVERY_S = 0.25  # by judgement: to look costs a millisecond or two
# In the ten seconds of a turn, a program that prints in an endless loop writes gigabytes into the folder for temporary
# files.
OUTPUT_BYTES_MAX = 1_000_000_000
"""A program that prints in an endless loop would fill the disk."""
_NO_LIMIT = 1_000_000
# SignalR's keep-alive: clients send it every 15 s, also while it is their turn, and it is no move.
_PING = b'{"type":6}'


class CannotStart(Exception):
    """The checked client's program cannot be started; the text says why."""


@define
class CheckedClient:
    """The client's program in one scenario. Without a command its user is told where to connect (`tell`)."""

    command: tuple[str, ...]
    game: str
    protocol: str
    output: Path
    tell: Callable[[str], None]
    memory_max_bytes: int
    program: Program | None = field(default=None, init=False)
    _looked_s: float = field(default=0.0, init=False)
    _memory_bytes: int = field(default=0, init=False)

    @property
    def is_by_hand(self) -> bool:
        """True if the user starts the checked client by hand."""
        return not self.command

    def start(self, name: str, place: str, games: int) -> None:
        """Start the checked client's program under a name; `place` is HOST:PORT.

        Raises `CannotStart`, and `WrongPlaceholder`.
        """
        if self.is_by_hand:
            host, _, port = place.rpartition(":")
            self.tell(f"\n  start your client now, or again if it has ended: host {host}, port {port}, name {name}")
            return
        facts = {"name": name, "game": self.game, "games": str(games)}
        command = filled(self.command, facts, {self.protocol: place, "http": place}, self.protocol)
        found = shutil.which(command[0])
        try:
            self.program = Program.start(name, [found or command[0], *command[1:]], self.output)
        except OSError as error:
            what = error.filename or command[0]
            raise CannotStart(f"{what} cannot be started: {error.strerror}") from error

    @property
    def exit_code(self) -> int | None:
        """The exit code of the checked client's program, if it has ended."""
        return None if self.program is None else self.program.process.poll()

    @property
    def end(self) -> str | None:
        """The way in which the checked client's program ended, if it did."""
        return None if self.program is None else self.program.end

    def output_lines(self) -> Sequence[str]:
        """The last lines that the checked client's program printed."""
        return () if self.program is None else self.program.tail(OUTPUT_LINES_MAX)

    @property
    def prints_too_much(self) -> bool:
        """True if the checked client's program has printed more than a disk should have to hold."""
        return self.program is not None and self.program.output.stat().st_size > OUTPUT_BYTES_MAX

    def uses_too_much_memory(self, now_s: float) -> int | None:
        """The bytes that the checked client's program uses, if they are too many.

        It looks now and then: to look costs a millisecond or two.
        """
        if self.program is None or now_s - self._looked_s < _MEMORY_EVERY_S:
            return None
        self._looked_s = now_s
        used = self.program.memory_bytes
        return used if used > self.memory_max_bytes else None

    def kill(self) -> None:
        """End the checked client's program, with everything that it has started."""
        if self.program is not None:
            self.program.kill()


@define(eq=False)
class Scene:
    """The scene of one scenario, and what its players may do. `name` is the one that the client is told to use."""

    scenario: Scenario
    server: ServerUnderCheck
    client: CheckedClient
    clock: SkippingClock
    chance: Random
    nursery: trio.Nursery
    name: str
    port: int
    """The port of the relay; 0 for any that is free."""
    refusals: list[RefusedInput]
    """The refusals that the server has sent the client."""
    opponents: dict[str, Opponent] = Factory(dict)
    others: list[Opponent] = Factory(list)
    heard_s: float = field(factory=real_s, init=False)
    """The real time at which bytes passed last."""
    client_name: str = ""
    """The name that the client has logged in under; empty before."""
    wire: WireRecord = field(init=False)
    relay: Relay = field(init=False)
    editor: Editor = field(init=False)
    _allowed: tuple[int, int] = (0, 0)
    """A match, and the number of moves up to which it may be played."""
    _holds_answers: bool = True
    _faults: dict[Direction, Faults] = field(factory=dict, init=False)
    _change: trio.Event = field(factory=trio.Event, init=False)

    async def open(self) -> None:
        """Set the scene of a scenario: start its server and relay, and let its players move when they may."""
        self.wire = WireRecord(round(trio.current_time() * 1_000_000))
        await self.server.start()
        self.editor = Editor(self.scenario, self._is_move)
        self.relay = Relay(self._connect, Faults(), self.chance, self._passed, self._edited)
        wire = self.scenario.wire
        self.set_faults({Direction.TO_CLIENT: wire.to_client, Direction.TO_SERVER: wire.to_server})
        sockets = self._relay_sockets()
        self.port = sockets[0].getsockname()[1]
        listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(sock)) for sock in sockets]
        await self.nursery.start(self.relay.run, listeners)
        self.nursery.start_soon(self._move_when_asked)

    @property
    def place(self) -> str:
        """The address of the scene's relay, to which the client connects, as HOST:PORT."""
        return f"{HOST}:{self.port}"

    def set_faults(self, words: dict[Direction, str]) -> None:
        """Change the faults of the network in a scenario's scene. Raises `WrongFaults`."""
        self._faults |= {direction: faults_of(text) for direction, text in words.items()}
        self.relay.set_faults(self._faults[Direction.TO_CLIENT], self._faults[Direction.TO_SERVER])

    def allow(self, match: Match, moves: int = _NO_LIMIT) -> None:
        """Let a match of the scene be played on until it has so many moves. No other one is played meanwhile.

        The players of the check wait then. A client that plays the house has to wait for the server's answer.
        """
        self._allowed = (match.id, moves)
        self._holds_answers = True
        self.relay.release(Direction.TO_CLIENT)
        self.changed()

    def let_answers_pass(self) -> None:
        """Keep no answer from a client that plays the house, until the next match is allowed."""
        self._holds_answers = False
        self.relay.release(Direction.TO_CLIENT)

    def may_be_played(self, match: Match) -> bool:
        """True if a match of the scene may have one more move."""
        number, moves = self._allowed
        return moves_in(match) < (moves if match.id == number else 0)

    @property
    def delay_s(self) -> float:
        """The longest time that a line of the scene needs for one way, by the faults of its network."""
        delays = (faults.delay_us + faults.jitter_us + faults.coalesce_us for faults in self._faults.values())
        return max(delays, default=0) / 1_000_000

    def changed(self) -> None:
        """Wake everybody on the scene, to look again."""
        self._change.set()
        self._change = trio.Event()

    async def change(self) -> None:
        """Wait until something was heard, or for a moment."""
        with trio.move_on_after(_POLL_S):
            await self._change.wait()

    @property
    def player(self) -> Player | None:
        """The client's player in the lobby of the scene, while it is logged in.

        A client may choose its name, and another one later.
        """
        lobby = self.server.lobby
        if lobby is None:
            return None
        own = {opponent.name for opponent in (*self.opponents.values(), *self.others)}
        for name in (self.client_name, self.name):
            if name in lobby.players and name not in own:
                return lobby.players[name]
        strangers = [player for name, player in lobby.players.items() if name not in own]
        return strangers[-1] if strangers else None

    def recognise(self) -> None:
        """Note the name under which the client is on the scene.

        One without a name of its own has another one on each connection.
        """
        if self.server.player(self.client_name) is None and self.server.match_of(self.client_name) is None:
            player = self.player
            self.client_name = self.client_name if player is None else player.name

    @property
    def match(self) -> Match | None:
        """The match of the scene in which the client has a seat."""
        self.recognise()
        return self.server.match_of(self.client_name) if self.client_name else None

    @property
    def is_clients_turn(self) -> bool:
        """True if the client's match waits for the client."""
        match = self.match
        return match is not None and match.seat_of(self.client_name) in match.awaited_seats

    async def close(self) -> None:
        """Clear the scene: end the client, and close what the players of the check have open.

        The rest ends with the nursery.
        """
        for opponent in (*self.opponents.values(), *self.others):
            await opponent.close()
        await trio.to_thread.run_sync(self.client.kill, abandon_on_cancel=True)

    def _relay_sockets(self) -> list[socket.socket]:
        # A client whose user starts it by hand finds the same port in every scenario, if nobody else has taken it
        # meanwhile.
        with suppress(ListenError):
            return open_listeners(Address(HOST, self.port))
        return open_listeners(Address(HOST, 0))

    async def _connect(self) -> trio.abc.Stream:
        if not self.server.is_up:
            raise ConnectionRefusedError("the server is away")
        return await trio.open_tcp_stream(HOST, self.server.client_port)

    def _passed(self, crossing: Crossing) -> None:
        self.heard_s = real_s()
        self.wire.note(crossing)
        self.changed()

    def _is_move(self, content: bytes) -> bool:
        # Clients of the text protocol poll the list of players in their own turn, some of them every second.
        is_text = self.server.terms.protocol.name == "strategic"
        if is_text and not content.lower().startswith(b"move"):
            return False
        return self.is_clients_turn and not content.startswith(_PING)

    def _edited(self, content: bytes, direction: Direction) -> Sequence[bytes]:
        if direction is Direction.TO_CLIENT and self._holds_answers and self.server.terms.protocol.plays_house:
            match = self.match
            if match is not None and not self.may_be_played(match):
                # It moves as soon as it is answered, so that without this no step could happen between two of its
                # moves.
                self.relay.hold(Direction.TO_CLIENT)
        return self.editor.edit(content, direction)

    async def _move_when_asked(self) -> None:
        while True:
            for opponent in list(self.opponents.values()):
                match = opponent.match
                is_on = match is not None and match.phase is MatchPhase.PLAYING
                if match is not None and is_on and self.may_be_played(match) and opponent.may_move(match):
                    await opponent.move(match)
            await self.change()


def moves_in(match: Match) -> int:
    """Counts the moves that both sides have made in a match of the scene, without draws."""
    return sum(move.seat is not None for game in match.games for move in game.moves)
