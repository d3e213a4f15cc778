"""The values of the read model. A time is a point on the server's axis, in ms, unless its comment says otherwise.

Classes with `Admin` in their names are for the teacher alone: addresses, queues, searches by ticket.

Views in JSON: fields with the names that programs have always read there.
"""

from gameserver.chance import Contributions
from gameserver.core.events import Result as Result  # noqa: PLC0414 - pages take it from here: they import no core
from gameserver.core.events import SeatsBy
from gameserver.drawing import Picture, Side
from gameserver.records.match_record import DrawRecord
from gameserver.tournaments.view import TournamentSummary
from gameserver.values import value


@value
class SeatView:
    """A seat of a match in the read model, and its holder.

    `away_until_ms`: the player is gone, and the seat waits until then.
    """

    player: str
    protocol: str
    is_house: bool = False
    is_present: bool = True
    away_until_ms: int | None = None


@value
class BankView:
    """The view of a seat's bank: what was left at `since_ms`, since when it runs; None while it stands."""

    left_ms: int
    since_ms: int | None

    @property
    def ends_ms(self) -> int | None:
        """The time at which a bank that runs is used up."""
        return None if self.since_ms is None else self.since_ms + self.left_ms


@value
class ClockView:
    """The view of a match's clock.

    Of the turn, a deadline while it runs, the time left while it stands, neither without a limit.
    """

    deadline_ms: int | None = None
    left_ms: int | None = None
    turn_time_ms: int | None = None
    text: str = ""
    """The whole clock as it is written."""
    banks: tuple[BankView | None, ...] = ()
    """One a seat, None for the house; empty without a bank."""


@value
class PlyView:
    """The view of one step of a match, as a spectator may see it.

    `number` counts all steps of the match from 1, draws too; `game` is the number of its game. `seat`
    is None for a draw. `by` is `player`, `server` (in a late player's place) or `chance`. `at_ms`
    counts from the opening of the match. `noun` is the game's word for a draw, such as "roll"; empty for a move.
    """

    number: int
    game: int
    seat: int | None
    text: str
    details: str
    by: str
    think_ms: int
    at_ms: int
    noun: str = ""


@value
class BoardView:
    """The view of a position: as a drawing, if the game has one, and as text. `before` is the drawing one step earlier.

    `sides` has the colour and the score of each seat; it is empty if the game gives none.
    """

    text: str
    picture: Picture | None = None
    before: Picture | None = None
    sides: tuple[Side, ...] = ()


@value
class GameCard:
    """The view of a game as people choose it: its look at the start, its seats' parts, its rules, a paragraph each."""

    name: str
    family: str
    roles: tuple[str, ...]
    how_to_play: tuple[str, ...]
    board: BoardView


@value
class RestartView:
    """The view of a server's restart during a match.

    The times are ISO 8601 in UTC; `step` is the last step before it.
    """

    step: int
    last_decision_at: str
    up_at: str
    away_ms: int


@value
class ChanceView:
    """The view of a match's chance: what is committed to from its opening on, and later all that it follows from."""

    seed_commitment: str
    commitment: str
    contributions: Contributions
    seats_by: SeatsBy
    key: str = ""
    """The secret, empty until it is told."""
    chance_key: str = ""
    draws: tuple[DrawRecord, ...] = ()
    """For matches on record."""


@value
class MatchView:
    """The view of a match, live or over.

    `game` is the game asked for; `current` is the one being played, perhaps in a series.
    """

    id: int
    game: str
    current: str
    game_number: int
    seats: tuple[SeatView, ...]
    acting: tuple[int, ...]
    clock: ClockView
    phase: str
    """`readying`, `playing` or `over`."""
    steps: tuple[PlyView, ...]
    score: tuple[int, ...] | None = None
    """The points so far, in a match of several games."""
    result: Result | None = None
    """Without what the server alone knows of a lapse: of its notes `why` is shown, and nothing else."""
    opened_at: str = ""
    """The date and time, as ISO 8601 in UTC."""
    ended_at: str = ""
    room: int | None = None
    explanation: tuple[str, ...] = ()
    """The reason for a loss otherwise than by play, in the words of `records.explanations`; for matches on record."""
    public_id: str = ""
    """The id by which clients name the match. For a live match, only if both players were told it."""
    restarts: tuple[RestartView, ...] = ()
    tournament: int | None = None
    round: int = 0
    """The tournament that has it played, and the round there; 0 outside of one."""
    is_ladder: bool = False
    """True if the ladder of its game paired the players."""
    moves_pruned: int = 0
    """The number of its players' moves, if they were removed from the records."""
    files: tuple[str, ...] = ()
    """The game's own formats in which a finished match can be downloaded: endings of file names."""
    chance: ChanceView | None = None
    """None where it is given, as dice can be."""

    @property
    def is_over(self) -> bool:
        """True if nothing more will happen in this view of a match."""
        return self.result is not None


@value
class MatchSummary:
    """The view of a live match in a list."""

    id: int
    game: str
    seats: tuple[SeatView, ...]
    acting: tuple[int, ...]
    moves: int
    opened_wall_ms: int
    clock: ClockView = ClockView()
    score: tuple[int, ...] | None = None
    """The points so far, in a match of several games."""


@value
class PlayerSummary:
    """The view of a player in the lobby: protocol, and present occupation."""

    name: str
    protocol: str
    match: int | None = None
    seeks: str | None = None
    room: int | None = None


@value
class OfferSummary:
    """The view of an open offer. `kind` is `search`, `challenge`, `room` or `ticket`."""

    kind: str
    game: str
    players: tuple[str, ...]
    to: str = ""
    room: int | None = None


@value
class HousePlayerSummary:
    """The view of a house player, and the games it plays."""

    name: str
    games: tuple[str, ...]


@value
class ListenerSummary:
    """The view of a protocol's listener: its host and port."""

    protocol: str
    host: str
    port: int
    is_encrypted: bool = False
    profile: str = ""

    @property
    def is_everywhere(self) -> bool:
        """True if this view of a listener has it listen on all addresses of the machine."""
        return self.host in {"::", "0.0.0.0"}  # noqa: S104 - compared, not bound

    @property
    def is_for_this_machine(self) -> bool:
        """True if this view of a listener is one that no other machine reaches."""
        return self.host == "::1" or self.host.startswith("127.")

    def url(self, host: str) -> str:
        """The URL of a listener for HTTP as it is reached under this host, such as `http://localhost:8080`."""
        name = f"[{host}]" if ":" in host else host  # RFC 3986, 3.2.2
        return f"{'https' if self.is_encrypted else 'http'}://{name}:{self.port}"


@value
class Entrance:
    """The view of one way into a tournament: a protocol, the line or address to copy, and what a bot does there."""

    title: str
    line: str
    deed: str
    """A sentence, with commands in backquotes."""


@value
class Invitation:
    """The view of how players find a tournament: the address of its page, and the entrances of all protocols."""

    url: str
    """Empty if no pages are served."""
    entrances: tuple[Entrance, ...]
    starts_at: str = ""
    """The time of day at which the tournament is to start (ISO 8601 in UTC); empty if no time is set."""
    starts_ms: int = 0
    """The same on the server's axis of time, to the second."""


@value
class Attack:
    """The view of wrong secrets that are given for one name of the roster, as long as they go on.

    Times are wall time.
    """

    name: str
    """The player's; empty for wrong tokens of the admin listener."""
    tries: int
    """Wrong secrets since `since_ms`."""
    addresses: tuple[str, ...]
    """The addresses that the tries came from, the latest last. Only some are kept if there are very many."""
    since_ms: int
    last_ms: int


@value
class ForeignName:
    """The view of a host name, under which requests came in browsers, that is not known as one of this server's."""

    host: str
    setting: str
    """The setting to add it to, if it is one after all."""
    count: int
    last_ms: int
    """Wall time of the latest request."""


@value
class ListedStudent:
    """The view of a line of the teacher's roster, without the secret and the school's id."""

    name: str
    gammonx_id: str = ""
    """The GUID of the student's GammonX client, in lower case; empty if there is none."""
    has_secret: bool = False
    team: str = ""
    """The name of the student's team; empty if there is none."""


@value
class AdminPlayerView:
    """The teacher's view of a player who is connected."""

    name: str
    protocol: str
    address: str
    match: int | None = None
    seeks: str | None = None
    """The game that the player looks for an opponent at."""
    room: int | None = None
    is_proven: bool = False
    """True if the player has proved the name with a secret."""
    is_callable: bool = True
    """True if others can call this player to a match: by a challenge, or in a room."""


@value
class AdminMatchView:
    """The teacher's view of a live match. `opened_wall_ms` is the time of day, in milliseconds since 1970."""

    match: int
    game: str
    players: tuple[str, ...]
    phase: str
    moves: int
    awaited: tuple[str, ...]
    """The players whom the match waits for."""
    away: tuple[str, ...]
    room: int | None
    opened_wall_ms: int


@value
class AdminRoomView:
    """The teacher's view of a room that is in use."""

    number: int
    phase: str
    players: tuple[str, ...]
    match: int | None


@value
class AdminQueueView:
    """The teacher's view of the players who wait for any opponent at a game, in the order in which they came."""

    game: str
    players: tuple[str, ...]


@value
class AdminTicketView:
    """The teacher's view of a search by ticket. `opponent` is a player who was found but has not arrived yet."""

    player: str
    game: str
    is_here: bool
    opponent: str | None


@value
class AdminLobbyView:
    """The teacher's view of the whole lobby."""

    players: tuple[AdminPlayerView, ...]
    matches: tuple[AdminMatchView, ...]
    rooms: tuple[AdminRoomView, ...]
    queues: tuple[AdminQueueView, ...]
    tickets: tuple[AdminTicketView, ...]
    house: tuple[str, ...]
    drains: bool = False
    """True if no new match begins, because the server is about to stop."""


@value
class StudentView:
    """The teacher's view of a student of the roster, and where they are."""

    name: str
    gammonx_id: str = ""
    """The GUID of the student's GammonX client; empty if there is none."""
    player: AdminPlayerView | None = None
    """The student, if they are here under this name."""
    mistaken: tuple[AdminPlayerView, ...] = ()
    """Players who are on no line of the roster, and whose names are nearly this one; none if the student is here."""
    away_from: int | None = None
    """The match in which a seat waits for the student, whose connection is lost."""
    is_expected: bool = False
    """True if a search is open for the student, whose client has not come yet."""
    team: str = ""
    """The name of the student's team; empty if there is none."""


@value
class RollCall:
    """The teacher's view of the roster: its students in their order, and players who are neither on it nor nearly."""

    students: tuple[StudentView, ...]
    others: tuple[AdminPlayerView, ...]


@value
class AdminTournamentView(TournamentSummary):
    """The teacher's view of a tournament in a line."""

    entry: str
    """An `EntryMode`."""
    warnings: tuple[str, ...]
    """Warnings about the results, such as that dice are known beforehand."""
    clock: str
    """The players' time as it is written; empty for the server's own."""
    """The plan's time for a turn; None: the server's own."""


@value
class Owner:
    """A player who is shown the views of what is theirs alone. `session` is set where the name is bound to no secret.

    A name without a secret is whoever took it first. So its owner is shown that session's bytes, and the matches that
    have ended since it logged in: the others may have been played by somebody else under the name.
    """

    player: str
    session: int | None = None
    since_ms: int = 0
    """The wall time of that login; 0 where the name is bound."""


@value
class WireLineView:
    """The view of bytes that were read or said at once, out of a wire log.

    `mishap` is empty where nothing is known to be wrong.
    """

    at: str
    """The time of day, with microseconds, in UTC."""
    session: int
    protocol: str
    is_from_player: bool
    text: str
    mishap: str = ""


@value
class OwnLog:
    """The view of a wire log for its owner: the file's text, and its latest lines with what went wrong in them."""

    text: str
    lines: tuple[WireLineView, ...]
