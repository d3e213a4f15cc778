"""The server's process: the contract of `gameserver.server.server` around the sequencer.

Replay, the clock, the alarm's judgement and the adapters are the real ones; sockets are wires.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from gameserver.core.messages.commands import HOUSE_SESSION, Arrive, Book, Enter, Leave, ServerStarted, Void
from gameserver.core.sessions.blocking import may_wait, session_in_the_way
from gameserver.core.state.lobby import Timed, time_up_of
from gameserver.engine.alarm import Alarm
from gameserver.engine.batch import Receiver
from gameserver.engine.clock import ServerClock
from gameserver.http.host_context import HostContext
from gameserver.http.listener import HttpProtocol
from gameserver.journal.journal import Journal
from gameserver.journal.recovery import Replayed
from gameserver.protocol import Command, Context, Peer, Query, WireProtocol
from gameserver.server.house_players import house_players
from gameserver.server.server import GOODBYE
from gameserver.transport.connection_state import ConnectionState
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.simulation.endpoint import Endpoint
from tests.simulation.house import House
from tests.simulation.plan import GAMES, LINE_BYTES_MAX
from tests.simulation.sequence import Sequencer
from tests.simulation.shared_journal import DatabaseJournal
from tests.simulation.tournaments import Director
from tests.simulation.wire import PROBE_MS, Wire

if TYPE_CHECKING:
    from tests.simulation.copied_world import World

GAME_NAMES = tuple(sorted(game.name for game in GAMES.values()))
ID_BYTES = 11


class Process:
    """From start to kill, or to a stop in good order."""

    def __init__(self, world: "World", seed: str, journal: Journal, replayed: Replayed) -> None:
        self.world = world
        self.journal = journal
        self.lobby = replayed.lobby
        self.clock = ServerClock(lambda: world.real_ms / 1000, replayed.now_ms)
        self.alarm = Alarm(self, self)
        self.sequencer = Sequencer(self, replayed.lobby, replayed.seq)
        thoughts = world.plan.stream(f"house {seed}")
        self.house = House(self.lobby.matches, self._house_plays, thoughts, world.house_numbers)
        self._roster = world.rosters.opened(lambda: world.real_ms / 1000)
        self._ids = world.plan.stream(f"ids {seed}")
        self._protocols: dict[str, WireProtocol] = {
            protocol.name: protocol for protocol in (STRATEGIC, CONNECT_FOUR, MASTERMIND)
        }
        if world.plan.has_http:
            self._protocols["http"] = HttpProtocol([MASTERMIND, GammonXProtocol(), WEB])
        self.director = Director(self)
        self.endpoints: dict[int, Endpoint] = {}
        self.newcomers: list[tuple[int, Endpoint, Endpoint, Callable[[], None]]] = []
        """Who waits for what becomes of a connection: until when at most, for which one, and which one waits."""
        self.bots: dict[int, int] = {}
        """Who is behind each session of this process, also of those that are over."""
        self.wires: list[Wire] = []
        self.allowed_ms: dict[tuple[int, int, int], int | None] = {}
        """How long a turn may take, by match, turn and session, counted from its decision."""
        self.axis_ms = replayed.now_ms
        """The time when somebody last looked."""
        self.looks_ms: list[int] = []
        """The times on the axis when the alarm has looked at what is due."""
        self._alarm_rests_until_ms = 0
        self.serves = False
        """Whether the start is through, so that connections are accepted."""
        world.note("start: %d rows replayed, %d matches", replayed.rows, len(self.lobby.matches))
        world.shadow.compare(self.lobby, "start")
        self.sequencer.submit(self._started(seed), self.now_ms())
        for match, why in replayed.lost_matches.items():
            self.sequencer.submit(Void(match, why), self.now_ms())

    def _started(self, seed: str) -> ServerStarted:
        return ServerStarted(
            boot=self.lobby.server[""].boot + 1,
            seed=seed,
            rules=self.world.rules,
            house=house_players(GAMES),
            games={game.name: game.version for game in GAMES.values()},
            next_match_min=self.journal.last_match() + 1,
        )

    @property
    def watched(self) -> bool:
        """Whether deadlines are watched, which the clock has to know."""
        return self.clock.watched

    @watched.setter
    def watched(self, watched: bool) -> None:
        self.clock.watched = watched

    def now_ms(self) -> int:
        """Look at the clock."""
        self.axis_ms = self.clock.now_ms()
        return self.axis_ms

    @property
    def has_nothing_to_do(self) -> bool:
        """Whether all is done and said."""
        return (
            self.only_waits
            and self.sequencer.is_idle
            and not self.newcomers
            and not any(endpoint.wire.readable or endpoint.has_output for endpoint in self.endpoints.values())
        )

    @property
    def only_waits(self) -> bool:
        """Whether nothing can go on before some time has passed, or somebody else has done something."""
        return (
            self.sequencer.only_waits
            and not self.house.thinks
            and not self.director.thinks
            and not any(endpoint.can_go_on for endpoint in self.endpoints.values())
            and not any(self._may_come_in(*newcomer) for newcomer in self.newcomers)
        )

    def submit(self, command: Command | Query, stamp_ms: int, sender: Endpoint) -> None:
        if isinstance(command, Enter | Book):
            command = self._roster.judged(command)
        if isinstance(command, Enter | Arrive) and self._must_wait(command, stamp_ms, sender):
            return
        self.sequencer.submit(command, stamp_ms, sender)

    def ask(self, command: Command) -> None:
        """A command of the teacher's."""
        self.sequencer.submit(command, self.now_ms())

    def left(self, endpoint: Endpoint, fault: str) -> None:
        self.sequencer.submit(Leave(endpoint.session, fault=fault), self.now_ms())

    def closed(self, endpoint: Endpoint) -> None:
        self.endpoints.pop(endpoint.session, None)

    def find(self, session: int) -> Receiver | None:
        return self.house if session == HOUSE_SESSION else self.endpoints.get(session)

    def accept(self, wire: Wire, address: str, bot: int, listener: str) -> None:
        """A connection to the port of a protocol; `bot` is who it really is."""
        session = len(self.bots) + 1
        protocol = self._protocols[listener]
        kind = HostContext if protocol.carries_others else Context
        context = kind(
            self.world.plan.profile(protocol.name, protocol.profiles),
            protocol.options_type(),
            GAME_NAMES,
            LINE_BYTES_MAX,
            new_id=self._new_id,
        )
        adapter = protocol.adapter(Peer(session, address, self.now_ms()), context)
        self.bots[session] = bot
        self.wires = [*(known for known in self.wires if not known.server_done), wire]
        self.endpoints[session] = Endpoint(wire, adapter, session, address, bot, listener, self)
        self.endpoints[session].open()

    def _new_id(self) -> str:
        """An id; it differs from all others, which is enough here."""
        return self._ids.randbytes(ID_BYTES).hex()

    def poll(self, chance: Random, sockets_max: int) -> None:
        """The driver's pass: sockets that are ready, in any order."""
        ready = [endpoint for endpoint in self.endpoints.values() if endpoint.wire.readable]
        if len(ready) > 1:
            chance.shuffle(ready)
        for endpoint in ready[:sockets_max]:
            endpoint.on_ready(self.now_ms())

    def tick(self) -> None:
        """What timers do: output whose time has come, room for more."""
        self.now_ms()
        for endpoint in list(self.endpoints.values()):
            endpoint.tick()
        self._look_at_newcomers()

    def look(self) -> None:
        """The alarm's look at what is due. One that rests too long still keeps the clock going."""
        self.now_ms()
        if self.world.real_ms >= self._alarm_rests_until_ms:
            self._alarm_rests_until_ms = self.world.real_ms + self.world.alarm_pause_ms
            self.clock.watched = bool(self.alarm._heap)
            self.looks_ms.append(self.axis_ms)
            self.alarm._look()

    def due_ms(self, timed: Timed) -> int | None:
        return self.lobby.due_ms(timed)

    def is_quiet(self, timed: Timed) -> bool:
        awaited = [self.endpoints.get(session) for session in self.lobby.awaited(timed)]
        return all(endpoint is None or endpoint.is_quiet for endpoint in awaited)

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        awaited = {session: due_ms for due_ms, timed in late for session in self.lobby.awaited(timed)}
        for endpoint in list(self.endpoints.values()):
            if endpoint.wire.readable:
                endpoint.on_ready(awaited.get(endpoint.session, self.now_ms()))
        for session, due_ms in awaited.items():
            if session in self.endpoints:
                self.endpoints[session].note_unread(due_ms)

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        quiet = None if is_final else self.lobby.awaited(timed)
        table, key = timed
        if is_final and table == "matches" and any(map(self._takes_no_answers, self.lobby.awaited(timed))):
            self.world.outwaited.add(int(key))
            self.world.marks["a turn that outlasts the alarm's patience"] += 1
        self.sequencer.submit(time_up_of(timed, quiet), self.now_ms())

    def _takes_no_answers(self, session: int) -> bool:
        """True if commands of this client wait because it does not read what it asked for."""
        endpoint = self.endpoints.get(session)
        return endpoint is not None and endpoint.is_backpressured

    def stop(self) -> None:
        """Stop in good order: last words, what is being committed is committed, a snapshot."""
        closed_ms = self.now_ms()
        for endpoint in list(self.endpoints.values()):
            endpoint.farewell(GOODBYE)
        self.sequencer.close(closed_ms)
        for endpoint in list(self.endpoints.values()):
            endpoint.abort("the server stops")

    def give_up(self) -> None:
        """Stop because the journal does not work any more: with last words, and nothing else."""
        closed_ms = self.now_ms()
        for endpoint in list(self.endpoints.values()):
            endpoint.farewell(GOODBYE)
            endpoint.abort("the server stops")
        self.sequencer.save_snapshot(closed_ms)
        self.journal.close()

    def die(self) -> None:
        """Leave nothing behind."""
        for endpoint in self.endpoints.values():
            endpoint.die()

    def begin_call(self) -> None:
        """The journal's thread begins a call whose answer is looked at later."""
        if isinstance(self.journal, DatabaseJournal):
            self.journal.begin_call()

    def took_ms(self) -> int:
        """The time that the last call of the journal took, beyond a moment."""
        return self.journal.took_ms() if isinstance(self.journal, DatabaseJournal) else 0

    def _house_plays(self, command: Command) -> None:
        self.sequencer.submit(command, self.now_ms())

    def _must_wait(self, command: Enter | Arrive, stamp_ms: int, sender: Endpoint) -> bool:
        """Whether a newcomer waits until it is known if the connection in its way is dead."""
        session = session_in_the_way(self.lobby, command)
        holder = None if session is None else self.endpoints.get(session)
        if holder is None or holder.stage is not ConnectionState.OPEN:
            return False
        wire = holder.wire
        if wire.broken or (wire.end_arrived and not wire.arrived):
            holder.abort("was dead when its player came again")
            return False
        if not wire.silent or not may_wait(self.lobby, command):
            return False  # it answers at once, or need not
        if wire.probed_ms is None:
            wire.probed_ms = self.world.real_ms
        admit = partial(self._admit, command, stamp_ms, sender)
        self.newcomers.append((self.world.real_ms + PROBE_MS, holder, sender, admit))
        return True

    def _admit(self, command: Enter | Arrive, stamp_ms: int, sender: Endpoint) -> None:
        if sender.stage is ConnectionState.OPEN:
            self.sequencer.submit(command, stamp_ms, sender)

    def _look_at_newcomers(self) -> None:
        waiting, self.newcomers = self.newcomers, []
        for newcomer in waiting:
            if not self._may_come_in(*newcomer):
                self.newcomers.append(newcomer)
                continue
            _, holder, sender, admit = newcomer
            if holder.stage is ConnectionState.OPEN and not _has_left(sender):
                holder.abort("left a ping unacknowledged when its player came again")
            admit()

    def _may_come_in(self, until_ms: int, holder: Endpoint, sender: Endpoint, _: Callable[[], None]) -> bool:
        """True if the old connection is dead, or has had its time to answer, or the newcomer has left."""
        return holder.stage is not ConnectionState.OPEN or self.world.real_ms >= until_ms or _has_left(sender)


def _has_left(sender: Endpoint) -> bool:
    return sender.wire.broken or sender.wire.end_arrived
