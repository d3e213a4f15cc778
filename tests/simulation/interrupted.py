"""A tournament that is played twice: in peace, and with everything that can go wrong between two moves.

The players are steady: what they do follows from the match that they are in. So whenever the server is
killed, whatever the network does and however often the teacher has a pause, the same matches must be
played, move for move with the same dice, and the final standings must be those of the tournament in peace.
"""

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from attrs import define, frozen

from gameserver.core.commands import CreateTournament, EntryMode
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.journal.journal import JournalRow
from gameserver.tournaments import model
from gameserver.tournaments.history import History
from gameserver.tournaments.model import Pairing, PairingStatus, Tournament, TournamentPhase
from gameserver.tournaments.standings import StandingsRow, standings
from protocols.gammonx.schema import player_name
from tests.clients.connect_four import Stage
from tests.simulation.bot import Bot, View
from tests.simulation.client import Client
from tests.simulation.faults import FAULTS_BY_KIND, Fault
from tests.simulation.manners import Manners
from tests.simulation.plan import ROOMS, TEXT, TICKETS, Interrupted
from tests.simulation.power import Machine
from tests.simulation.rooms import Board, RoomClient
from tests.simulation.tickets import TicketClient
from tests.simulation.tournaments import TEACHER, Organiser, meeting_of
from tests.simulation.violation import Violation
from tests.simulation.world import World

AWAY_MS = 2_000
"""Absence of a player who leaves a match, beyond the time to come back."""


@frozen
class Fate:
    """A way in which one player ends a match early, if it lasts so long: `what` is done in the place of a move."""

    what: str
    seat: int
    after_moves: int
    """The number of that player's own moves before it."""


def fate_of(plan: Interrupted, pairing: Pairing) -> Fate | None:
    """Draw the fate of a match, the same in every run of this seed."""
    chance, fates = Random(f"{plan.seed}/fate/{meeting_of(pairing)}"), plan.fates()
    if not fates or chance.random() < plan.plays_on_share():
        return None
    return Fate(chance.choice(fates), chance.randrange(2), chance.randrange(3))


def has_left(state: Tournament, name: str, last_round: int) -> bool:
    """True if a player who leaves a Swiss after this round has played it."""
    if state.round < last_round or any(name in owed.seats for owed in History.of(state).owed):
        return False
    played = [pairing for pairing in state.pairings if pairing.round == last_round and name in pairing.seats]
    has_bye = any((bye.round, bye.player) == (last_round, name) for bye in state.byes)
    return has_bye or any(pairing.status is PairingStatus.DONE for pairing in played)


_BEGIN = {Stage.ROOM: "start", Stage.OVER: "restart"}
NEXT_STAGE = b'"act":"next-stage"'
NO_MOVE = "99"
"""A move that is legal in no game."""


class SteadyManners(Manners):
    """Makes the move that follows from the match, or meets the player's fate."""

    def tend(self, bot: Bot) -> None:
        view, world = bot.view, bot.world
        if view is None or view.turn is None or view.reply_end is not None or not bot.can_speak:
            return
        match = world.live(view.match)
        if view.reply_due_ms is None or view.reply_due_ms > world.real_ms or match is None:
            return
        own_moves = sum(player == bot.name for player, _ in view.told.moves)
        due = world.due(match, view.seen.own_seat, own_moves)
        if due == "leave":
            world.leave(bot, match)
        elif due == "err":
            bot.speak(bot.spelling.move(NO_MOVE))
        elif due == "resign":
            bot.speak(bot.spelling.resign())
            view.reply_end = None if bot.wire is None else bot.wire.sent_bytes
        elif due != "oversleep":
            bot.speak(bot.spelling.move(self._steady_move(bot, view, match)))

    def _steady_move(self, bot: Bot, view: View, match: Match) -> str:
        state = match.state if view.seen.state is None else view.seen.state
        moves = state.legal_moves(view.seen.own_seat) or ("?",)
        move = bot.world.numbers_for(match, len(view.told.moves)).choice(moves)
        return "?" if move == "?" else match.game.write_move(move)


@define(eq=False)
class SteadyRoomClient(RoomClient):
    """A client in the rooms: seated, and ready for whoever comes next."""

    def tend(self) -> None:
        board = self.board
        match = None if board is None else self.world.live(board.meant.match)
        if board is None or board.turn is None or board.reply_end is not None or match is None:
            return
        own_moves = sum(player == self.name for player, _ in board.told.moves)
        due = self.world.due(match, board.meant.seat, own_moves)
        if due == "leave":
            self.world.leave(self, match)
        elif due == "resign" and self.can_speak:
            board.reply_end = self.say("resign")
        else:
            super().tend()

    def choose(self, moves: Sequence[str], board: Board) -> str:
        match = self.world.live(board.meant.match)
        return self.world.numbers_for(match, len(board.told.moves)).choice(moves)

    def wind_up(self) -> None:
        if self.world.is_over or self.wire is None or self.speaks.stage is Stage.ARRIVED:
            super().wind_up()
        elif self.can_speak and not self.speaks.awaits:
            if self.speaks.stage is Stage.LOBBY:
                self._join(self.index % self.world.rules.room_count if self.kept is None else self.kept)
            elif self.speaks.stage in _BEGIN and not self.is_waiting:
                self._begin_game(_BEGIN[self.speaks.stage])


@define(eq=False)
class SteadyTicketClient(TicketClient):
    """A client with a ticket for each match, and the patience of the known clients, which wait as long as it takes."""

    patience_ms: ClassVar[int] = 60_000

    def tend(self) -> None:
        if not self.is_due:
            return
        self.reply_due_ms = None
        told = self.wire.matches_told[-1]
        match = self.world.live(told.match)
        if match is not None and self._due(match, told.seat) == "resign":
            self._invoke("ResignMatch")
        else:
            self._do_what_is_allowed()

    def choose(self, sequences: Sequence[Any]) -> Any:
        return sequences[0]

    @property
    def prefix(self) -> str:
        return ""

    def gives_up(self) -> bool:
        return False

    def _due(self, match: Match, seat: int) -> str:
        if match.scheduled is None:
            return "resign"  # who came before the tournament began, and was found an opponent
        return self.world.due(match, seat, sum(move.seat == seat for move in match.moves))

    def wind_up(self) -> None:
        if self.world.is_over:
            super().wind_up()
        elif self.is_connected() and not self.at_hub:
            self._lose_patience()


ROUNDS_MAX = 40_000
"""The most rounds, of 20 to 50 ms, that a tournament may take with all that goes wrong."""
VOIDS_MAX = 3
COME_BACK_MS = 12_000
"""Time to be ready again after a lost connection; for 3 s of it a login may wait for its dead old one."""
LOSE_A_CONNECTION = ("drop", "reset", "vanish", "half-close")


class Teacher(Organiser):
    """Has the tournament played, with a break now and then, and a match once more."""

    def __init__(self, world: "InterruptedWorld") -> None:
        super().__init__(world)
        self.meddles = False
        self._may_pause = world.plan.protocols == (TEXT,)
        """False with rooms: players who sit there ready meet each other while no tournament keeps them."""
        self._may_void = not world.plan.has_dice
        self._voids = 0

    def act(self) -> None:
        process, row = self._world.process, self._world.row
        if process is None or not process.is_settled:
            return
        if row is None:
            seed = self._world.plan.stream("tournament's seed").randbytes(32).hex()
            self._world.fairness.hide(seed)
            has_teams = self._world.plan.has_teams()
            roster = tuple(
                model.RegisterEntrant(entrant_of(bot), team=f"team {number % 2}" if has_teams else "")
                for number, bot in enumerate(self._world.bots)
            )
            process.ask(CreateTournament(self._plan, seed, EntryMode.ROSTER, roster, TEACHER))
        elif row.state.phase is TournamentPhase.GATHERING:
            self._submit(row, model.StartTournament(0, TEACHER))
        elif row.state.phase is TournamentPhase.PAUSED and self._chance.random() < 0.1:
            self._submit(row, model.Resume(0, TEACHER))

    def whim(self, chance: Random) -> None:
        """Have a break, or a match of this round played once more, or a board shown large."""
        row = self._world.row
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
            # Players who meet again already may decide it by that, before they come to the voided game.
            and pairing is last[pairing.round, pairing.board]
        ]
        # A decision that is not told yet may be that they meet again.
        if done and self._world.process.is_settled and self._may_void and self._voids < VOIDS_MAX:
            self._voids += 1
            self._submit(row, model.VoidPairing(chance.choice(done).number, TEACHER, "once more"))
        elif live := [one for one in row.state.pairings if one.status is PairingStatus.PLAYING]:
            self._submit(row, model.FeaturePairing(chance.choice(live).number, TEACHER))


@frozen
class Held:
    """A tournament that is over: the standings, and for each pairing how it ended and how it was played."""

    has_other_dice: bool
    """True if something was played once more, with other dice."""

    rows: tuple[StandingsRow, ...]
    byes: tuple[tuple[int, str], ...]
    results: dict[object, object]
    journal_rows: int
    """Number of rows when it was over."""
    next_stage_row: int
    """The row with which the last stage of several began; 0 where there is one."""


def _teacher(world: World, chance: Random) -> None:
    """Let the teacher have a whim that decides nothing."""
    world.organiser.whim(chance)


def _in_good_time(fault: Fault) -> Fault:
    """Let a client lose its connection only while it can be back before anybody is taken for absent."""

    def spared(world: World, chance: Random) -> Awaitable[None] | None:
        waits = () if world.row is None else world.row.waits.values()
        is_early = all(due_ms >= world.process.axis_ms + COME_BACK_MS for due_ms in waits)
        return fault(world, chance) if is_early else None

    return spared


class InterruptedWorld(World):
    """The world, with a tournament that everybody is there for; the server may be killed after a certain row."""

    plan: Interrupted
    kinds: ClassVar[Mapping[str, type[Client]]] = {TEXT: Bot, ROOMS: SteadyRoomClient, TICKETS: SteadyTicketClient}
    faults: ClassVar[Mapping[str, Fault]] = {
        **FAULTS_BY_KIND,
        **{kind: _in_good_time(FAULTS_BY_KIND[kind]) for kind in LOSE_A_CONNECTION},
        "teacher": _teacher,
    }

    def __init__(self, plan: Interrupted) -> None:
        self._was_killed = False
        self._next_stage_row = 0
        self._away: dict[int, tuple[int, int]] = {}
        """By player: the match that it has left, and until when."""
        self._last_round = plan.last_round()
        super().__init__(plan)
        self.calm = True

    def _manners(self) -> Manners:
        return SteadyManners(self)

    def _organiser(self) -> Organiser:
        return Teacher(self)

    def before_append(self, machine: Machine, rows: Sequence[JournalRow]) -> None:
        self._next_stage_row = next((row.seq for row in rows if NEXT_STAGE in row.body), self._next_stage_row)
        if self.plan.kill_after and not self._was_killed and rows and rows[-1].seq >= self.plan.kill_after:
            self._was_killed = True
            machine.doom = (self.plan.doom, 1)

    @property
    def row(self) -> TournamentRow | None:
        return None if self.process is None else next(iter(self.process.lobby.tournaments.values()), None)

    @property
    def is_over(self) -> bool:
        return self.row is not None and self.row.is_over

    def live(self, match: int) -> Match | None:
        return None if self.process is None else self.process.lobby.matches.get(match)

    def numbers_for(self, match: Match, moves: int) -> Random:
        return Random(f"{self.plan.seed}/{meeting_of(self._pairing_of(match))}/{moves}")

    def due(self, match: Match, seat: int, own_moves: int) -> str:
        """Give what a player does now in the place of a move, if anything."""
        if match.scheduled is None and self._is_afterwards(match):
            return "resign"  # somebody sat down in the room of one who was still ready
        fate = fate_of(self.plan, self._pairing_of(match))
        return fate.what if fate is not None and (fate.seat, fate.after_moves) == (seat, own_moves) else ""

    def _is_afterwards(self, match: Match) -> bool:
        """True if a match is with somebody whose tournament is over, or who did not come into this stage of it."""
        state = self.row.state
        has_left = not all(state.is_in_stage(seat.player) for seat in match.seats)
        return has_left or (self.is_over and state.plan.searches)

    def leave(self, client: Client, match: Match) -> None:
        """Hang up in the midst of a match, and be away until that is lost."""
        client.hang_up()
        self._away[client.index] = (match.id, self.real_ms + self.rules.drop_grace_ms + AWAY_MS)

    def is_away(self, client: Client) -> bool:
        match, until_ms = self._away.get(client.index, (0, 0))
        if until_ms > self.real_ms and (self.process is None or self.live(match) is not None):
            return True
        last_round = self._last_round
        if client.index or last_round is None or self.is_over:
            return False
        row = self.row
        return not last_round or (row is not None and has_left(row.state, client.name, last_round))

    def _pairing_of(self, match: Match) -> Pairing:
        scheduled, row = match.scheduled, self.row
        if scheduled is None or row is None:
            raise Violation("nobody plays but in the tournament", repr(match))
        return row.state.pairings[scheduled.pairing - 1]

    async def play(self) -> None:
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
        has_other_dice = self.plan.has_dice and any(one.status is PairingStatus.VOID for one in row.state.pairings)
        if has_other_dice:
            self.count("played with other dice")
        byes = tuple((bye.round, bye.player) for bye in row.state.byes)
        results = dict(_results(self, row))
        self.held = Held(has_other_dice, standings(row.state), byes, results, journal_rows, self._next_stage_row)


def entrant_of(client: Client) -> str:
    """Give the name by which the lobby knows a client."""
    return player_name(client.guid) if isinstance(client, SteadyTicketClient) else client.name


def compare(peaceful: Held, held: Held) -> None:
    """Compare a tournament with the same one in peace."""
    if held.has_other_dice:
        return
    for meeting in [*peaceful.results, *held.results]:
        one, other = peaceful.results.get(meeting), held.results.get(meeting)
        if one != other:
            raise Violation("interruptions change no result", f"{meeting} in peace: {one}\n  interrupted: {other}")
    for what, one, other in (("standings", peaceful.rows, held.rows), ("byes", peaceful.byes, held.byes)):
        if one != other:
            raise Violation("interruptions change no standings", f"{what} in peace: {one}\n  interrupted: {other}")


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
