"""Every message of the document, one class each, in the order of its members on the wire.

To be held against the document: first what goes over REST, then what the hub's events carry. What
the hub can be asked is in `commands`. A member is called as its field in camel case, without an underscore at
its end. Members that the document does not have, but its server or a later one writes, are marked
"beyond the document"; clients ignore what they do not know.
"""

from typing import Any

import attrs
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.orjson import OrjsonConverter, make_converter

from gameserver.values import value
from protocols.gammonx.guids import NIL
from protocols.gammonx.numbers import GameModus, GamePhase, MatchModus, MatchType, MatchVariant, QueueStatus

# REST: requests. Their members are read in any case, and have these values where they are absent.


@value
class JoinRequest:
    """`POST matches/join`: look for an opponent."""

    player_id: str = NIL
    match_variant: int = 0
    match_modus: int = 0
    match_type: int = 0


@value
class QueueRequest:
    """`POST matches/queues/{id}`, and `.../cancel`: how does the search stand, or give it up."""

    player_id: str = NIL
    match_modus: int = 0


# REST: responses.


@value
class Response:
    """The answer to every request; `type` is "OK" or "ERROR"."""

    type: str
    payload: Any


@value
class Joined:
    """A search has begun."""

    match_id: str | None
    """None in 2026, where the client is to ask for it."""
    queue_id: str
    """Beyond the document, as is all that follows: the same id, for clients that poll."""
    status: QueueStatus
    token: str
    """Takes the seat back from anywhere, as `access_token` or `token` of the hub's address."""


@value
class QueueState:
    """Beyond the document: how a search stands. The id is the one or the other, as the status has it."""

    queue_id: str | None
    status: QueueStatus
    match_id: str | None


@value
class RequestError:
    """Why a request was refused."""

    code: str
    message: str


# The hub: events. The only argument of each is an `EventMessage`.

Commands = tuple[str, ...]
"""The methods that may be invoked now, in the document's order; the last member of every payload."""


@value
class EventMessage:
    """The envelope of every event; `type` repeats its name."""

    type: str
    payload: Any


@value
class LobbyPayload:
    """Players in the lobby: `match-lobby-waiting`, `match-lobby-found`, and `player-connected` beyond the document."""

    id: str
    group_name: str
    player1: str
    player2: str | None
    match_found: bool
    allowed_commands: Commands = ()


@value
class GameRound:
    """A game of the match, begun or over."""

    game_round_index: int
    modus: GameModus
    phase: GamePhase
    winner: str | None
    score: int | None
    points: int | None
    """Beyond the document: later servers call the score so."""


@value
class PlayerScore:
    """A player, and the points of the match so far."""

    id: str
    user_name: str | None
    """Beyond the document: for a player who has a name besides the GUID, or instead of one."""
    score: int
    points: int
    """Beyond the document, as in `GameRound` and all that follows."""
    start_dice_roll: int | None
    """The die for who starts the match."""


@value
class MatchStatePayload:
    """The match: `match-started`, `match-ended`, `game-waiting`, `game-ended`; beyond the document `match-state`."""

    id: str
    group_name: str
    winner: str | None
    """Beyond the document, as are the points: once the match is over."""
    winner_points: int | None
    loser: str | None
    loser_points: int | None
    game_round: int
    """From 1."""
    game_rounds: tuple[GameRound, ...]
    variant: MatchVariant
    modus: MatchModus
    type: MatchType
    player1: PlayerScore
    player2: PlayerScore
    allowed_commands: Commands = ()


@value
class DiceRoll:
    """A die as it fell."""

    roll: int
    used: bool
    """Beyond the document's sample, which its server wrote too."""


@value
class LegalMove:
    """A step of a checker, between fields of the receiver's board."""

    from_: int
    to: int


@value
class MoveSequence:
    """Steps that can be played after each other."""

    moves: tuple[LegalMove, ...]
    used_dices: tuple[int, ...]
    """Beyond the document's sample, as in `DiceRoll`."""


@value
class BoardState:
    """The board as its receiver sees it, whose own checkers are white, negative, and go up from field 0."""

    fields: tuple[int, ...]
    bear_off_count_white: int
    bear_off_count_black: int
    pinned_fields: tuple[int, ...] | None
    """None in games without pins."""
    home_bar_count_white: int
    home_bar_count_black: int
    doubling_cube_value: int
    """0 in games without a cube."""
    doubling_cube_owner: bool | None
    """True if it is the receiver's; without an owner False in the document, and None in 2026."""
    pip_count_black: int
    pip_count_white: int


@value
class GameStatePayload:
    """The game: `game-started`, `game-state`, and what is told of doubles."""

    modus: GameModus
    match_id: str
    id: str
    phase: GamePhase
    active_turn: str
    turn_number: int
    """From 1."""
    dice_rolls: tuple[DiceRoll, ...]
    """Two, or four of a double."""
    move_sequences: tuple[MoveSequence, ...]
    board_state: BoardState
    allowed_commands: Commands = ()


@value
class ErrorPayload:
    """Why an invocation was refused: `error`."""

    code: str
    message: str
    stack_trace: str = ""
    """Beyond the document, and always empty."""
    allowed_commands: Commands = ()


@value
class EmptyPayload:
    """Nothing is left to do here: `force-disconnect`."""

    allowed_commands: Commands = ()


@value
class DisconnectedPayload:
    """Beyond the document: the opponent's connection is lost, `player-disconnected`."""

    grace_period: str
    """The time allowed for coming back, as hh:mm:ss."""
    expiration: str
    """Until when, as ISO 8601 has it, in UTC."""
    player_id: str
    allowed_commands: Commands = ()


@value
class TurnTimerPayload:
    """Beyond the document: half of your time is over, `turn-timer`."""

    active_player: str
    turn_expiration: str
    """The time at which it is over, as in `DisconnectedPayload`."""
    allowed_commands: Commands = ()


def _camel_case(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in others)


def _make_converter() -> OrjsonConverter:
    converter = make_converter()

    @converter.register_unstructure_hook_factory(attrs.has)
    def _by_wire_names(kind: type) -> Any:
        names: dict[str, Any] = {field.name: override(rename=_camel_case(field.name)) for field in attrs.fields(kind)}
        return make_dict_unstructure_fn(kind, converter, **names)

    return converter


CONVERTER = _make_converter()
"""Takes payloads apart, members by their wire names."""
