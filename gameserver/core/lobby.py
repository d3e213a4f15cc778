"""The lobby as a value: tables of frozen rows, which nobody changes but `apply`, with the changes of a decision.

Tables are dicts and keep the order in which rows came; nothing iterates a set, so the same commands give the same lobby
in any process. `core.draft` has the lobby while one command is decided.

A room is the players who have a place in it, and what it waits for; rooms are numbered from 0, as in the 3D Connect
Four document. A ticket is a search whose player need not be connected; an id that a player gives leads to the ticket,
or to the seat that it became (`ticket_named`, `seat_named`).

A tournament's row has its own state, what the lobby knows beside it, and the players it reserves. While it runs, its
players meet only the opponents that it pairs them with: no queue, room or ticket leads them into another match. A
search in a queue waits, as during a match; being ready in a room or waiting with a ticket means being ready for the
tournament. A challenge that two players agree on goes on, unless the tournament's plan says otherwise. In a pause
players are reserved as before: otherwise the program of a player who waits would begin a match with the next one who
waits, and be missing when the tournament goes on. Challenges are always allowed then, because nobody challenges by
accident.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

import attrs
from attrs import Factory, define, evolve, field

from gameserver.chance import Contributions, commitment
from gameserver.core.commands import (
    Against,
    Book,
    Capability,
    ChallengeTimeUp,
    EntryMode,
    HousePlayer,
    RoomTimeUp,
    TicketTimeUp,
    TimeUp,
    TournamentTimeUp,
)
from gameserver.core.events import Code, PlayerShown, PlayersListed, Rejected
from gameserver.core.match import Claim, Match
from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.time_control import TimeControl
from gameserver.tournaments.model import CLOSED, Timing, Tournament, TournamentPhase
from gameserver.values import value


@value
class At:
    """The time of a decision, and the time at which the bytes of its command were read.

    A command is judged (in time or late) by `stamp_ms`; what it starts begins at `now_ms`. Both are
    on the server's axis. `wall_ms` is the time of day, in milliseconds since 1970: it goes into
    records and decides nothing.
    """

    now_ms: int
    stamp_ms: int
    wall_ms: int = 0


@value(slots=False)
class Player:
    """A player who is in the lobby now."""

    name: str
    session: int
    protocol: str
    address: str
    capabilities: tuple[Capability, ...]
    match: int | None = None
    seek: str | None = None
    """The game looked for. During a match it waits; in the queue of that game otherwise."""
    seek_turn_time_ms: int | None = None
    """The time for a turn that the player would like at the game looked for; None for the server's own."""
    challenge: int | None = None
    """The number of the challenge this player has made."""
    room: int | None = None
    """The number of the room in which this player has a place."""
    is_proven: bool = False
    """True if a secret has shown who it is."""
    identity: str = ""
    """The identity that the player has come in with by a ticket; empty for one who logged in by the name."""
    key: str = field(default="", repr=False)
    """As in `Enter`."""
    contribution: str = field(default="", repr=False)
    """The bytes in hex that the player adds to the chance of the next match; empty without any."""
    late_answer_until_ms: int = 0
    """The latest time until which a question waits for an answer that is owed to an ended match. If it has passed, the
    player is not waited for until a move of theirs counts. 0: none is owed."""

    @property
    def sees_bank(self) -> bool:
        """True if a player of the lobby has a client that tells a bank; others tell nothing but a limit of the turn."""
        return Capability.BANK in self.capabilities

    @property
    def sits(self) -> bool:
        """True if a player of the lobby sat down in a room by themselves, and so looks for an opponent only there."""
        return self.room is not None and Capability.ROOMS in self.capabilities

    @property
    def is_listed(self) -> bool:
        """True if a player of the lobby can be challenged by others, if only in a room."""
        return Capability.CHALLENGE in self.capabilities or self.room is not None


@value
class OpenChallenge:
    """One player's request to another."""

    number: int
    challenger: str
    to: str
    game: str
    clock: TimeControl | None
    due_ms: int | None = None
    """The time at which the house accepts it; None for a challenge to a player."""
    seat: int | None = None
    """The seat that the challenger wants; None leaves it to the lot."""

    @property
    def names(self) -> tuple[str, str]:
        """The two players of an open challenge, in the order of their seats if one was chosen."""
        return (self.to, self.challenger) if self.seat == 1 else (self.challenger, self.to)


class RoomPhase(StrEnum):
    """The phases of a room, by what the room waits for."""

    GATHERING = "gathering"
    READYING = "readying"
    PLAYING = "playing"
    BETWEEN = "between games"
    KEPT = "kept for a tournament"


class RoomGuest(StrEnum):
    """The reason why a player is in a room whose protocol knows no rooms."""

    SEEKING = "seeking"
    CHALLENGING = "challenging"


@value
class RoomPlace:
    """A place in a room and its player. A guest is always ready, and hears nothing before the match begins."""

    player: str
    address: str
    guest: RoomGuest | None = None
    is_ready: bool = False


@value
class Room:
    """A room in which a player has a place, or had one a moment ago. The host's place is the first."""

    number: int
    phase: RoomPhase = RoomPhase.GATHERING
    places: tuple[RoomPlace, ...] = ()
    match: int | None = None
    matches_played: int = 0
    last_guests: tuple[str, ...] = ()
    """The guests of the last match: they count as being there if they look for this game again."""
    start_by_ms: int | None = None
    """The time by which the players here have to start, or start again."""
    return_by_ms: int | None = None
    """The time by which the players who were here before a restart have to be back."""

    @property
    def due_ms(self) -> int | None:
        """The time of the next thing that happens in a room by itself: a start, or the return after a restart."""
        return min((due for due in (self.start_by_ms, self.return_by_ms) if due is not None), default=None)

    def with_place(self, place: RoomPlace) -> "Room":
        """The room's row with this place instead of the same player's old one."""
        return evolve(self, places=tuple(place if other.player == place.player else other for other in self.places))

    def place_of(self, player: str) -> RoomPlace | None:
        """The place of a player in a room's row, if there is one."""
        return next((place for place in self.places if place.player == player), None)


_RATED_WINDOWS = ((5_000, 50), (15_000, 100), (30_000, 200), (120_000, 400), (240_000, 800))
"""The most that ratings may differ after less than so many milliseconds of waiting; then there is no limit.

The steps up to 400 are GammonX's. There the search ends at them: a player far better or worse than
everybody else would wait for ever. So it is held to them for two minutes, and goes on after.
"""

_ANSWER_LOST_MS = 5_000
"""A client comes with its ticket at once. One that has not come for this long and asks again was not answered."""


@value
class Ticket:
    """One player's search, as a row of the lobby. `partner` is the ticket of the opponent that was found."""

    claim: Claim
    opened_ms: int = 0
    address: str = ""
    """The address from which it was last used; empty before its player arrives."""
    session: int | None = None
    """The session in which its player waits; None before they arrive, and while they are away."""
    arrived_ms: int = 0
    partner: str | None = None
    due_ms: int | None = None
    """The time at which it has to be looked at: it lapses, or a rated search widens."""
    lapses_ms: int | None = None
    """The time at which it lapses; None while its player waits, who may wait for ever."""

    @property
    def booked(self) -> Book:
        """The command that a ticket was booked by, with its game and player by the lobby's names for them."""
        return self.claim.booked

    @property
    def id(self) -> str:
        """The id of a ticket's row."""
        return self.claim.booked.ticket

    @property
    def player(self) -> str:
        """The name under which a ticket's player will sit."""
        return self.claim.booked.player

    def wants(self, other: "Ticket", now_ms: int) -> bool:
        """True if the searches of two tickets fit: game, options, opponent, and by now their ratings."""
        own, others = self.booked, other.booked
        if (own.game, own.against, dict(own.options)) != (others.game, others.against, dict(others.options)):
            return False
        if own.against is Against.HOUSE:
            return False
        if own.against is Against.ANYBODY:
            return True
        return self.reaches(others.rating, now_ms) and other.reaches(own.rating, now_ms)

    def is_asked_again(self, command: Book, now_ms: int) -> bool:
        """True if a ticket was booked by just such a command whose answer seems to have been lost.

        Nobody has come with it, though there was time. A client that asks sooner has it, and is told that it is open.
        """
        is_same = _wish_of(self.booked) == _wish_of(command)
        is_unused = self.session is None and self.arrived_ms == 0
        return is_same and is_unused and now_ms - self.opened_ms >= _ANSWER_LOST_MS

    def reaches(self, rating: int, now_ms: int) -> bool:
        """True if a rated ticket has waited long enough for an opponent of this rating."""
        waited_ms = now_ms - self.opened_ms
        window = next((window for until_ms, window in _RATED_WINDOWS if waited_ms < until_ms), None)
        return window is None or abs(self.booked.rating - rating) <= window

    def widens_ms(self, now_ms: int) -> int | None:
        """The time at which a rated ticket's window of ratings grows next; None if it does not."""
        if self.booked.against is not Against.RATED:
            return None
        # The alarm rings when the window grows, or a ticket would wait for one that comes after it.
        steps = (self.opened_ms + until_ms for until_ms, _ in _RATED_WINDOWS)
        return next((step for step in steps if step > now_ms), None)

    def searching(self, now_ms: int, lapses_ms: int | None) -> "Ticket":
        """The ticket's row without an opponent: when it lapses, and when it is to be looked at."""
        widens_ms = self.widens_ms(now_ms)
        due_ms = min((each for each in (lapses_ms, widens_ms) if each is not None), default=None)
        claim = self.claim.shared() if self.claim.by_stranger else evolve(self.claim, pair_id="")
        return evolve(self, partner=None, due_ms=due_ms, lapses_ms=lapses_ms, claim=claim)


def _wish_of(booked: Book) -> tuple[object, ...]:
    """The address and the wishes of a booking: equal for one that a client sends again."""
    options, seat_options = dict(booked.options), dict(booked.seat_options)
    return booked.address, booked.game, booked.against, booked.open_to_queue, options, seat_options


_RESERVING = (TournamentPhase.RUNNING, TournamentPhase.PAUSED)
"""Phases in which its players are reserved for it: in a pause too, or other matches would have them after it."""


@value
class TournamentRow:
    """One tournament in the lobby: its state, and the times that the lobby keeps.

    They are on the server's axis, but for those of the day.
    """

    number: int
    state: Tournament
    entry: EntryMode = EntryMode.LOGGED_IN
    created_wall_ms: int = 0
    started_wall_ms: int | None = None
    ended_wall_ms: int | None = None
    waits: Mapping[int, int] = Factory(dict)
    """Until when each announced pairing waits for its players."""
    rests: Mapping[str, int] = Factory(dict)
    """Until when each player has a pause between two matches."""
    running_since_ms: int | None = None
    ran_ms: int = 0
    """The time that it has run, without the stretch since `running_since_ms`: for telling when it will end."""
    faults: Mapping[str, tuple[int, ...]] = Factory(dict)
    """The matches in which a bug of ours ended a player's connection, by player."""
    took_ms: Mapping[int, int] = Factory(dict)
    """The length of each pairing's match that gave a result: for telling when it will end."""
    contributions: Mapping[str, Contributions] = Factory(dict)
    """For each pair of games with equal chance, by its label, the bytes that players had added to the first one's."""
    is_seed_told: bool = False
    """True once it was over and its seed told: from then on its matches draw from the epoch of the server."""

    @property
    def name(self) -> str:
        """The name of a tournament's row, from its plan."""
        return self.state.plan.name

    @property
    def is_over(self) -> bool:
        """True if nothing of a tournament's row will be played, unless a teacher has something played again."""
        return self.state.phase in CLOSED

    @property
    def due_ms(self) -> int | None:
        """The time of a tournament's next thing by itself: a no-show, the end of a rest, the end of an arena."""
        # In a pause nothing is due: no-shows and rests begin anew when it goes on.
        if self.state.phase is not TournamentPhase.RUNNING:
            return None
        ends = () if self.state.ends_ms is None else (self.state.ends_ms,)
        return min((*self.waits.values(), *self.rests.values(), *ends), default=None)

    def is_event_at(self, game: str) -> bool:
        """True if a tournament's row is an event that is on at this game: the game's ladder waits for it."""
        plan = self.state.plan
        return plan.event and plan.game == game and self.state.phase in _RESERVING

    def keeps(self, name: str) -> bool:
        """True if this player, who is in and not out, is reserved for the tournament's matches now."""
        if self.state.phase not in _RESERVING:
            return False
        entrant = self.state.entrant(name)
        # House players play many matches at once, so none is ever kept.
        return entrant is not None and not entrant.is_out and not entrant.house and self.state.is_in_stage(name)

    def has_run_ms(self, now_ms: int) -> int:
        """The time that a tournament's row has been running in all, without its pauses."""
        return self.ran_ms + (0 if self.running_since_ms is None else now_ms - self.running_since_ms)

    def timing(self, now_ms: int) -> Timing:
        """The times for telling when a tournament will end, as far as its own row knows them."""
        return Timing(self.has_run_ms(now_ms), now_ms, self.took_ms)

    def with_state(self, state: Tournament, now_ms: int, wall_ms: int) -> "TournamentRow":
        """The tournament's row after an act; keeps the times at which it ran."""
        was, now = self.state.phase, state.phase
        row = attrs.evolve(self, state=state)
        if was is now:
            return row
        if now is TournamentPhase.RUNNING:
            started = wall_ms if self.started_wall_ms is None else self.started_wall_ms
            return attrs.evolve(row, running_since_ms=now_ms, started_wall_ms=started, ended_wall_ms=None)
        if was is TournamentPhase.RUNNING:
            # A pause ends every wait; what is announced waits anew when the tournament goes on.
            row = attrs.evolve(row, running_since_ms=None, ran_ms=self.has_run_ms(now_ms), waits={}, rests={})
        return attrs.evolve(row, ended_wall_ms=wall_ms if row.is_over else None)


@value
class LadderRow:
    """The ladder of a game, which is open. It reserves nobody; its director pairs the players who wait."""

    game: str
    since_wall_ms: int
    night: str = ""
    """The last day at whose beginning its ranking went on record, in UTC; empty before the first."""


@value
class Epoch:
    """A stretch of matches outside of tournaments, by their numbers, whose chance follows from one seed."""

    number: int
    seed: str = field(repr=False)
    first_match: int
    begun_wall_ms: int
    last_match: int | None = None
    """None while it lasts; lower than the first of an epoch without a match."""

    @property
    def commitment(self) -> str:
        """The SHA-256 of an epoch's seed, which is told from its beginning."""
        return commitment(self.seed)


@value(slots=False)
class ServerState:
    """The state of the server as a whole. It has no journal row of its own before the first start."""

    boot: int = 0
    epochs: tuple[Epoch, ...] = ()
    """The current one, and before it those from whose seeds live matches still draw."""
    told_epoch: Epoch | None = None
    """The last one whose seed was told."""
    rules: Rules = Factory(Rules)
    house: tuple[HousePlayer, ...] = ()
    games: Mapping[str, int] = Factory(dict)
    """The versions of the games at the last start: what is replayed was decided by them."""
    next_match: int = 1
    next_challenge: int = 0
    next_tournament: int = 1
    stop_by_ms: int | None = None
    """The latest time at which the server stops; None unless it is about to."""

    @property
    def drains(self) -> bool:
        """True if the server drains: no new match begins in the lobby."""
        return self.stop_by_ms is not None


Change = tuple[str, Any, Any]
"""Table, key, new row; None deletes the row."""

Timed = tuple[str, int | str]
"""A row with something due at a time, or that may have: its table, and its key."""

# The tables whose rows have a `due_ms`, which the alarm watches.
TIMED_TABLES = frozenset({"matches", "rooms", "tickets", "tournaments", "challenges"})

_TimedCommand = TimeUp | RoomTimeUp | TicketTimeUp | TournamentTimeUp | ChallengeTimeUp

_TimedRow = Match | Room | Ticket | TournamentRow | OpenChallenge


@define
class _PlayerList:
    """The list of players that was asked for last. It is long, and waiting clients ask again and again."""

    here: Sequence[Player] = ()
    house: Sequence[HousePlayer] = ()
    event: PlayersListed = field(factory=lambda: PlayersListed(()))

    def of(self, here: Sequence[Player], house: Sequence[HousePlayer]) -> PlayersListed:
        """The same list again for the same players. To compare takes little: most rows are the same objects."""
        if here != self.here or house != self.house:
            people = [PlayerShown(player.name, player.protocol, match=player.match) for player in here]
            computed = [PlayerShown(player.name, "house", house=True, games=player.games) for player in house]
            listed = [shown for shown, player in zip(computed, house, strict=True) if player.is_listed]
            unlisted = [shown for shown, player in zip(computed, house, strict=True) if not player.is_listed]
            self.here, self.house = here, house
            self.event = PlayersListed((*people, *listed), tuple(unlisted))
        return self.event


@define
class Lobby:
    """Everybody and everything that is live, as tables of rows. Finished matches are in the records, not here."""

    games: Mapping[str, Game[Any]]
    """By name in lower case. Not part of the value: the plug-ins found at this start."""
    server: dict[str, ServerState] = field(factory=lambda: {"": ServerState()})
    players: dict[str, Player] = field(factory=dict)
    sessions: dict[int, str] = field(factory=dict)
    queues: dict[str, tuple[str, ...]] = field(factory=dict)
    """For each game, the players who wait for an opponent and are free to play, first come first served."""
    challenges: dict[int, OpenChallenge] = field(factory=dict)
    matches: dict[int, Match] = field(factory=dict)
    seated: dict[str, int] = field(factory=dict)
    """The match in which a player holds a seat, whether they are here or away."""
    rooms: dict[int, Room] = field(factory=dict)
    tickets: dict[str, Ticket] = field(factory=dict)
    tournaments: dict[int, TournamentRow] = field(factory=dict)
    ladders: dict[str, LadderRow] = field(factory=dict)
    """The open ladders, by the names of their games."""
    identities: dict[str, str] = field(factory=dict)
    """The identities that the server has made a name of, by that name, because results are kept by name. The oldest are
    forgotten."""
    player_list: _PlayerList = field(factory=_PlayerList, init=False, eq=False, repr=False)
    """A cache that is derived from the value and is no part of it."""

    def due_ms(self, timed: Timed) -> int | None:
        """The time of the next thing that happens at a row of the lobby by itself; None if nothing does."""
        table, key = timed
        row: _TimedRow | None = getattr(self, table).get(key)
        return None if row is None else row.due_ms

    def awaited(self, timed: Timed) -> tuple[int, ...]:
        """The sessions of the players whom a row's next thing is about, such as the ones who are to act in a match."""
        table, key = timed
        row: _TimedRow | None = getattr(self, table).get(key)
        found: tuple[int | None, ...] = ()
        if isinstance(row, Match):
            found = row.awaited_sessions
        elif isinstance(row, Room):
            players = (self.players.get(place.player) for place in row.places)
            found = tuple(player.session for player in players if player is not None and player.room == row.number)
        elif isinstance(row, Ticket):
            found = (row.session,)
        return tuple(session for session in found if session is not None)

    def player_with(self, ticket: str, identity: str) -> str:
        """The name of the player who means a ticket, or the seat that it led to, by this id; empty if nobody does."""
        waiting = ticket_named(self, ticket, identity)
        if waiting is not None:
            return waiting.player
        found = seat_named(self, ticket, identity)
        return "" if found is None else found[0].seats[found[1]].player

    def apply(self, changes: tuple[Change, ...]) -> None:
        """Writes the changes of one decision into the lobby's tables."""
        for table, key, row in changes:
            rows = getattr(self, table)
            if row is None:
                # It may not be there: one decision can write a row and delete it again.
                rows.pop(key, None)
            else:
                rows[key] = row


_TIME_UP: Mapping[str, Any] = {
    "rooms": RoomTimeUp,
    "tickets": TicketTimeUp,
    "tournaments": TournamentTimeUp,
    "challenges": ChallengeTimeUp,
}


def time_up_of(timed: Timed, quiet: tuple[int, ...] | None = None) -> _TimedCommand:
    """The command that follows when the time of a row in the lobby's tables is up; `quiet` as in `TimeUp`."""
    table, key = timed
    if table == "matches" and isinstance(key, int):
        return TimeUp(key, quiet=quiet)
    command: _TimedCommand = _TIME_UP[table](key)
    return command


class Rows(Protocol):
    """The lobby, or a draft of it, as far as questions about several rows read it."""

    @property
    def tickets(self) -> Any:
        """The tickets of a lobby or draft, by id."""

    @property
    def matches(self) -> Any:
        """The live matches of a lobby or draft, by number."""

    @property
    def tournaments(self) -> Any:
        """The tournaments of a lobby or draft, by number."""


def ticket_named(rows: Rows, asked: str, identity: str) -> Ticket | None:
    """Finds in the lobby's tables the ticket that a player means by an id; None if they have none by it."""
    tickets: Mapping[str, Ticket] = rows.tickets
    own = tickets.get(asked)
    # An id alone names nobody: both players of a pair know the public one.
    if own is not None and own.booked.identity == identity:
        return own
    mine = (ticket for ticket in tickets.values() if ticket.booked.identity == identity)
    return next((ticket for ticket in mine if asked in ticket.claim.aliases), None)


def seat_named(rows: Rows, asked: str, identity: str) -> tuple[Match, int] | None:
    """Finds among the lobby's tables the live match and the seat that a player means by the id of a ticket."""
    matches: Mapping[int, Match] = rows.matches
    for match in matches.values():
        for seat, holder in enumerate(match.seats):
            claim = holder.claim
            if claim is None or claim.booked.identity != identity:
                continue
            if asked == claim.booked.ticket or asked in claim.aliases:
                return match, seat
    return None


def ticket_of(rows: Rows, identity: str) -> Ticket | None:
    """Finds in the lobby's tables the ticket of a player with this identity, whatever its id."""
    tickets: Mapping[str, Ticket] = rows.tickets
    return next((ticket for ticket in tickets.values() if ticket.booked.identity == identity), None)


def seat_of(rows: Rows, identity: str) -> tuple[Match, int] | None:
    """Finds among the lobby's tables the live match and seat to which a ticket of this identity led."""
    matches: Mapping[int, Match] = rows.matches
    places = ((match, seat) for match in matches.values() for seat in range(len(match.seats)))
    claims = ((match, seat, match.seats[seat].claim) for match, seat in places)
    mine = ((match, seat) for match, seat, claim in claims if claim is not None and claim.booked.identity == identity)
    return next(mine, None)


def _is_known(rows: Rows, asked: str) -> bool:
    return rows.tickets.get(asked) is not None or any(
        asked in holder.match_ids for match in rows.matches.values() for holder in match.seats
    )


def unknown(rows: Rows, asked: str) -> Rejected:
    """Refuses a ticket's id under which the lobby's tables hold nothing for the player who gave it."""
    return Rejected(Code.NOT_YOUR_TICKET if _is_known(rows, asked) else Code.NO_SUCH_TICKET, {"ticket": asked})


def is_reserved(rows: Rows, name: str, game: str | None = None) -> bool:
    """True if a tournament among the lobby's tables (of this game) keeps the player for its own matches now."""
    # Most lobbies have none, and every search asks.
    tournaments: Mapping[int, TournamentRow] = rows.tournaments
    if not tournaments:
        return False
    return any(row.keeps(name) and game in {None, row.state.plan.game} for row in tournaments.values())


def may_challenge(rows: Rows, name: str) -> bool:
    """True if no tournament in the lobby's tables keeps a player from playing others meanwhile."""
    tournaments: Mapping[int, TournamentRow] = rows.tournaments
    return not any(
        row.state.phase is TournamentPhase.RUNNING and not row.state.plan.challenges and row.keeps(name)
        for row in tournaments.values()
    )


def reserved_names(row: TournamentRow) -> dict[str, None]:
    """The players whom a row of the lobby's table of tournaments reserves, in the order of its entrants."""
    if row.state.phase not in _RESERVING:
        return {}
    # A dict, because a set has no order that every process shares.
    return {
        entrant.name: None
        for entrant in row.state.entrants
        if not entrant.is_out and not entrant.house and row.state.is_in_stage(entrant.name)
    }
