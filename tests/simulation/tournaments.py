"""A tournament in the midst of it all: who pairs, a teacher with whims, and what must hold of it.

The pairing is the real one, at any later moment, as it is worked out beside the lobby. At the end the
tournament is played once more without a server: with the same results it must have the same pairings
and standings, however often the server was killed.
"""

from collections import Counter
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from attrs import evolve

from gameserver.core.commands import Conduct, CreateTournament, EntryMode
from gameserver.core.lobby import Lobby, TournamentRow
from gameserver.records.match_record import MatchRecord
from gameserver.tournaments import model
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import EntrantStatus, Pairing, PairingStatus, Tournament, TournamentPhase, Verdict
from gameserver.tournaments.plan import Format
from gameserver.tournaments.planner import Planner, startable
from gameserver.tournaments.stages import stage_of
from gameserver.tournaments.standings import standings
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.power import Machine
    from tests.simulation.world import World

TEACHER = "teacher"
LATE_STEPS = 150
"""The step from which on a tournament is begun that nobody has begun."""
NO_SHOWS_MAX = 1_000
_POINTS = {Verdict.FIRST: (2, 0), Verdict.SECOND: (0, 2), Verdict.DRAW: (1, 1)}
_RESULTS = {Verdict.FIRST: ["win", "loss"], Verdict.SECOND: ["loss", "win"], Verdict.DRAW: ["draw", "draw"]}


class Organiser:
    """The teacher who wants the tournament."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._chance: Random = world.plan.stream("teacher's whims")
        self._plan = world.plan.tournament()
        self._is_created = False
        self.meddles = self._chance.random() < 0.5
        """True if this teacher also voids matches, and lets players in and out in the midst of it."""

    def act(self) -> None:
        process = self._world.process
        if self._plan is None or process is None or not process.serves or self._chance.random() > 0.05:
            return
        rows = list(process.lobby.tournaments.values())
        if rows:
            self._conduct(process, rows[-1])
        elif not self._is_created and len(process.lobby.players) > 1:
            seed = self._world.plan.stream("tournament's seed").randbytes(32).hex()
            self._world.fairness.hide(seed)
            roster = tuple(model.RegisterEntrant(bot.name) for bot in self._world.bots if self._chance.random() < 0.5)
            entry = self._chance.choice(list(EntryMode))
            process.ask(CreateTournament(self._plan, seed, entry, roster, TEACHER))
            self._is_created = True

    def wind_up(self) -> None:
        """In the calm: let everything be played that is left."""
        process = self._world.process
        for row in () if process is None else process.lobby.tournaments.values():
            if row.state.phase is TournamentPhase.GATHERING:
                self._submit(row, model.Cancel(TEACHER, "nobody came"))
            elif row.state.phase is TournamentPhase.PAUSED:
                self._submit(row, model.Resume(0, TEACHER))
            elif row.state.held:
                self._decide(row)

    def _decide(self, row: TournamentRow) -> None:
        """Have a match played once more that is held because a bug met its player."""
        self._submit(row, model.VoidPairing(row.state.held[0].number, TEACHER, "a bug of ours"))

    def _conduct(self, process: "Machine", row: TournamentRow) -> None:
        state, roll = row.state, self._chance.random()
        if state.phase is TournamentPhase.GATHERING:
            if len(process.lobby.players) > 2 or self._world.steps > LATE_STEPS:
                self._submit(row, model.StartTournament(0, TEACHER))
        elif state.phase is TournamentPhase.PAUSED:
            self._submit(row, model.Resume(0, TEACHER))
        elif state.held and roll > 0.9:
            self._decide(row)
        elif state.phase is TournamentPhase.RUNNING and roll < 0.1:
            self._submit(row, model.Pause(0, TEACHER, "a break"))
        elif roll < 0.2 and (live := [one for one in state.pairings if one.status is PairingStatus.PLAYING]):
            self._submit(row, model.FeaturePairing(self._chance.choice(live).number, TEACHER))
        elif self.meddles and (act := self._meddling(state, roll)) is not None:
            self._submit(row, act)

    def _meddling(self, state: Tournament, roll: float) -> model.Act | None:
        if roll < 0.3 and state.pairings:
            return model.VoidPairing(self._chance.choice(state.pairings).number, TEACHER, "once more")
        if roll < 0.33:
            return model.WithdrawEntrant(self._chance.choice(state.entrants).name, TEACHER)
        if roll < 0.38:
            return model.RegisterEntrant(self._chance.choice(self._world.bots).name, by=TEACHER)
        return model.VoidStage(TEACHER, "a wrong bot") if roll < 0.41 and state.stage else None

    def _submit(self, row: TournamentRow, act: model.Act) -> None:
        process = self._world.process
        self._world.count(f"tournament act: {type(act).__name__}")
        process.ask(Conduct(row.number, act))


def check(lobby: Lobby) -> None:
    """Check after every decision that matches and pairings belong together, and nobody plays two at once."""
    for row in lobby.tournaments.values():
        playing: list[str] = []
        out = {entrant.name for entrant in row.state.entrants if entrant.status is not EntrantStatus.IN}
        for pairing in row.state.pairings:
            if pairing.status is PairingStatus.ANNOUNCED and not out.isdisjoint(pairing.seats):
                raise Violation("who is out is paired no more", f"{pairing}, and out are {sorted(out)}")
            if pairing.status is PairingStatus.PLAYING:
                match = lobby.matches.get(pairing.match or 0)
                if match is None or match.scheduled is None or match.scheduled.pairing != pairing.number:
                    raise Violation("a pairing is played in its match", f"{pairing} and {match}")
                playing += [name for name in pairing.seats if not row.state.is_house(name)]
        if len(set(playing)) < len(playing):
            raise Violation("nobody sits in two seats", f"{playing} in {row.name}")
    for match in lobby.matches.values():
        scheduled = match.scheduled
        row_of = None if scheduled is None else lobby.tournaments.get(scheduled.tournament)
        if scheduled is not None and row_of is not None:
            pairing = row_of.state.pairings[scheduled.pairing - 1]
            if (pairing.status, pairing.match) != (PairingStatus.PLAYING, match.id):
                raise Violation("a pairing is played in its match", f"{match} and {pairing}")


def check_results(lobby: Lobby, records: dict[int, MatchRecord]) -> None:
    """Check that every match on record counts once."""
    for row in lobby.tournaments.values():
        done = [pairing for pairing in row.state.pairings if pairing.status is PairingStatus.DONE and pairing.match]
        matches = [pairing.match for pairing in done]
        if len(set(matches)) < len(matches):
            raise Violation("a result counts once", f"{matches}")
        for pairing in done:
            record = records.get(pairing.match or 0)
            if record is None or not pairing.played or pairing.walkover or pairing.verdict not in _RESULTS:
                continue
            if [seat.result.value for seat in record.seats] != _RESULTS[pairing.verdict]:
                raise Violation("a result counts as it is on record", f"{pairing} and {record}")


def check_end(world: "World", lobby: Lobby) -> None:
    """Check that every tournament is over, with the standings of a server without faults."""
    for row in lobby.tournaments.values():
        world.count(f"tournament {row.state.phase.value}: {row.state.plan.format.value}")
        world.count(f"tournament {row.state.phase.value} in stage {row.state.stage + 1}")
        if not row.is_over:
            raise Violation("every tournament comes to an end", repr(row))
        _check_equal_chance(row.state, world.auditor.records)
        _check_byes(row.state)
        _check_stages(row.state)
        rows = standings(row.state)
        plain = not world.organiser.meddles and _is_plain(row.state)
        if row.state.phase is TournamentPhase.OVER and plain and row.state.plan.format is not Format.ARENA:
            again = standings(_played_again(row.state))
            if [(one.rank, one.name, one.points) for one in again] != [
                (one.rank, one.name, one.points) for one in rows
            ]:
                raise Violation("kills change no standings", f"{rows}, and without any {again}")
            world.count("tournament played again")


def _check_equal_chance(state: Tournament, records: dict[int, MatchRecord]) -> None:
    """Check that two who meet in both seats have the same dice in both, as far as both games went."""
    if not state.plan.same_chance:
        return
    drawn: dict[object, list[str]] = {}
    for pairing in state.pairings:
        record = records.get(pairing.match or 0) if pairing.status is PairingStatus.DONE and pairing.played else None
        # One that is reopened after its end draws from the server's seed: its own was told.
        if record is None or record.seed_commitment != state.commitment:
            continue
        draws = [number for move in record.moves if move.seat is None for number in move.move.split()]
        before = drawn.setdefault((stage_of(state, pairing), pairing.pair, (pairing.meeting - 1) // 2), draws)
        both = min(len(draws), len(before))
        if draws[:both] != before[:both]:
            raise Violation("both seats have the same dice", f"{pairing.pair} drew {before} and {draws}")


def _check_byes(state: Tournament) -> None:
    """Check that nobody has two byes, as long as nobody leaves or comes."""
    resting = [bye.player for bye in state.byes]
    stays = not any(entrant.is_out or entrant.from_round > 1 for entrant in state.entrants)
    if stays and len(set(resting)) < len(resting) <= len(state.entrants):
        raise Violation("nobody has two byes", f"{state.byes}")


def _check_stages(state: Tournament) -> None:
    """Check that nobody goes on in the place of a player of the same group who stayed and has more points."""
    if any(entrant.is_out or entrant.from_round > 1 for entrant in state.entrants):
        return
    for draw, following in pairwise(state.draws):
        points = Counter(bye.player for bye in state.byes if draw.has(bye.round) for _ in range(2))
        for pairing in state.pairings:
            if draw.has(pairing.round) and pairing.verdict in _POINTS:
                for name, won in zip(pairing.seats, _POINTS[pairing.verdict], strict=True):
                    points[name] += won
        for names in draw.groups:
            people = [name for name in names if not state.is_house(name)]
            stopped = [points[name] for name in people if name not in following.players]
            least = min((points[name] for name in people if name in following.players), default=0)
            if stopped and least < max(stopped):
                raise Violation("the best go on", f"{following.players} of {names} with {points}")


def _is_plain(state: Tournament) -> bool:
    """True if everybody played to the end, and every result has a player who played or did not come."""
    done = [pairing for pairing in state.pairings if pairing.status is PairingStatus.DONE]
    everybody = all(not entrant.is_out and entrant.from_round == 1 for entrant in state.entrants)
    return everybody and all(pairing.played or pairing.absent for pairing in done)


def _played_again(state: Tournament) -> Tournament:
    """Play the same field with the same results, on a server that never failed."""
    results = {meeting_of(pairing): pairing for pairing in state.pairings if pairing.status is PairingStatus.DONE}
    # In another order somebody may have missed two in a row; all stayed to the end, so that is to change nothing.
    again = Tournament(evolve(state.plan, no_shows_max=NO_SHOWS_MAX), state.seed)
    for entrant in state.entrants:
        if entrant.name == state.plan.stand_in:
            continue  # it comes by itself
        entered = model.RegisterEntrant(entrant.name, entrant.rating, entrant.house, entrant.team)
        again = apply(again, entered)
    again = apply(again, model.StartTournament(0))
    free = frozenset(entrant.name for entrant in state.entrants)
    while again.phase is TournamentPhase.RUNNING:
        act = Planner().next_pairings(again, free, 0)
        if act is not None:
            again = apply(again, act)
        ready = startable(again, free)
        if not ready and act is None:
            raise Violation("kills change no standings", f"nothing follows {again}")
        for pairing in ready[:1]:
            again = _with_result(again, pairing, results.get(meeting_of(pairing)))
    return again


def _with_result(again: Tournament, pairing: Pairing, result: Pairing | None) -> Tournament:
    if result is None or result.verdict is None:
        raise Violation("kills change no standings", f"{pairing} was not played")
    if not result.played:
        return apply(again, model.NoShow(pairing.number, result.absent))
    again = apply(again, model.Begin(pairing.number, pairing.number))
    return apply(again, model.Report(pairing.number, pairing.number, result.verdict, points=result.points))


def meeting_of(pairing: Pairing) -> tuple[int, int, int, tuple[str, str]]:
    """Give what is the same of a pairing in whatever order, and however often, things were played."""
    return pairing.round, pairing.meeting, pairing.game, pairing.seats
