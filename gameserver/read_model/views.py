"""What there is to be seen, as values. All times without another word are points on the server's axis, in ms."""

from gameserver.drawing import Picture
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
