"""A tournament as it is: the plan, the entrants, every pairing so far; and the acts that give a new one.

Whole numbers and texts only, no float and no set, so that it digests alike in every process.

Acts are everything that can happen to a tournament, as values. A journal keeps those that are accepted. `by` is who did
it: a teacher's name, or `SERVER` for what follows from the rules. `why` is asked of people who overrule something, and
shown with it. `now_ms` is the time on the server's axis, which the lobby fills in. A new act is a class here, a handler
in `transitions`, and a row of `act_table.ACTS`, from which it comes into the journal, the API, the pages and the
commands.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import attrs
from attrs import Factory, field, validators

from gameserver.chance import commitment
from gameserver.tournaments.plan import Plan
from gameserver.values import value

SERVER = "server"
PAIR_LABEL = "both|"
"""Begins the label of a meeting that shares its chance with the next one."""
LET_IN = "let in"
"""The ruling on a player who entered, or came back, after the start."""
RATING_MAX = 9999
"""FIDE's report has four digits for it."""
TEAM_LENGTH_MAX = 60
"""Characters of a team's name; a longer one is cut. Judgement: it has a line of a page."""


class TournamentPhase(StrEnum):
    """The phase of a tournament: gathering, running, paused, finishing, over, cancelled."""

    GATHERING = "gathering"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHING = "finishing"
    OVER = "over"
    CANCELLED = "cancelled"


CLOSED = (TournamentPhase.OVER, TournamentPhase.CANCELLED)
"""Phases in which nothing more is played, unless a teacher has it resumed."""
UNDER_WAY = (TournamentPhase.RUNNING, TournamentPhase.PAUSED, TournamentPhase.FINISHING)
"""Phases between the start and the end."""


class EntrantStatus(StrEnum):
    """An entrant's status in a tournament: in it, or out of it and why."""

    IN = "in"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@value
class Entrant:
    """An entrant of a tournament. `number` is the seed, 0 before the draw; a house player has any number of seats."""

    name: str
    number: int = 0
    rating: int = 0
    house: bool = False
    status: EntrantStatus = EntrantStatus.IN
    from_round: int = 1
    team: str = ""
    """The name of the player's team, as it was when the player entered; empty for none."""

    @property
    def is_out(self) -> bool:
        """True if the entrant has withdrawn from the tournament or was disqualified."""
        return self.status is not EntrantStatus.IN


class PairingStatus(StrEnum):
    """The status of a pairing of a tournament: announced, playing, done, void or held."""

    ANNOUNCED = "announced"
    PLAYING = "playing"
    DONE = "done"
    VOID = "void"
    HELD = "held"
    """It ended without a result, and waits for a person to decide."""


_KEEPING = (PairingStatus.ANNOUNCED, PairingStatus.PLAYING)


class Verdict(StrEnum):
    """The verdict on a pairing of a tournament: who won, by seat."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    BOTH_LOSE = "both lose"


@value
class Pairing:
    """A pairing of a tournament: one match to be played, as a game of an encounter.

    `game` counts within the encounter (round and board), `meeting` within all that these two play in the
    tournament: odd ones have one seat order, even ones the other. Pairings with the same
    `chance` get the same dice.
    """

    number: int
    round: int
    board: int
    game: int
    meeting: int
    seats: tuple[str, str]
    chance: str
    status: PairingStatus = PairingStatus.ANNOUNCED
    match: int | None = None
    """The lobby's number of the match."""
    verdict: Verdict | None = None
    played: bool = True
    """False where no move was made: a no-show, a walkover."""
    walkover: bool = False
    """True if the encounter is decided without a game, because a player is out."""
    absent: tuple[str, ...] = ()
    """The players who did not come."""
    reason: str = ""
    points: tuple[int, int] = (0, 0)
    """The game's own points, by seat: discs, guesses."""
    side_by_side: bool = False
    """True if it began together with the pairing of the same `chance`, before either had shown a draw."""

    @property
    def is_open(self) -> bool:
        """True if the result of a pairing is still to come."""
        return self.status in _KEEPING or self.status is PairingStatus.HELD

    @property
    def keeps_players(self) -> bool:
        """True while the players of a pairing cannot be paired otherwise. One that is held keeps nobody."""
        return self.status in _KEEPING

    @property
    def pair(self) -> tuple[str, str]:
        """The two names of a pairing, sorted: the same for both seat orders."""
        first, second = self.seats
        return (first, second) if first <= second else (second, first)

    def opponent(self, player: str) -> str:
        """The opponent of this player in a pairing."""
        return self.seats[1] if self.seats[0] == player else self.seats[0]


@value
class Bye:
    """A bye of a tournament: a round in which a player has no opponent."""

    round: int
    player: str


@value
class StageDraw:
    """The draw of a tournament's stage that has begun: who is in which group, by seed, and the rounds that are its own.

    Rounds are numbered on through all stages, those that were voided included, so no number comes twice.
    """

    groups: tuple[tuple[str, ...], ...]
    """One where the stage is a single field."""
    after_round: int = 0
    """The rounds of the stage begin after this one."""
    last_round: int | None = None
    """The last round that it may have; None before it has been over for the first time."""

    def has(self, number: int) -> bool:
        """True if the round of this number belongs to the stage of this draw."""
        return self.after_round < number and (self.last_round is None or number <= self.last_round)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players whom this draw has."""
        return tuple(name for group in self.groups for name in group)


@value
class Ruling:
    """A ruling in a tournament, by a person or by the server in the teacher's stead, for the page and for disputes."""

    what: str
    by: str
    why: str
    pairing: int | None = None
    player: str = ""


@value
class Tournament:
    """A tournament's whole state.

    `pairings[n - 1]` has number n; `seed` (hex digits) is what every lot is drawn from.
    """

    plan: Plan
    seed: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"), repr=False)
    phase: TournamentPhase = TournamentPhase.GATHERING
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    byes: tuple[Bye, ...] = ()
    round: int = 0
    """The last round that was paired; an arena is one long round."""
    rounds: int = 0
    """Number of rounds of a Swiss; fixed at the start."""
    ends_ms: int | None = None
    """The time at which an arena ends, on the server's axis; None while its clock stands."""
    left_ms: int = 0
    """Time left of an arena whose clock stands."""
    rulings: tuple[Ruling, ...] = ()
    commitment: str = Factory(lambda self: commitment(self.seed), takes_self=True)
    """The SHA-256 of the seed, in hex, which is told from the beginning; the seed is when the tournament is over."""
    draws: tuple[StageDraw, ...] = ()
    """The draws of the stages that have begun, if the plan has stages."""
    featured: int = 0
    """The pairing whose board a teacher chose to be shown large, as long as it is being played; 0 without one."""
    teams: Mapping[str, str] = Factory(dict)
    """The roster's teams at the start of an arena, for players who enter later by being here."""

    @property
    def stage(self) -> int:
        """The stage in which the tournament is, from 0."""
        return max(0, len(self.draws) - 1)

    def entrant(self, name: str) -> Entrant | None:
        """The tournament's entrant of this name, if there is one."""
        return next((entrant for entrant in self.entrants if entrant.name == name), None)

    def is_out(self, name: str) -> bool:
        """True if this player takes no further part in the tournament. The stand-in always does."""
        entrant = self.entrant(name)
        return entrant.is_out if entrant is not None else name != self.plan.stand_in

    def is_house(self, name: str) -> bool:
        """True for a house player of the tournament, which plays any number of matches at once."""
        entrant = self.entrant(name)
        return name == self.plan.stand_in if entrant is None else entrant.house

    @property
    def house_names(self) -> dict[str, None]:
        """The names of the tournament's house players, for a caller that asks about many of them.

        `is_house` looks through all entrants.
        """
        names = dict.fromkeys(entrant.name for entrant in self.entrants if entrant.house)
        return names | {self.plan.stand_in: None} if self.plan.stand_in else names

    @property
    def team_of(self) -> dict[str, str]:
        """The teams of the tournament's players by their names; a player without one is not there."""
        return {entrant.name: entrant.team for entrant in self.entrants if entrant.team}

    @property
    def active(self) -> tuple[Entrant, ...]:
        """The entrants who play on in the tournament, by their numbers; before the draw in the order of entry."""
        playing = (e for e in self.entrants if not e.is_out and self.is_in_stage(e.name))
        return tuple(sorted(playing, key=lambda entrant: entrant.number))

    @property
    def has_parts(self) -> bool:
        """True if the tournament has stages, and the first has begun. A part of it has none."""
        return bool(self.draws and self.plan.stages)

    def is_in_stage(self, name: str) -> bool:
        """True if this player takes part in the stage in which the tournament is, or it has no stages."""
        return not self.draws or any(name in group for group in self.draws[-1].groups)

    @property
    def open(self) -> tuple[Pairing, ...]:
        """The pairings of the tournament whose result is still to come."""
        return tuple(pairing for pairing in self.pairings if pairing.is_open)

    @property
    def keeping(self) -> tuple[Pairing, ...]:
        """The pairings of the tournament that are announced or being played."""
        return tuple(pairing for pairing in self.pairings if pairing.keeps_players)

    @property
    def held(self) -> tuple[Pairing, ...]:
        """The pairings of the tournament that wait for a person to decide."""
        return tuple(pairing for pairing in self.pairings if pairing.status is PairingStatus.HELD)

    @property
    def has_open(self) -> bool:
        """True if any result of the tournament is still to come.

        Asked after every act, so the latest pairings are looked at first.
        """
        return any(pairing.is_open for pairing in reversed(self.pairings))

    def missed_in_a_row(self, name: str) -> int:
        """The count of latest encounters that a player of the tournament missed.

        Several games of one are missed once.
        """
        missed: set[tuple[int, int]] = set()
        for pairing in reversed(self.pairings):
            if pairing.status is PairingStatus.DONE and name in pairing.seats:
                if name not in pairing.absent:
                    break
                # By encounter: two games of a pair cost two waits of 60 s, when each game counted.
                missed.add((pairing.round, pairing.board))
        return len(missed)

    def with_pairing(self, pairing: Pairing) -> "Tournament":
        """The tournament's next state, with one pairing replaced."""
        at = pairing.number - 1
        return attrs.evolve(self, pairings=(*self.pairings[:at], pairing, *self.pairings[at + 1 :]))

    def with_entrant(self, entrant: Entrant) -> "Tournament":
        """The tournament's next state, with one entrant replaced."""
        return attrs.evolve(self, entrants=tuple(entrant if e.name == entrant.name else e for e in self.entrants))

    def ruled(self, ruling: Ruling) -> "Tournament":
        """The tournament's next state, with one more ruling on record."""
        return attrs.evolve(self, rulings=(*self.rulings, ruling))


@value
class Timing:
    """The times of a tournament and its pairings, which its state does not have. Pairings go by their numbers."""

    ran_ms: int = 0
    """The time that it has been running."""
    now_ms: int = 0
    # Each game by itself, not a mean: a no-show of 60 s counted as a game once.
    took_ms: Mapping[int, int] = MappingProxyType({})
    """The length of each game that is over."""
    open_ms: Mapping[int, int] = MappingProxyType({})
    """The time for which each open game has been played, or has waited for its players."""
    missing: frozenset[str] = frozenset()
    """The players who are in and not here. Those at play are here."""
    rest_max_ms: Mapping[int, int] = MappingProxyType({})
    """The time that the players' banks leave to each open game whose clock has any."""


UNTIMED = Timing()


class ActRefused(Exception):
    """The act upon a tournament is not possible now; the text says why and what to do instead."""


class Act:
    """An act: something that happens to a tournament. The base of all acts; it has no fields."""

    __slots__ = ()


@value
class RegisterEntrant(Act):
    """The act by which a player enters a tournament; after the start a late entry, or a return after withdrawing."""

    player: str
    rating: int = 0
    house: bool = False
    team: str = ""
    by: str = SERVER
    why: str = ""


@value
class WithdrawEntrant(Act):
    """The act by which a player withdraws from a tournament, or the teacher takes one out."""

    player: str
    by: str = SERVER
    why: str = ""


@value
class Disqualify(Act):
    """The act that puts a player out of a tournament for cause; the plan says what becomes of the results."""

    player: str
    by: str
    why: str


@value
class StartTournament(Act):
    """The act that makes a tournament's draw and begins play.

    `ratings` are what the server knows of those who entered without one, and `teams` what the roster has.
    """

    now_ms: int = 0
    by: str = SERVER
    why: str = ""
    ratings: Mapping[str, int] = Factory(dict)
    teams: Mapping[str, str] = Factory(dict)


@value
class Pair(Act):
    """The act that announces a tournament's next pairings and byes, as `Planner.next_pairings` works them out."""

    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


@value
class NextStage(Act):
    """The act that ends a stage of a tournament and begins the next, as `Planner.next_pairings` works it out."""

    groups: tuple[tuple[str, ...], ...]
    """Those who go on, by seed, in the groups of the next stage."""
    last_round: int
    """The last round of the stage that is over."""
    rulings: int
    """The number of rulings so far: another one may have changed who goes on."""


@value
class VoidStage(Act):
    """The act by which a teacher voids the stage in which the tournament is, to go back to the one before.

    The tournament is paused then: what was wrong there can be put right before the next stage begins anew.
    """

    by: str
    why: str
    now_ms: int = 0


@value
class Begin(Act):
    """The act that tells a tournament that the lobby has opened the match of an announced pairing."""

    pairing: int
    match: int
    side_by_side: bool = False
    """Together with the one of the same dice."""


@value
class Report(Act):
    """The act that brings a tournament the result of a match.

    `match` tells a result from that of an earlier, voided attempt.
    """

    pairing: int
    match: int
    verdict: Verdict
    reason: str = ""
    points: tuple[int, int] = (0, 0)


@value
class NoShow(Act):
    """The act that ends the wait for absent players of an announced pairing of a tournament."""

    pairing: int
    absent: tuple[str, ...]
    by: str = SERVER


@value
class VoidPairing(Act):
    """The act that voids a pairing, to be played again: the server was at fault, or a teacher says so."""

    pairing: int
    by: str = SERVER
    why: str = ""


@value
class HoldPairing(Act):
    """The act that holds a pairing whose match ended without a result, until a person says what comes of it."""

    pairing: int
    why: str
    player: str
    """The player whose connection a bug of the server ended, as in an earlier match."""


@value
class Correct(Act):
    """The act by which a teacher sets the result of a pairing that is not being played."""

    pairing: int
    verdict: Verdict
    by: str
    why: str


@value
class FeaturePairing(Act):
    """The act by which a teacher chooses the match of a pairing to be shown large until it ends."""

    pairing: int
    by: str
    why: str = ""


@value
class Pause(Act):
    """The act that pauses a tournament: no match begins any more; those that are being played go on."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class Resume(Act):
    """The act that resumes a tournament after a pause, or after a stop before the end."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class Finish(Act):
    """The act that lets the running matches of a tournament end, then stops it."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class EndByTime(Act):
    """The act that says that an arena's time may be over; ignored where it is not."""

    now_ms: int


@value
class Cancel(Act):
    """The act that ends a tournament at once. Results stay on record, and it can be resumed."""

    by: str
    why: str = ""
    now_ms: int = 0
