"""What there is to be seen, as values. All times without another word are points on the server's axis, in ms.

The names with `Admin` are for the teacher alone: addresses, queues, searches by ticket.
"""

from gameserver.drawing import Picture
from gameserver.tournaments.output.view import TournamentSummary
from gameserver.values import frozen


@frozen
class SeatView:
    """A seat of a match and who has it. `away_until_ms`: the player is gone, and the seat waits for them."""

    player: str
    protocol: str
    is_house: bool = False
    is_present: bool = True
    away_until_ms: int | None = None


@frozen
class ClockView:
    """The time of the turn: a deadline while it runs, what is left while it stands, neither without one."""

    deadline_ms: int | None = None
    left_ms: int | None = None
    turn_time_ms: int | None = None


@frozen
class StepView:
    """One step of a match, as a spectator may see it.

    `number` counts all steps of the match from 1, draws too; `game` is the number of its game. `seat`
    is None for a draw. `by` is `player`, `server` (in a late player's place) or `chance`. `at_ms`
    counts from the opening of the match.
    """

    number: int
    game: int
    seat: int | None
    text: str
    details: str
    by: str
    think_ms: int
    at_ms: int


@frozen
class ResultView:
    """How a match ended: `reason` is an `EndReason`, `by` the seat that it was about."""

    reason: str
    points: tuple[int, ...]
    winners: tuple[int, ...]
    by: int | None = None
    reason_text: str = ""
    revealed: str = ""
    why: str = ""


@frozen
class BoardView:
    """A position as a drawing, where the game has one, and as text. `before` is the drawing of a step earlier."""

    text: str
    picture: Picture | None = None
    before: Picture | None = None


@frozen
class MatchView:
    """A match, live or over. `game` is what was asked for; `current` the game being played, one of several perhaps."""

    id: int
    game: str
    current: str
    game_number: int
    seats: tuple[SeatView, ...]
    acting: tuple[int, ...]
    clock: ClockView
    phase: str
    """`readying`, `playing` or `over`."""
    steps: tuple[StepView, ...]
    score: tuple[int, ...] | None = None
    """The points so far, in a match of several games."""
    result: ResultView | None = None
    opened_at: str = ""
    """ISO 8601 in UTC."""
    ended_at: str = ""
    table: int | None = None
    explanation: tuple[str, ...] = ()
    """Of a match on record: why somebody lost by other means than play, as `records.blame` puts it."""
    public_id: str = ""
    """The id that clients call it by; of a live match only if both players were told it."""

    @property
    def is_over(self) -> bool:
        """True if nothing more will happen."""
        return self.result is not None


@frozen
class MatchSummary:
    """A live match in a list."""

    id: int
    game: str
    seats: tuple[SeatView, ...]
    acting: tuple[int, ...]
    moves: int
    opened_wall_ms: int


@frozen
class PlayerSummary:
    """Somebody in the lobby: where they are, and what they are doing."""

    name: str
    protocol: str
    match: int | None = None
    seeks: str | None = None
    table: int | None = None


@frozen
class OfferSummary:
    """Something that is open: `kind` is `search`, `challenge`, `room` or `ticket`."""

    kind: str
    game: str
    players: tuple[str, ...]
    to: str = ""
    room: int | None = None


@frozen
class HousePlayerSummary:
    """A house player, and the games it plays."""

    name: str
    games: tuple[str, ...]


@frozen
class ListenerSummary:
    """Where a protocol is spoken: the host and port that the server listens on."""

    protocol: str
    host: str
    port: int
    is_encrypted: bool = False

    @property
    def is_everywhere(self) -> bool:
        """True if it listens on all addresses of the machine."""
        return self.host in {"::", "0.0.0.0"}  # noqa: S104 - compared, not bound


@frozen
class Attack:
    """The wrong secrets given for one name of the roster, as long as they go on. Times are wall time."""

    name: str
    tries: int
    """Wrong secrets since `since_ms`."""
    addresses: tuple[str, ...]
    """Where they came from, the latest last; not all of very many."""
    since_ms: int
    last_ms: int


@frozen
class AdminPlayerView:
    """A player who is connected."""

    name: str
    protocol: str
    address: str
    match: int | None = None
    seeks: str | None = None
    """The game for which an opponent is looked for."""
    table: int | None = None
    is_proven: bool = False
    """True if a secret has shown who it is."""
    is_callable: bool = True
    """True if this player's protocol lets others call it to a match: by a challenge, or in a room."""


@frozen
class AdminMatchView:
    """A live match. `opened_wall_ms` is the time of day, in milliseconds since 1970."""

    match: int
    game: str
    players: tuple[str, ...]
    phase: str
    moves: int
    awaited: tuple[str, ...]
    """The players whom the match waits for."""
    away: tuple[str, ...]
    table: int | None
    opened_wall_ms: int


@frozen
class AdminRoomView:
    """A room that somebody uses."""

    number: int
    phase: str
    players: tuple[str, ...]
    match: int | None


@frozen
class AdminQueueView:
    """The players who wait for any opponent at a game, first come first."""

    game: str
    players: tuple[str, ...]


@frozen
class AdminTicketView:
    """A search by ticket; `opponent` is who was found and has not arrived yet."""

    player: str
    game: str
    is_here: bool
    opponent: str | None


@frozen
class AdminLobbyView:
    """The whole lobby."""

    players: tuple[AdminPlayerView, ...]
    matches: tuple[AdminMatchView, ...]
    tables: tuple[AdminRoomView, ...]
    queues: tuple[AdminQueueView, ...]
    tickets: tuple[AdminTicketView, ...]
    house: tuple[str, ...]
    drains: bool = False
    """True if no new match begins, because the server is about to stop."""


@frozen
class AdminTournamentView(TournamentSummary):
    """A tournament in a line."""

    entry: str
    """An `EntryMode`."""
    warnings: tuple[str, ...]
    """What to know before the results are believed, such as that dice are known beforehand."""
