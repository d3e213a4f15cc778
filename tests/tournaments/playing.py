"""Whole tournaments in no time: players who come, go, win at random, and a lobby that obeys the rules of the house.

After every act the invariants are checked that hold in any tournament, whatever happens to it.
"""

import random
from collections import Counter
from collections.abc import Collection

from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Act,
    Begin,
    EndByTime,
    EntrantStatus,
    NoShow,
    PairingStatus,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    StartTournament,
    Tournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.planner import Planner, startable
from gameserver.tournaments.stages import part_of, stage_of

SEED = "5eed" * 16
TICK_MS = 1000
SHORT = {"arena": {"duration_ms": 20_000}, "teams": {"team_boards": 1}}
"""Fields of presets by which few players come to an end soon."""
TICKS_MAX = 3_000
VERDICTS = (Verdict.FIRST, Verdict.SECOND, Verdict.DRAW)


def entered(plan: Plan, players: int, seed: str = SEED) -> Tournament:
    """A tournament with p01, p02, ... entered, the strongest first; in three teams, where teams are paired."""
    tournament = Tournament(plan, seed)
    for number in range(1, players + 1):
        team = f"team {number % 3}" if plan.team_boards else ""
        tournament = apply(tournament, RegisterEntrant(f"p{number:02}", rating=3000 - number, team=team))
    return tournament


def started(plan: Plan, players: int, seed: str = SEED) -> Tournament:
    """The same, begun at time 0."""
    return apply(entered(plan, players, seed), StartTournament(0))


def announced(tournament: Tournament, free: Collection[str] | None = None) -> Tournament:
    """The tournament with the next pairings, when these are free: all who take part unless told."""
    names = [entrant.name for entrant in tournament.active] if free is None else free
    pairings = Planner().next_pairings(tournament, names, 0)
    return tournament if pairings is None else apply(tournament, pairings)


def decided(tournament: Tournament, number: int, verdict: Verdict = Verdict.FIRST) -> Tournament:
    """The tournament once this pairing has been played, as the match of the same number."""
    if tournament.pairings[number - 1].match is None:
        tournament = apply(tournament, Begin(number, number))
    return apply(tournament, Report(number, number, verdict))


class World:
    """A tournament, its players, and the chance that moves them."""

    def __init__(self, tournament: Tournament, seed: int = 0, *, faults: float = 0.0, all_at_once: bool = False):
        self.tournament = tournament
        self.rng = random.Random(seed)
        self.faults = faults
        self.all_at_once = all_at_once
        self.now_ms = 0
        self.matches = 0
        self.away: dict[str, int] = {}
        self.waited: Counter[int] = Counter()
        self.planner = Planner()
        self.acts: list[Act] = []

    def do(self, act: Act) -> None:
        self.acts.append(act)
        self.tournament = apply(self.tournament, act)
        if (
            len(self.tournament.pairings) < 60
            or len(self.acts) % 20 == 0
            or self.tournament.phase is TournamentPhase.OVER
        ):
            check(self.tournament)  # which looks at every pairing

    def withdraw_some(self, data: st.DataObject, most: int, ticks_max: int) -> None:
        """Some players, up to so many, leave one after the other, each after some ticks."""
        for _ in range(data.draw(st.integers(1, most))):
            for _ in range(data.draw(st.integers(0, ticks_max))):
                if self.tournament.phase is TournamentPhase.RUNNING:
                    self.tick()
            if self.tournament.phase is TournamentPhase.RUNNING:
                self.do(WithdrawEntrant(data.draw(st.sampled_from([e.name for e in self.tournament.active]))))

    @property
    def playing(self):
        return [pairing for pairing in self.tournament.pairings if pairing.status is PairingStatus.PLAYING]

    @property
    def free(self) -> frozenset[str]:
        busy = {name for pairing in self.playing for name in pairing.seats}
        return frozenset(e.name for e in self.tournament.active if e.name not in busy and e.name not in self.away)

    def run(self) -> Tournament:
        for _ in range(TICKS_MAX):
            if self.tournament.phase is TournamentPhase.OVER:
                return self.tournament
            self.tick()
        raise AssertionError(f"never over: {self.tournament.phase}, open {self.tournament.open}, away {self.away}")

    def tick(self) -> None:
        self.now_ms += TICK_MS
        if self.tournament.phase is TournamentPhase.PAUSED:
            self.do(Resume(self.now_ms))
        self.misfortunes()
        paired = self.pair()
        playing = self.playing
        waiting = any(pairing.status is PairingStatus.ANNOUNCED for pairing in self.tournament.open)
        is_arena = self.tournament.plan.format is Format.ARENA
        idle = self.tournament.phase is TournamentPhase.RUNNING and not (paired or playing or waiting or is_arena)
        if idle and Planner().next_pairings(self.tournament, self.free, self.now_ms) is None:
            raise AssertionError(f"stuck: nothing is played, nobody is waited for; away {list(self.away)}")
        count = len(playing) if self.all_at_once else self.rng.randint(min(1, len(playing)), len(playing))
        for pairing in self.rng.sample(playing, count):
            if self.faults and self.rng.random() < self.faults / 4:
                self.do(VoidPairing(pairing.number, why="the game's code failed"))
            else:
                self.do(Report(pairing.number, pairing.match, self.rng.choice(VERDICTS), points=(3, 1)))
        if is_arena and self.tournament.phase is TournamentPhase.RUNNING:
            self.do(EndByTime(self.now_ms))

    def pair(self) -> bool:
        paired = self.planner.next_pairings(self.tournament, self.free, self.now_ms)
        if paired is not None:
            self.do(paired)
        for pairing in startable(self.tournament, self.free):
            self.matches += 1
            self.do(Begin(pairing.number, self.matches))
        for pairing in self.tournament.open:
            absent = tuple(name for name in pairing.seats if name in self.away)
            if (
                pairing.status is PairingStatus.ANNOUNCED
                and absent
                and self.tournament.phase is TournamentPhase.RUNNING
            ):
                self.waited[pairing.number] += 1
                if self.waited[pairing.number] > 3 and self.tournament.pairings[pairing.number - 1].is_open:
                    self.do(NoShow(pairing.number, absent))
        return paired is not None

    def misfortunes(self) -> None:
        self.away = {name: ticks - 1 for name, ticks in self.away.items() if ticks > 1}
        if not self.faults or self.tournament.phase is not TournamentPhase.RUNNING:
            return
        for entrant in self.tournament.entrants:
            if entrant.house:
                continue
            if self.rng.random() < self.faults:
                self.away[entrant.name] = self.rng.randint(1, 12)
            if self.rng.random() >= self.faults / 10 or self.tournament.phase is not TournamentPhase.RUNNING:
                continue
            if not entrant.is_out and self.tournament.is_in_stage(entrant.name):
                self.do(WithdrawEntrant(entrant.name, why="had to go"))
            elif entrant.status is EntrantStatus.WITHDRAWN and self.may_return(entrant.name):
                self.do(RegisterEntrant(entrant.name))
        if self.rng.random() < self.faults / 4 and self.tournament.phase is TournamentPhase.RUNNING:
            self.do(Pause(self.now_ms))

    def may_return(self, name: str) -> bool:
        if self.tournament.has_parts:
            return self.tournament.stage == 0 and self.tournament.draws[0].last_round is None
        return not self.tournament.plan.is_bracket


def check(tournament: Tournament) -> None:
    """Check what holds after every act."""
    busy = [name for p in tournament.open for name in p.seats if not tournament.is_house(name)]
    assert len(set(busy)) == len(busy), f"two matches at once: {busy}"
    counted = counting(tournament)
    assert len({(p.round, p.board, p.game) for p in counted}) == len(counted), "a game of an encounter was paired twice"
    meetings = {(stage_of(tournament, p), p.pair, p.meeting) for p in counted}
    assert len(meetings) == len(counted), "a meeting was paired twice"
    labels = {(p.chance, p.pair, p.meeting) for p in tournament.pairings if tournament.has_parts}
    assert not labels or len(labels) == len(tournament.pairings), "the dice of a game were had before"
    for p in counted if tournament.has_parts else ():
        assert set(p.seats) <= {one.name for one in part_of(tournament, p).state.entrants}, "met out of the group"
    limit = tournament.plan.matches_at_once_max
    assert not limit or sum(p.status is PairingStatus.PLAYING for p in tournament.pairings) <= limit
    for number, pairing in enumerate(tournament.pairings, start=1):
        assert pairing.number == number
        assert pairing.seats[0] != pairing.seats[1]
        assert (pairing.verdict is not None) == (pairing.status is PairingStatus.DONE)
    if tournament.phase in (TournamentPhase.OVER, TournamentPhase.CANCELLED):
        assert not tournament.open


def finished(plan: Plan, players: int, seed: int = 0, **terms) -> Tournament:
    """A tournament played to its end."""
    return World(started(plan, players), seed, **terms).run()


def counting(tournament: Tournament):
    """The pairings that were not voided."""
    return [pairing for pairing in tournament.pairings if pairing.status is not PairingStatus.VOID]


def seat_differences(tournament: Tournament) -> dict[str, int]:
    """Count how much oftener each player had the first seat than the second, in games that were played."""
    balance: Counter[str] = Counter()
    for pairing in counting(tournament):
        if pairing.played:
            balance[pairing.seats[0]] += 1
            balance[pairing.seats[1]] -= 1
    return dict(balance)
