"""Requests to the lobby: commands, which may change it, and queries, which cannot; and what a protocol can do.

A command is a value. It names the session it comes from, never a connection, and carries everything that its decision
depends on; the time at which it arrived travels beside it (`core.lobby.At`). Accepted commands are what the journal
keeps, so a field once written stays readable: a new one gets a default, a changed meaning a version in `journal.codec`.

`Void`, `Kick`, `Drain` and all acts upon tournaments come through the admin listener; no game port takes any of them.
Each carries the person who asked (`by`) and the reason, and both are journaled with it. Work that needs a library or
time (the pairings of a round) is done outside and comes in as an act, like a teacher's.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import Factory, field, validators

from gameserver.core.identity import Proof
from gameserver.policies import Rules
from gameserver.time_control import TimeControl
from gameserver.tournaments.model import SERVER, Act, RegisterEntrant, Tournament
from gameserver.tournaments.plan import Plan
from gameserver.values import value

HOUSE_SESSION = 0
"""The session of the house players and of the server's own commands; connections count from 1."""


class Capability(StrEnum):
    """One ability of a protocol, named by `Enter` and `Arrive`; one without any still plays whatever it is seated in.

    The values are journaled: one may be added, never renamed.
    """

    CHALLENGE = "challenge"
    """Its player can be seated in a match at any time: a challenge, which comes as `ChallengeOpened`, or a tournament.

    Without it others neither see the player in their lists nor challenge them, and a tournament seats them
    only in a room (`ROOMS`) or with a ticket.
    """
    CHAT = "chat"
    """It shows `Said`. Without it, messages to the player are refused."""
    ROOMS = "rooms"
    """It has rooms: `RoomsListed` comes after entering, and `Sit`, `Ready` and `Depart` are for it.

    Such a player takes an empty seat back by `Sit` and `Ready` in its room. Without it, entering gives the seat back.
    """
    READY = "ready"
    """It says `Ready` before each game. Without it, the player counts as ready at once and first hears of a match
    when its game begins."""
    BANK = "bank"
    """It shows `banks_ms`. Without it, it tells a limit for the turn alone, which a match with a bank needs then."""


_are_capabilities = validators.deep_iterable(validators.instance_of(Capability))
"""Refuses anything else before it is journaled: a row with an unknown word could not be read again."""


@value
class Enter:
    """Command by which a player comes in under a name; where that name holds an empty seat, it takes the seat back.

    `address` is the peer's host without its port.

    An `anonymous` player has no name of its own: `name` is the protocol's reserved prefix, such as
    `mm-`, which the core completes. Nobody can come back under such a name.

    `secret` proves who it is where names are bound to secrets; None where the protocol has no field
    for it, and it may stand behind the name, after a blank. The runtime puts the `proof` in its
    place: no secret comes into the lobby.

    `fault` and `resembles` are the server's judgement of a name outside ASCII: why its characters
    are refused, and which other name it looks like. They are worked out before the decision, by
    tables that change with Unicode; a player with either is refused, so no journal row holds one.
    """

    session: int
    name: str
    protocol: str
    address: str
    capabilities: tuple[Capability, ...] = field(default=(), validator=_are_capabilities)
    anonymous: bool = False
    secret: str | None = field(default=None, repr=False)
    proof: Proof = Proof.OPEN
    fault: str = ""
    resembles: str = ""
    key: str = field(default="", repr=False)
    """The SHA-256, in hex, of a key that the client keeps: it takes this name and its seat back, from anywhere. Empty
    where the protocol has none. The key itself comes neither into the lobby nor into the journal."""


@value
class Leave:
    """Command that ends a session: logout, end of the connection, or the server's own decision to close it."""

    session: int
    why: str = ""
    """The reason for the connection's end, for the record of a match that it costs."""
    unheard: bool = False
    """True if the session ended before it could be told that it had begun: then its player has not come back."""
    fault: str = ""
    """The module whose bug ended the connection, ours or a third party's; empty where no bug did."""


@value
class Say:
    """Command to pass a chat line to one player."""

    session: int
    to: str
    text: str


@value
class Seek:
    """Command to look for any opponent at a game, named in any case.

    It replaces an earlier seek; a match lets it wait.
    """

    session: int
    game: str
    turn_time_ms: int | None = None
    """The time for a turn that the player would like. Of two who differ, the match has the longer one."""


@value
class Withdraw:
    """Command to take the seek back, or with `challenge` the challenge that one has made; accepted without one."""

    session: int
    challenge: bool = False


@value
class Challenge:
    """Command to ask one player for a match, at a game named in any case.

    It replaces the challenger's earlier challenge.

    `options` are the arguments of the game's `options_type`; the house alone can be asked for other than the usual
    ones. So it is with `practice`: a match without a clock, in which an illegal move costs nothing and which can be
    abandoned, by leaving or by asking for the next one. `seat` is the challenger's own, at a game that has `roles`.
    """

    session: int
    to: str
    game: str
    clock: TimeControl | None = None
    options: Mapping[str, Any] | None = None
    practice: bool = False
    seat: int | None = None


@value
class Accept:
    """Command to take a challenge up. Without a number: the only one that is open to this player."""

    session: int
    challenge: int | None = None


@value
class ChallengeTimeUp:
    """Command of the alarm: a house player has had time enough to accept this challenge. Late is ignored."""

    challenge: int


@value
class Sit:
    """Command to take a place in a room.

    The first to sit is its host. One's own place may be taken back after a restart.
    """

    session: int
    room: int


@value
class Ready:
    """Command to be ready for the next match in one's room, or the next game of one's match.

    It begins when all players are.
    """

    session: int


@value
class Depart:
    """Command to leave one's room, and resign the match played there.

    One that it is not meant for, as with a move, is voided.
    """

    session: int
    match: int | None = None


@value
class RoomTimeUp:
    """Command of the alarm: a start in this room did not come, or a place stayed empty. Late is ignored."""

    room: int


@value
class Play:
    """Command to make a move, as the player wrote it.

    `match` is the match that it is meant for: what was written in one match must not count in the
    next, which may begin while it is on its way. 0 is none, None whatever match the player is in. A
    house player, whose session plays many matches at once, names its seat and turn too.
    """

    session: int
    move: str = field(repr=False)
    """Kept out of the repr, which may come into the log: a move can be a secret, such as a code to be broken."""
    match: int | None = None
    seat: int | None = None
    turn: int | None = None
    illegal: str = field(default="", repr=False)
    """Only in the journal, where a move that cost the match was cut: why it was illegal as it was sent."""


class Scope(StrEnum):
    """The part that a player gives up by `Resign`: the game, or the whole match."""

    GAME = "game"
    MATCH = "match"


@value
class Resign:
    """Command to give up the game, or the whole match; `match` as with a move."""

    session: int
    scope: Scope = Scope.MATCH
    match: int | None = None


@value
class TimeUp:
    """Command of the alarm: a turn of this match is due, or an empty seat. The core looks what; late is ignored."""

    match: int
    read_ms: int | None = None
    """The time at which the move was read that proves it, if one does."""
    quiet: tuple[int, ...] | None = None
    """The sessions of those to act, when they were found to have nothing in the works. If others have taken the seats
    since, nobody is late yet: those may have a move in the works. None decides for any player who sits there."""


class Against(StrEnum):
    """The kind of opponent that a ticket looks for."""

    ANYBODY = "anybody"
    RATED = "rated"
    HOUSE = "house"


@value
class Book:
    """Command to take out a ticket: a search for an opponent whose player need not be connected.

    `ticket` is its id, new and unguessable; `player` is the name under which the player will sit,
    `identity` what the protocol calls them. `options` are the arguments of the game's
    `options_type`; `seat_options` are those that each seat may have otherwise, such as `by_hand`:
    the core puts them together, in the order of the seats. A ticket that is `open_to_queue` also
    meets players who look for the game in its queue. A client that shows the `token` may take the seat back from
    any address.
    """

    session: int
    ticket: str
    player: str
    identity: str
    address: str
    game: str
    options: Mapping[str, Any] = Factory(dict)
    seat_options: Mapping[str, Any] = Factory(dict)
    against: Against = Against.ANYBODY
    rating: int = 0
    open_to_queue: bool = False
    token: str = field(default="", repr=False)
    secret: str | None = field(default=None, repr=False)
    proof: Proof = Proof.OPEN
    """As with `Enter`: tells if the `identity` is bound to a secret. If so, only the token brings the player in."""
    is_listed: bool = False
    """True if `player` is the name that a roster gives to this identity: the name of a student, who may be here by
    another protocol, too. Else it is one that the protocol made of the identity, and reserved."""


@value
class Unbook:
    """Command to give a ticket back that has not led to a match yet."""

    session: int
    ticket: str
    identity: str


@value
class Arrive:
    """Command to come in with a ticket: to wait for the opponent, or to take the seat back that it led to."""

    session: int
    ticket: str
    identity: str
    protocol: str
    address: str
    capabilities: tuple[Capability, ...] = field(default=(), validator=_are_capabilities)
    token: str = field(default="", repr=False)
    is_proven: bool = False
    """True if the protocol has a proof that this is the player: then it is as good as the token."""


@value
class TicketTimeUp:
    """Command of the alarm: a ticket's player did not come, or a rated search may widen. Late is ignored."""

    ticket: str


@value
class ShowTicket:
    """Command that asks for the state of a ticket's search.

    A client that asks is still there, so the search does not lapse meanwhile.
    """

    session: int
    ticket: str
    identity: str


@value
class RecallTicket:
    """Query for the ticket of a client that has lost its ids, or for the seat that the ticket led to.

    It is told to a client that shows the token or another proof, and to the address of the join.
    """

    session: int
    identity: str
    address: str
    token: str = field(default="", repr=False)
    is_proven: bool = False
    """Same as in `Arrive`."""


# Judgement: far more than any course has.
ENTRANTS_MAX = 1000


class EntryMode(StrEnum):
    """The players who take part besides the named ones: all who are logged in, all who look for the game, or none."""

    LOGGED_IN = "logged-in"
    SUBSCRIBED = "subscribed"
    ROSTER = "roster"


@value
class CreateTournament:
    """Command to announce a tournament; it begins with the act `Start`.

    Its name tells it from all others that are not over.

    `seed` (64 hex digits from `secrets`) is what its lots and its dice are drawn from. `roster` names
    players by hand, house players among them; a house player may take part several times, as
    `house-random-2`.
    """

    plan: Plan
    seed: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"), repr=False)
    entry: EntryMode = EntryMode.LOGGED_IN
    roster: tuple[RegisterEntrant, ...] = field(default=(), validator=validators.max_len(ENTRANTS_MAX))
    by: str = SERVER
    why: str = ""


@value
class Conduct:
    """Command to carry out an act upon a tournament: a teacher's, or pairings that were worked out.

    The lobby gives it the time.
    """

    tournament: int
    act: Act


@value
class TournamentTimeUp:
    """Command of the alarm: a no-show of a tournament, the end of a rest or of an arena. Late is ignored."""

    tournament: int


@value
class RestoreTournament:
    """Command to take a tournament that is over back from the records, so that an act can change it.

    It comes whole, because a replay of the journal has no records. Ignored if the lobby has it.
    """

    tournament: int
    state: Tournament
    entry: EntryMode = EntryMode.LOGGED_IN
    created_wall_ms: int = 0
    started_wall_ms: int | None = None
    ended_wall_ms: int | None = None


@value
class SetLadder:
    """Command to open the ladder of a game, or to close it. It never ends by itself."""

    game: str
    is_open: bool
    by: str = SERVER


@value
class PairOnLadder:
    """Command to begin a match of a game's ladder; `first` sits first. Ignored if one of the two waits no more."""

    game: str
    first: str
    second: str


@value
class KeepRanking:
    """Command to put the ranking of a game's ladder on record, once for each night."""

    game: str
    night: str
    """The day that has begun, such as 2026-09-01, in UTC."""
    lines: tuple[tuple[str, float, float, int], ...]
    """Player, rating, standard deviation, and matches on the ladder in the week before, the best player first."""


@value
class Void:
    """Command to end this match without a loser: no player is at fault.

    `why` goes to the log and the record.

    `by` is the teacher who did it; empty where the server did.
    """

    match: int
    why: str
    by: str = ""


@value
class Kick:
    """Command to end a player's connection. For a match of theirs it is as if the connection had been lost.

    It keeps nobody out: the same player may enter again.
    """

    player: str
    why: str
    by: str


@value
class Drain:
    """Command to begin no new match: the server is to stop when the running ones are over, or after `within_ms`.

    It holds until the next start. One that comes later sets another time.
    """

    # At most a day: more is a typing error.
    within_ms: int = field(validator=[validators.ge(0), validators.le(86_400_000)])
    why: str
    by: str


@value
class HousePlayer:
    """A house player, by its name and the names of the games that it knows."""

    name: str
    games: tuple[str, ...]
    is_listed: bool = True
    """False if it is not on the list of players: it has to be challenged by its name. Until 0.1.0 all were listed."""


@value
class ServerStarted:
    """Command that comes first after every start of the server.

    Sessions, seeks and challenges ended with the old process; matches go on. `seed` (64 hex digits
    from `secrets`) is that of a new epoch, from which all chance comes until the next one.
    """

    boot: int
    seed: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"), repr=False)
    rules: Rules = Factory(Rules)
    house: tuple[HousePlayer, ...] = ()
    games: Mapping[str, int] = Factory(dict)
    """The games there are, by name, with their versions: a replay takes no other for them."""
    next_match_min: int = 1
    """Match numbers go on from here at least, so that none in the records is ever used again."""


@value
class NewEpoch:
    """Command to draw the chance of the matches to come from another seed; that of earlier ones can be told then."""

    seed: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"), repr=False)


@value
class Contribute:
    """Command to add 1 to 32 bytes, in hex, to the chance of the player's next match; they replace earlier ones."""

    session: int
    data: str = field(repr=False)


@value
class ListPlayers:
    """Query for the list of players who are here."""

    session: int


@value
class ListGames:
    """Query for the names of the games that can be played."""

    session: int


@value
class ListRooms:
    """Query for the rooms with a free place."""

    session: int


@value
class ShowMatch:
    """Query for how the player's own match stands."""

    session: int


@value
class ShowBoard:
    """Query for the position of the player's own match: as lines of text, and with the picture if it is wanted."""

    session: int
    with_picture: bool = False
    """True if the answer is to have the picture, the legal moves and the sides, too."""
    is_small: bool = False
    """True if that picture is to be the game's small one, for a narrow screen."""


@value
class ShowFairness:
    """Query for what the server has committed to: the seed of its epoch, and the chance of the player's own match."""

    session: int


Command = (
    Enter
    | Leave
    | Seek
    | Withdraw
    | Challenge
    | Accept
    | Sit
    | Ready
    | Depart
    | Book
    | Unbook
    | Arrive
    | Play
    | Resign
    | Say
    | TimeUp
    | RoomTimeUp
    | TicketTimeUp
    | ChallengeTimeUp
    | ShowTicket
    | Void
    | Kick
    | Drain
    | CreateTournament
    | Conduct
    | TournamentTimeUp
    | RestoreTournament
    | SetLadder
    | PairOnLadder
    | KeepRanking
    | ServerStarted
    | NewEpoch
    | Contribute
)

Query = ListPlayers | ListGames | ListRooms | ShowMatch | ShowBoard | ShowFairness | RecallTicket
