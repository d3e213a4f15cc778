"""A tournament that is played twice: in peace, and with everything that can go wrong between two moves.

The players are steady: what they do follows from the match that they are in. So whenever the server is
killed, whatever the network does and however often the teacher has a pause, the same matches must be
played, move for move with the same dice, and the final standings must be those of the tournament in peace.
"""

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from random import Random
from typing import ClassVar

from attrs import evolve, frozen

from gameserver.core.commands import CreateTournament, EntryMode
from gameserver.core.lobby import TournamentRow
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.journal.journal import JournalRow
from gameserver.tournaments import model
from gameserver.tournaments.model import PairingStatus, TournamentPhase
from gameserver.tournaments.standings import StandingsRow, standings
from protocols.gammonx.schema import player_name
from tests.simulation.bot import Bot
from tests.simulation.client import Client
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.manners import Manners
from tests.simulation.misfortunes import MISFORTUNES, Misfortune
from tests.simulation.plan import ROOMS, TEXT, TICKETS
from tests.simulation.players import SteadyManners, SteadyRoomClient, SteadyTicketClient
from tests.simulation.power import Machine
from tests.simulation.steady import SteadyWorld
from tests.simulation.tournaments import TEACHER, Organiser, meeting_of
from tests.simulation.violation import Violation
from tests.simulation.world import World

ROUNDS_MAX = 40_000
"""How many rounds of 20 to 50 ms a tournament may take, and with what goes wrong."""
VOIDS_MAX = 3
COME_BACK_MS = 12_000
"""How long it may take to be ready again after a lost connection. 3 s of it a login may wait for its dead old one."""
LOSE_A_CONNECTION = ("drop", "reset", "vanish", "half-close")


class Teacher(Organiser):
    """Has the tournament played; with a break now and then, and a match once more."""

    def __init__(self, world: SteadyWorld) -> None:
        super().__init__(world)
        self.meddles = False
        self._may_pause = world.plan.protocols == (TEXT,)
        """Who sits in a room, ready to play, meets others who do so while nobody keeps them for the tournament."""
        self._may_void = not world.plan.has_dice
        self._voids = 0

    def act(self) -> None:
        process = self._world.process
        if process is None or not process.is_settled:
            return
        row = next(iter(process.lobby.tournaments.values()), None)
        if row is None:
            seed = self._world.plan.stream("tournament's seed").randbytes(32).hex()
            self._world.secrets.keep_seed(seed)
            roster = tuple(model.RegisterEntrant(entrant_of(bot)) for bot in self._world.bots)
            plan = self._world.plan.tournament()
            assert plan is not None, "there is nothing else here"
            process.ask(CreateTournament(plan, seed, EntryMode.ROSTER, roster, TEACHER))
        elif row.state.phase is TournamentPhase.GATHERING:
            self._submit(row, model.StartTournament(0, TEACHER))
        elif row.state.phase is TournamentPhase.PAUSED and self._chance.random() < 0.1:
            self._submit(row, model.Resume(0, TEACHER))

    def whim(self, chance: Random) -> None:
        """Have a break, or a match of this round played once more."""
        rows = () if self._world.process is None else self._world.process.lobby.tournaments.values()
        row = next(iter(rows), None)
        if row is None:
            return
        if row.state.phase is TournamentPhase.RUNNING and self._may_pause and chance.random() < 0.5:
            self._submit(row, model.Pause(0, TEACHER, "a break"))
            return
        last = {(pairing.round, pairing.board): pairing for pairing in row.state.pairings}
        done = [
            pairing
            for pairing in row.state.pairings
            if pairing.status is PairingStatus.DONE
            and pairing.round == row.state.round
            and not pairing.walkover
            # Who meet again already may have decided it by that before they come to the voided game.
            and pairing is last[pairing.round, pairing.board]
        ]
        # What is decided, but not yet told, may be that they meet again.
        is_known = self._world.process is not None and self._world.process.is_settled
        if done and is_known and self._may_void and self._voids < VOIDS_MAX:
            self._voids += 1
            self._submit(row, model.VoidPairing(chance.choice(done).number, TEACHER, "once more"))


def _teacher(world: World, chance: Random) -> None:
    """The teacher has a whim that decides nothing."""
    organiser = world.organiser
    assert isinstance(organiser, Teacher)
    organiser.whim(chance)


def _in_good_time(fault: Misfortune) -> Misfortune:
    """Let a client lose its connection only while it can be back before anybody is taken for absent."""

    def spared(world: World, chance: Random) -> Awaitable[None] | None:
        process = world.process
        rows = () if process is None else process.lobby.tournaments.values()
        if process is None or not any(
            due_ms < process.now_ms() + COME_BACK_MS for row in rows for due_ms in row.waits.values()
        ):
            return fault(world, chance)
        return None

    return spared


class InterruptedWorld(SteadyWorld):
    """The steady world, in which the server may be killed after a certain row."""

    kinds: ClassVar[Mapping[str, type[Client]]] = {TEXT: Bot, ROOMS: SteadyRoomClient, TICKETS: SteadyTicketClient}
    misfortunes: ClassVar[Mapping[str, Misfortune]] = {
        **MISFORTUNES,
        **{kind: _in_good_time(MISFORTUNES[kind]) for kind in LOSE_A_CONNECTION},
        "teacher": _teacher,
    }

    def __init__(self, plan: Interrupted) -> None:
        self._was_killed = False
        self.held: Held | None = None
        super().__init__(plan)

    def _manners(self) -> Manners:
        return SteadyManners(self)

    def _organiser(self) -> Organiser:
        return Teacher(self)

    def before_append(self, machine: Machine, rows: Sequence[JournalRow]) -> None:
        if self.plan.kill_after and not self._was_killed and rows and rows[-1].seq >= self.plan.kill_after:
            self._was_killed = True
            machine.doom = (self.plan.doom, 1)

    async def play(self) -> None:
        """Play the tournament to its end, and look at it."""
        for number in range(ROUNDS_MAX):
            self.steps += 1
            await self.look_after_machine()
            if number < self.plan.steps:
                await self.let_go_wrong()
            elif number == self.plan.steps:
                self.disk.commit_s = 0.0
            self.organiser.act()
            for bot in self.bots:
                bot.finish()
            await self.pass_time(self.chance.randint(20, HEARTBEAT_MS))
            if self.is_over and self.process is not None and self.process.is_settled:
                break
        journal_rows = self.truth.seq
        await self.settle()
        row = self.row
        assert row is not None, "`settle` has seen to that"
        has_other_dice = self.plan.has_dice and any(one.status is PairingStatus.VOID for one in row.state.pairings)
        if has_other_dice:
            self.count("played with other dice")
        byes = tuple((bye.round, bye.player) for bye in row.state.byes)
        self.held = Held(has_other_dice, standings(row.state), byes, dict(_results(self, row)), journal_rows)


@frozen
class Held:
    """A tournament that is over: the standings, and for each pairing how it ended and how it was played."""

    has_other_dice: bool
    """Whether something was played once more whose dice are others then."""

    rows: tuple[StandingsRow, ...]
    byes: tuple[tuple[int, str], ...]
    results: dict[object, object]
    journal_rows: int
    """How many there were when it was over."""


def entrant_of(client: Client) -> str:
    """The name by which the lobby knows a client."""
    return player_name(client.guid) if isinstance(client, SteadyTicketClient) else client.name


def compare(peaceful: Held, held: Held) -> None:
    """Hold a tournament against the same one in peace."""
    if held.has_other_dice:
        return
    for meeting in [*peaceful.results, *held.results]:
        one, other = peaceful.results.get(meeting), held.results.get(meeting)
        if one != other:
            raise Violation("interruptions change no result", f"{meeting} in peace: {one}\n  interrupted: {other}")
    for what, one, other in (("standings", peaceful.rows, held.rows), ("byes", peaceful.byes, held.byes)):
        if one != other:
            raise Violation("interruptions change no standings", f"{what} in peace: {one}\n  interrupted: {other}")


def in_peace(plan: Interrupted) -> Interrupted:
    """The same tournament without any interruption."""
    return evolve(plan, faults=(), kill_after=0)


def _results(world: InterruptedWorld, row: TournamentRow) -> Iterator[tuple[object, object]]:
    for pairing in row.state.pairings:
        if pairing.status is not PairingStatus.DONE:
            continue
        if pairing.absent:
            world.count("did not come")
        record = world.auditor.records.get(pairing.match or 0) if pairing.played and not pairing.walkover else None
        moves = () if record is None else tuple((move.seat, move.move) for move in record.moves)
        verdict = (pairing.verdict, pairing.played, pairing.walkover, pairing.absent, pairing.points)
        yield meeting_of(pairing), (verdict, moves)
