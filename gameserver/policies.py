"""Rules about which protocols and courses disagree, as data.

`Rules` are the server's settings as far as they decide anything; they are journaled at every start,
so that a replay decides as the server did. `Policies` belong to one match: how it was made fixes
them, and every seated player obeys, whatever protocol they came by.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from attrs import evolve, field, frozen, validators

from gameserver.time_control import NO_TIME_LIMIT, TimeControl

_DURATION = [validators.ge(0), validators.le(86_400_000)]


class LatePolicy(StrEnum):
    """The cost of a turn that ran out of time."""

    MATCH = "match"
    GAME = "game"
    RANDOM_MOVE = "random move"


class IllegalPolicy(StrEnum):
    """The cost of an illegal move."""

    MATCH = "match"
    REFUSAL = "refusal"


class DropPolicy(StrEnum):
    """The cost of a lost connection, once there is no time left to come back."""

    MATCH = "match"
    NOTHING = "nothing"


class ChatPolicy(StrEnum):
    """The times at which a chat line is delivered. Some old clients do not survive one during a match."""

    ALWAYS = "always"
    OUTSIDE_MATCHES = "outside-matches"
    NEVER = "never"


class ReasonPolicy(StrEnum):
    """The matches in which the loser is told why, by protocols that can say so."""

    HOUSE = "house"
    """In those against a house player."""
    ALWAYS = "always"
    NEVER = "never"


class SeatReturn(StrEnum):
    """The clients that may take an empty seat back by its name, where a protocol has no room for a token."""

    SAME_ADDRESS = "same-address"
    ANY_ADDRESS = "any-address"


@frozen(cache_hash=True)
class Rules:
    """The settings that decisions depend on, and numbers of that kind that no config file sets."""

    # 10 s in the text protocol, 15 s in 3D Connect Four, 60 s in GammonX: as their original servers had or documented.
    clock: TimeControl = field(default=TimeControl(10_000))
    # As much as CGOS, a server for Go programs, gives every move. It covers `STALL_MS`, by which the clock may run on
    # in a stall.
    late_margin_ms: int = field(default=250, validator=_DURATION)
    # The text protocol's servers: a lost connection is a lost match.
    drop_grace_ms: int = field(default=0, validator=_DURATION)
    restart_grace_ms: int = field(default=60_000, validator=_DURATION)
    """The time that a seat is kept for its player after a restart, or after a bug in a protocol ended the connection.

    After that the match is void, never lost.
    """
    # By judgement, for a real client that registers its listener for moves a moment after MATCH.
    first_move_pause_ms: int = field(default=100, validator=_DURATION)
    house_accept_ms: int = field(default=0, validator=_DURATION)
    """The time from a challenge to the house until its match begins; practice begins at once."""
    name_length_max: int = field(default=64, validator=[validators.ge(1), validators.le(1000)])
    messages: ChatPolicy = ChatPolicy.ALWAYS
    seat_return: SeatReturn = SeatReturn.SAME_ADDRESS
    # The document of 3D Connect Four says "room number": [0-99], and "after 3 minutes without starting" a player goes.
    room_count: int = field(default=100, validator=[validators.ge(1), validators.le(10_000)])
    room_game: str = "Connect-four-3D"
    """The game that is played in the rooms. Where there is no such game, nobody can sit down."""
    room_clock: TimeControl = field(default=TimeControl(15_000))
    room_start_time_ms: int = field(default=180_000, validator=[validators.ge(1), *_DURATION])
    """The time that two players in a room have to start, and to start again."""
    # The original Connect Four server has 1,000.
    room_move_pause_ms: int = field(default=0, validator=_DURATION)
    ticket_clock: TimeControl = field(default=TimeControl(60_000))
    # As GammonX: a budget of 30 s for each player.
    ticket_drop_grace_ms: int = field(default=30_000, validator=_DURATION)
    ticket_wait_time_ms: int = field(default=300_000, validator=[validators.ge(1), *_DURATION])
    """The time that a ticket waits for a player who is not there."""
    # As long as a turn. GammonX's own server starts its timer of a turn at the join, too.
    ticket_arrival_time_ms: int = field(default=60_000, validator=[validators.ge(1), *_DURATION])
    """The same, once an opponent has been found."""
    tickets_per_address_max: int = field(default=500, validator=validators.ge(1))  # as many as connections
    """The most tickets that may wait so at once for players from one address."""
    reasons: ReasonPolicy = ReasonPolicy.ALWAYS
    rated: bool = True
    """True if matches count for ratings that nobody asked to be rated: those by queue, challenge or room."""
    # Measured: the slowest of the real clients of 3D Connect Four took 24.6 s for a move, where a turn has 15 s.
    late_answer_ms: int = field(default=10_000, validator=_DURATION)
    """The time that a late answer is waited for; see `Policies`."""
    key_grace_ms: int = field(default=60_000, validator=_DURATION)
    """The least grace for drops of a seat whose player has a key (`Enter.key`), whatever the match's own terms are.

    A browser's page is reloaded, and a phone loses its network."""

    @property
    def has_own_clock(self) -> bool:
        """True if a setting changes a clock from the default of the rules."""
        own = (self.clock, self.room_clock, self.ticket_clock)
        return own != (_DEFAULTS.clock, _DEFAULTS.room_clock, _DEFAULTS.ticket_clock)


_DEFAULTS = Rules()


# By judgement; an hour is for a person at telnet.
TURN_TIME_MIN_MS = 1_000
TURN_TIME_MAX_MS = 3_600_000
"""The limits of what a challenge may name: 1 to 3600 seconds a turn."""


@frozen(slots=False)
class Policies:
    """The terms of one match."""

    clock: TimeControl
    late: LatePolicy
    illegal: IllegalPolicy
    drop_grace_ms: int
    late_margin_ms: int
    first_move_pause_ms: int
    move_pause_ms: int = 0
    """Between a move and the next turn; on nobody's clock."""
    late_answer_ms: int = 0
    """The time that the player's next question waits for the late answer, counted from the move; see `late_answers`."""
    dropped: DropPolicy = DropPolicy.MATCH
    rated: bool = False
    """True if the result counts for the players' ratings."""


def overtaking(policies: Policies, rules: Rules) -> Policies:
    """Makes of a match's policies those in which the server makes a random move for players who are late."""
    return evolve(policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=rules.late_answer_ms)


@lru_cache(maxsize=8)
def queue_policies(rules: Rules, clock: TimeControl | None = None) -> Policies:
    """The policies of a match out of the text protocol's queue, or of a challenge.

    `clock` is what the challenge named, None for the server's own. Matches on the same terms share them.
    """
    return Policies(
        clock=rules.clock if clock is None else clock,
        late=LatePolicy.MATCH,
        # All servers of the text protocol: an illegal move loses the match.
        illegal=IllegalPolicy.MATCH,
        drop_grace_ms=rules.drop_grace_ms,
        late_margin_ms=rules.late_margin_ms,
        first_move_pause_ms=rules.first_move_pause_ms,
        rated=rules.rated,
    )


def house_policies(rules: Rules, clock: TimeControl | None) -> Policies:
    """Derives from `Rules` the `Policies` of a challenge to the house, which has no bank unless one was asked for."""
    return queue_policies(rules, rules.clock.without_bank() if clock is None else clock)


def seek_policies(rules: Rules, wishes: Sequence[int | None]) -> Policies:
    """Derives from `Rules` the `Policies` of a match with any opponent: the longest time that a player wished.

    None is the server's own time. It counts as such beside a wish: a program that asked for none gets no less.
    """
    if not any(wishes):
        return queue_policies(rules)
    own_ms = rules.clock.without_bank().turn_time_ms or 0
    return queue_policies(rules, evolve(rules.clock, turn_time_ms=max(wish or own_ms for wish in wishes)))


def room_policies(rules: Rules, *, first_move_pause: bool) -> Policies:
    """Derives from `Rules` the `Policies` of a match in a room; with `first_move_pause` if a player needs it."""
    policies = Policies(
        clock=rules.room_clock,
        late=LatePolicy.RANDOM_MOVE,
        # SimpleClient 0.4 does not record its own moves, plays into full columns now and then, and needs to be asked
        # again.
        illegal=IllegalPolicy.REFUSAL,
        drop_grace_ms=rules.drop_grace_ms,
        late_margin_ms=rules.late_margin_ms,
        first_move_pause_ms=rules.first_move_pause_ms if first_move_pause else 0,
        move_pause_ms=rules.room_move_pause_ms,
        rated=rules.rated,
    )
    return overtaking(policies, rules)


def practice_policies(rules: Rules) -> Policies:
    """The policies of a practice match against the house: nobody is on a clock."""
    return Policies(
        clock=NO_TIME_LIMIT,
        late=LatePolicy.MATCH,
        illegal=IllegalPolicy.REFUSAL,
        # No opponent waits, and a practice match that is left has no loser.
        drop_grace_ms=0,
        late_margin_ms=rules.late_margin_ms,
        first_move_pause_ms=0,
        dropped=DropPolicy.NOTHING,
    )


def ticket_policies(rules: Rules, *, first_move_pause: bool, rated: bool) -> Policies:
    """Derives from `Rules` the `Policies` of a match of tickets; with `first_move_pause` if a player needs it.

    It is rated if its players asked for that, and only then.
    """
    return Policies(
        clock=rules.ticket_clock,
        late=LatePolicy.GAME,
        illegal=IllegalPolicy.REFUSAL,
        drop_grace_ms=rules.ticket_drop_grace_ms,
        late_margin_ms=rules.late_margin_ms,
        first_move_pause_ms=rules.first_move_pause_ms if first_move_pause else 0,
        rated=rated,
    )
