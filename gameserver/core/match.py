"""A match as a value: the seats, the position, the clock, the moves, and the ids by which its players know it.

A seat is not a connection. It remembers its player by name; `session` tells how to reach them now, and is None while
they are away. The clock runs only while every player who has to act is there.

Two tickets that found each other have one public id, that of the older ticket: payloads, pages and records carry it for
both. So an id alone names nobody; it resolves together with the player (`lobby.seat_named`). Each id that a player was
ever told goes on resolving for that player, after the pair came to nothing too, because a client keeps the id that its
join answered.
"""

from enum import StrEnum
from typing import Any

import attrs
from attrs import evolve

from gameserver.chance import Contributions, commitment, draw_key, match_key
from gameserver.core.clocks import NO_CLOCK, Bank, TurnClock
from gameserver.core.commands import HOUSE_SESSION, Book
from gameserver.core.events import By, Result, SeatsBy
from gameserver.core.identity import Proof
from gameserver.game import Game, Series, State, Turn
from gameserver.policies import Policies
from gameserver.tournaments.model import PAIR_LABEL
from gameserver.values import evolved, value


@value
class Claim:
    """The right of a ticket's player to a place: on the ticket, and later on the seat that it led to."""

    booked: Book
    """The command that the ticket was booked by. Its `address` is the one that the player joined from."""
    pair_id: str = ""
    """The id of the pair; empty where that is the ticket's own."""
    aliases: tuple[str, ...] = ()
    """Ids of other tickets that the player was told, also for pairs that came to nothing."""
    is_shared: bool = False
    """True once an opponent was told the id of the player's own ticket."""
    by_stranger: bool = False
    """True if the place was taken last by a client that showed no more than the ticket's id and the player's."""

    @property
    def is_bound(self) -> bool:
        """True if nothing but the token lets a ticket's player in: a roster binds their identity to a secret."""
        return self.booked.proof is Proof.PROVEN

    @property
    def public_id(self) -> str:
        """The id by which both players of a pair of tickets call their match."""
        return self.pair_id or self.booked.ticket

    @property
    def all_ids(self) -> tuple[str, ...]:
        """Every id by which a ticket's player may call the match, the public one first."""
        return tuple(dict.fromkeys((self.public_id, self.booked.ticket, *self.aliases)))

    def in_pair(self, older: str) -> "Claim":
        """The claim of a ticket that is one of a pair, whose public id is that of the older ticket."""
        if older == self.booked.ticket:
            return self.shared()
        aliases = self.aliases if older in self.aliases else (*self.aliases, older)
        return evolve(self, pair_id=older, aliases=aliases)

    def shared(self) -> "Claim":
        """The claim once others were told its ticket's own id, which is the public one now."""
        return evolve(self, pair_id="", is_shared=True)


@value
class Scheduled:
    """The tie between a match and the tournament that had it played."""

    tournament: int
    pairing: int
    round: int
    board: int
    chance: str
    """The label that its draws are made under, in the place of the match's number."""


class MatchPhase(StrEnum):
    """The phases of a match."""

    READYING = "readying"
    PLAYING = "playing"
    OVER = "over"


class Cause(StrEnum):
    """The cause of an empty seat: it decides how the match ends if nobody comes back."""

    DROP = "drop"
    ASIDE = "aside"
    """Its player has come in by another connection, and is on the way to it."""
    RESTART = "restart"
    FAULT = "fault"
    """A bug of ours, or of a third party's protocol, has ended the player's connection."""


@value
class Absence:
    """An empty seat, and the time until which it waits for its player."""

    cause: Cause
    return_by_ms: int
    why: str = ""
    """The reason for the connection's end."""


@value
class SeatHolder:
    """A seat and its player. `address` is that of the connection by which it was taken last.

    `grace_left_ms` is the budget for drops; absences use it up.
    """

    player: str
    protocol: str
    address: str
    session: int | None
    grace_left_ms: int = 0
    absence: Absence | None = None
    says_ready: bool = False
    """True if each game waits until this player has said that they are ready; others always are."""
    room: int | None = None
    """The room in which this player sat down, if their protocol has rooms."""
    # Judgement: enough for a person to sit down again and start.
    aside_left_ms: int = 30_000
    """The time, in all, for its player's way from one connection to another: the clock stands meanwhile."""
    restart_by_ms: int = 0
    """The time until which the seat was kept after the last restart; 0 once its player came back in another way."""
    claim: Claim | None = None
    """Set if a ticket led here: it is how its player comes back."""
    fault_left_ms: int | None = None
    """The time, in all, that it still waits after bugs of ours; None before the first, which brings the whole time."""
    after_fault: Absence | None = None
    """The absence from which its player has come back last, if a bug of ours was the cause."""
    key: str = attrs.field(default="", repr=False)
    """As in `Enter`: nothing but this key, or a proof, takes the seat back. Empty if there is none."""
    had_key_grace: bool = False
    """True if the grace that comes with a key has been given to this seat; a seat has it once."""

    @property
    def is_house(self) -> bool:
        """True if a house player holds the seat: always present, never on a clock."""
        return self.session == HOUSE_SESSION

    @property
    def is_present(self) -> bool:
        """True if the player who holds a seat can be reached."""
        return self.session is not None

    @property
    def ticket(self) -> str:
        """The id of the ticket that led to a seat; empty without one."""
        return "" if self.claim is None else self.claim.booked.ticket

    @property
    def identity(self) -> str:
        """The id of a seat's player in their own protocol; empty for a player who is known by the name."""
        return "" if self.claim is None else self.claim.booked.identity

    @property
    def match_ids(self) -> tuple[str, ...]:
        """Every id by which a seat's player may call the match, the public one first; empty without a ticket."""
        return () if self.claim is None else self.claim.all_ids


@value
class MatchChance:
    """The origin of a match's draws: a seed, a key, and what players have added. All in hex but the key."""

    seed: str = attrs.field(repr=False)
    """That of an epoch, or of the tournament that has the match played."""
    key: str
    """The match's number, or the label of its pair: with equal ones, a seed gives equal draws."""
    contributions: Contributions = ()
    secret: str = attrs.field(
        default=attrs.Factory(lambda self: match_key(self.seed, self.key), takes_self=True), init=False, repr=False
    )
    """The secret from which a match's draws follow: nobody may be told while another match can have the same."""
    draw_key: str = attrs.field(
        default=attrs.Factory(lambda self: draw_key(self.secret, self.contributions), takes_self=True),
        init=False,
        repr=False,
    )
    """Worked out once, as every draw needs it."""

    @property
    def commitment(self) -> str:
        """The SHA-256 of a match's secret, which its players are told when it opens."""
        return commitment(self.secret)

    @property
    def is_shared(self) -> bool:
        """True if another match may draw the same, until the tournament is over."""
        return self.key.startswith(PAIR_LABEL)


@value
class OwedAnswer:
    """An answer that may still come to a question after the server moved in this seat's place."""

    seat: int
    move: str
    """The move that was made: its number, where the game has numbers for its moves. Empty if the answer is owed to an
    earlier match."""
    until_ms: int
    """The latest time until which the seat's next question waits for it."""


@value
class PlayedMove:
    """One step of a game: a move in its one spelling, or a draw as its numbers, blank-separated.

    `think_ms` is the time from the start of the turn to the reading of the move, `lag_ms` that from
    the reading to the decision, which is charged to nobody.
    """

    seat: int | None
    text: str
    by: By
    at_ms: int
    think_ms: int = 0
    lag_ms: int = 0
    sides: int | None = None
    """The numbers from which chance drew: the sides of each die, or the count of the moves that a late player had."""
    lot: int | None = None
    """The move that was drawn in a late player's place, from 1 in the order of the game's legal moves."""
    bank_ms: int | None = None
    """The time left of its player's bank after the move; None without one."""


AFTER_RESTART = "the first own move after a restart of the server"
"""Begins the note on an illegal move to which this applies: a client that does not keep its own moves as they are told
again plays on with a wrong board."""


@value
class GamePlayed:
    """A game of a match that goes on after it."""

    game: Game[Any]
    options: Any
    first: int
    moves: tuple[PlayedMove, ...]
    result: Result


@value(slots=False)
class GameSeries:
    """A match of several games: the game that was asked for, its options, and the score."""

    game: Game[Any]
    options: Any
    series: Series
    played: tuple[GamePlayed, ...] = ()


NOBODYS_TURN = Turn(0, ())


@value(slots=False)
class Match:
    """One match. `turn` repeats what `state.turn` says, so that no timer has to call a game's code."""

    id: int
    game: Game[Any]
    options: Any
    policies: Policies
    chance: MatchChance
    seats: tuple[SeatHolder, ...]
    first: int
    state: State[Any] = attrs.field(repr=False)
    turn: Turn
    clock: TurnClock
    turn_started_ms: int
    opened_ms: int
    opened_wall_ms: int
    """The time of day, for the record."""
    moves: tuple[PlayedMove, ...] = ()
    draws: int = 0
    phase: MatchPhase = MatchPhase.PLAYING
    result: Result | None = None
    game_result: Result | None = None
    """The result of the game that was on when the match ended."""
    room: int | None = None
    """The room in which it is played; None if each player has a room of their own, or none."""
    pause_until_ms: int = 0
    """The beginning of the turn; a move that was read before does not belong to it."""
    owed: tuple[OwedAnswer, ...] = ()
    """One for each seat whose next question waits for the answer to its last one."""
    unanswering: tuple[int, ...] = ()
    """The seats that let such a wait pass, and are not waited for again until a move of theirs counts."""
    contest: GameSeries | None = None
    """Set where the match is of several games; `game`, `options` and `moves` are the current one's."""
    ready: tuple[int, ...] = ()
    """Before a game: the seats that have said that they are ready for it."""
    game_began_ms: int = 0
    moves_before_restart: int = 0
    """The number of the current game's moves that were made before the last restart of the server; 0 without one."""
    scheduled: Scheduled | None = None
    """Set where a tournament has it played."""
    banks: tuple[Bank | None, ...] = ()
    """Each seat's time for the whole match, None for the house's; empty where the terms have no bank."""
    seat_lots: tuple[int, ...] = ()
    """The lots by which the players got their seats; empty where these were given."""
    seats_by: SeatsBy = SeatsBy.UNKNOWN

    @property
    def is_ladder(self) -> bool:
        """True if the ladder of the match's game paired the players."""
        return self.seats_by is SeatsBy.LADDER

    def with_seat(self, seat: int, holder: SeatHolder) -> "Match":
        """The match's next value, with this holder in one of its seats."""
        return evolved(self, seats=(*self.seats[:seat], holder, *self.seats[seat + 1 :]))

    def held(self, now_ms: int) -> "Match":
        """The match with its clocks stopped at `now_ms`, if a player who has to act is away."""
        return self.stopped(now_ms) if self.waits_for_absent else self

    def stopped(self, now_ms: int) -> "Match":
        """The match with its clocks stopped at `now_ms`."""
        # After the turn's limit only the margin runs, which is on no clock.
        ends_ms = (self.deadline_of(seat) if bank is not None else None for seat, bank in enumerate(self.banks))
        banks = tuple(
            None if bank is None else bank.held(now_ms if end_ms is None else min(now_ms, end_ms))
            for bank, end_ms in zip(self.banks, ends_ms, strict=True)
        )
        return evolved(self, clock=self.clock.held(now_ms), banks=banks)

    def resumed(self, from_ms: int) -> "Match":
        """The match with the clocks of the players who are to act running from `from_ms` on, unless they stand."""
        if self.stands:
            return self
        return evolved(self, clock=self.clock.resumed(from_ms), banks=self.banks_of(self.turn, from_ms, stands=False))

    def room_of(self, player: str) -> int | None:
        """The number of the room in which a player plays this match, if any."""
        own = self.seats[self.seat_of(player)].room
        return self.room if own is None else own

    def seat_of(self, player: str) -> int:
        """The number of the seat that a player holds in a match; ValueError where there is none."""
        for seat, holder in enumerate(self.seats):
            if holder.player == player and holder.session != HOUSE_SESSION:
                return seat
        message = f"{player!r} has no seat in match {self.id}"
        raise ValueError(message)

    def is_first_since_restart(self, seat: int) -> bool:
        """True if a seat of the match has moved before the server's last restart, but not since."""
        before, since = self.moves[: self.moves_before_restart], self.moves[self.moves_before_restart :]
        return any(move.seat == seat for move in before) and all(move.seat != seat for move in since)

    @property
    def whole(self) -> "GameSeries | Match":
        """The game that a match was asked for, and its options: those of the series where there are several games."""
        return self.contest or self

    @property
    def games(self) -> "tuple[GamePlayed | Match, ...]":
        """All games of a match so far; the last is the current one."""
        return (self,) if self.contest is None else (*self.contest.played, self)

    @property
    def game_number(self) -> int:
        """The number of a match's current game, from 1."""
        return 1 if self.contest is None else len(self.contest.played) + 1

    @property
    def moves_made(self) -> int:
        """The number of moves in all games of a match so far."""
        return sum(len(game.moves) for game in self.games)

    @property
    def real_moves(self) -> int:
        """The number of moves in all games of a match so far, without the draws of chance."""
        return sum(move.seat is not None for game in self.games for move in game.moves)

    @property
    def awaited_seats(self) -> tuple[int, ...]:
        """The seats that a match waits for: they are to act, or have yet to say that the next game may begin."""
        if self.phase is not MatchPhase.READYING:
            return self.turn.seats
        return tuple(seat for seat, holder in enumerate(self.seats) if holder.says_ready and seat not in self.ready)

    @property
    def awaited_sessions(self) -> tuple[int, ...]:
        """The sessions of the players whom a match waits for, as far as they are here."""
        sessions = (self.seats[seat].session for seat in self.awaited_seats)
        return tuple(session for session in sessions if session is not None)

    @property
    def identities(self) -> tuple[str, ...]:
        """The ids of a match's players in their own protocols, by seat."""
        return tuple(holder.identity for holder in self.seats)

    @property
    def public_id(self) -> str:
        """The id by which both players of a pair of tickets call this match; empty if no one pair led to it."""
        called = {holder.claim.public_id: None for holder in self.seats if holder.claim is not None}
        return next(iter(called)) if len(called) == 1 else ""

    @property
    def players(self) -> tuple[str, ...]:
        """The names of a match's players, by seat."""
        # A list first: for two seats a generator is slower.
        return tuple([holder.player for holder in self.seats])

    @property
    def waits_for_absent(self) -> bool:
        """True if a player who has to act in a match is away: then its clock stands."""
        return any(not self.seats[seat].is_present for seat in self.awaited_seats)

    @property
    def withheld_seats(self) -> tuple[int, ...]:
        """The seats of a match that are to act but have not been asked yet, because they owe an earlier answer."""
        if not self.owed:
            return ()
        return tuple(seat for seat in self.turn.seats if any(owed.seat == seat for owed in self.owed))

    @property
    def stands(self) -> bool:
        """True if a match's clock stands, because a player who has to act is away or has not been asked yet."""
        return self.waits_for_absent or bool(self.withheld_seats)

    def clock_of(self, turn: Turn, from_ms: int) -> TurnClock:
        """The clock of a match's new turn. The house is never on a clock: the server itself makes its moves."""
        turn_time_ms = self.policies.clock.turn_time_ms
        if turn_time_ms is None:
            return NO_CLOCK
        # One pass over the seats, as every move that passes the turn asks this.
        has_player, stands = False, bool(self.owed) and any(owed.seat in turn.seats for owed in self.owed)
        for seat in turn.seats:
            session = self.seats[seat].session
            has_player |= session != HOUSE_SESSION
            stands |= session is None
        if not has_player:
            return NO_CLOCK
        return TurnClock(left_ms=turn_time_ms) if stands else TurnClock(from_ms + turn_time_ms, None, from_ms)

    def banks_of(self, turn: Turn, from_ms: int, *, stands: bool) -> tuple[Bank | None, ...]:
        """The banks in a turn: those of the seats that are to act run from `from_ms` on, unless the clocks stand."""
        if not self.banks or stands:
            return self.banks
        return tuple(
            bank if bank is None or seat not in turn.seats else bank.resumed(from_ms)
            for seat, bank in enumerate(self.banks)
        )

    def banks_after(self, turn: Turn, now_ms: int, *, is_over: bool) -> tuple[Bank | None, ...]:
        """The banks after a move at `now_ms` that led to this turn, or to the end of the game.

        Each seat that is done with the turn has paid for it.
        """
        terms = self.policies.clock
        # The increment comes with a turn that passes on.
        increment_ms = 0 if is_over else terms.increment_ms
        has_passed = is_over or turn.number != self.turn.number
        return tuple(
            bank.after_move(terms, now_ms, increment_ms)
            if bank is not None and seat in self.turn.seats and (has_passed or seat not in turn.seats)
            else bank
            for seat, bank in enumerate(self.banks)
        )

    def banks_charged(self, now_ms: int) -> tuple[Bank | None, ...]:
        """The banks once a game has ended at `now_ms`, in whose middle no time is left over for later."""
        return tuple(None if bank is None else bank.charged(self.policies.clock, now_ms) for bank in self.banks)

    def banks_ms(self, now_ms: int) -> tuple[int | None, ...]:
        """The time left of each seat's bank, as it stands at `now_ms`; empty where the terms have none."""
        return tuple(None if bank is None else bank.left_at(now_ms) for bank in self.banks)

    def ends_by_bank(self, seat: int) -> bool:
        """True if a seat's time ends with its bank, no later than with the turn."""
        bank = self.banks[seat] if self.banks else None
        return bank is not None and bank.end_ms is not None and bank.end_ms == self.deadline_of(seat)

    def deadline_of(self, seat: int) -> int | None:
        """The end of a seat's time, of the turn or of its bank, whichever comes first; None while none runs."""
        deadline_ms = self.clock.deadline_ms
        bank = self.banks[seat] if self.banks else None
        end_ms = None if bank is None else bank.end_ms
        if end_ms is None or deadline_ms is None:
            return deadline_ms if end_ms is None else end_ms
        return min(end_ms, deadline_ms)

    @property
    def ready_by_ms(self) -> int | None:
        """The time until which all players of a match have to be ready for its game; None while no clock runs."""
        return self.clock.deadline_ms if self.phase is MatchPhase.READYING else None

    @property
    def due_ms(self) -> int | None:
        """The time of a match's next thing by itself: a late turn, a question that waited, the end of an absence."""
        # Without a bank not by the property, as the alarm is told of this after every move.
        deadline_ms = self.deadline_ms if self.banks else self.clock.deadline_ms
        due_ms = None if deadline_ms is None else deadline_ms + self.policies.late_margin_ms
        if self.owed:
            waits = [owed.until_ms for owed in self.owed if owed.seat in self.turn.seats]
            due_ms = min((*waits, *(() if due_ms is None else (due_ms,))), default=None)
        for holder in self.seats:
            absence = holder.absence
            # Compared here and not by `min`, for the same reason.
            if absence is not None and (due_ms is None or absence.return_by_ms < due_ms):
                due_ms = absence.return_by_ms
        return due_ms

    @property
    def deadline_ms(self) -> int | None:
        """The time at which the first of the seats that are to act has none left; None while no clock runs."""
        deadline_ms = self.clock.deadline_ms
        for bank in self.banks:
            end_ms = None if bank is None else bank.end_ms
            if end_ms is not None and (deadline_ms is None or end_ms < deadline_ms):
                deadline_ms = end_ms
        return deadline_ms

    @property
    def late_ms(self) -> int | None:
        """The time from which the first move for a match's turn is late; None while no clock runs."""
        deadline_ms = self.deadline_ms
        return None if deadline_ms is None else deadline_ms + self.policies.late_margin_ms
