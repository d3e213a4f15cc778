"""Every message of the document, one class each, in the order of its members on the wire.

To be held against the document: first what goes over REST, then what the hub's events carry. A member is called as its
field in camel case, without an underscore at its end. Members that the document does not have, but its server or a
later one writes, are marked "beyond the document"; clients ignore what they do not know.

Enums are numbers on the wire, in requests and in payloads. A method of the hub is a class with the arguments in order.
Names count in any case. Those that the document does not have, but a later one, are marked "beyond the document".

GUIDs are read, made, and stand for names. A match id is of version 4, random but for its last digit, which tells the
modus it was joined with. The lobby knows opponents and not modi, and a payload must name it in every event, after a
restart too; so the one thing that a client keeps of its search tells it.
"""

import re
from collections.abc import Mapping
from enum import IntEnum
from hashlib import sha1, sha256
from typing import Any

import attrs
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.orjson import OrjsonConverter, make_converter

from games.backgammon.match import Length
from gameserver.values import value


class MatchVariant(IntEnum):
    """The GammonX numbers of matches by their games; Tavli is Portes, Plakoto and Fevga in turns."""

    BACKGAMMON = 0
    TAVLA = 1
    TAVLI = 2


class MatchModus(IntEnum):
    """The GammonX numbers of kinds of opponents."""

    NORMAL = 0
    RANKED = 1
    BOT = 2


class MatchType(IntEnum):
    """The GammonX numbers of lengths of a match."""

    FIVE_POINT_GAME = 0
    SEVEN_POINT_GAME = 1
    CASH_GAME = 2


class GameModus(IntEnum):
    """The GammonX numbers of the rules of a single game."""

    BACKGAMMON = 0
    TAVLA = 1
    PORTES = 2
    PLAKOTO = 3
    FEVGA = 4


class GamePhase(IntEnum):
    """The GammonX numbers of a game's phase for who is to act; the other one sees `WAITING_FOR_OPPONENT`."""

    WAITING_FOR_ROLL = 0
    ROLLING = 1
    """Rolled, and nothing moved yet."""
    MOVING = 2
    """Something moved, and more can be."""
    WAITING_FOR_OPPONENT = 3
    # 4 is a phase that the original has and never sends.
    WAITING_FOR_END_TURN = 5
    GAME_OVER = 6


class QueueStatus(IntEnum):
    """The GammonX numbers of the state of a search."""

    WAITING_FOR_OPPONENT = 0
    OPPONENT_FOUND = 1
    DISCARDED = 2


GAME_OF: Mapping[MatchVariant, str] = {
    MatchVariant.BACKGAMMON: "Backgammon",
    MatchVariant.TAVLA: "Tavla",
    MatchVariant.TAVLI: "Tavli",
}
"""The lobby's name for each variant."""

VARIANT_OF: Mapping[str, MatchVariant] = {name: variant for variant, name in GAME_OF.items()}

LENGTH_OF: Mapping[MatchType, Length] = {
    MatchType.FIVE_POINT_GAME: Length.FIVE_POINTS,
    MatchType.SEVEN_POINT_GAME: Length.SEVEN_POINTS,
    MatchType.CASH_GAME: Length.CASH,
}
TYPE_OF: Mapping[Length, MatchType] = {length: kind for kind, length in LENGTH_OF.items()}

MODUS_OF: Mapping[str, GameModus] = {
    "Backgammon": GameModus.BACKGAMMON,
    "Tavla": GameModus.TAVLA,
    "Portes": GameModus.PORTES,
    "Plakoto": GameModus.PLAKOTO,
    "Fevga": GameModus.FEVGA,
}
"""The number of each single game of the lobby."""


@value
class JoinMatch:
    """The GammonX method to come to a match: to wait for the opponent, or to take one's seat back."""

    match_id: str
    player_id: str


@value
class StartMatch:
    """The GammonX method of 2026 to be ready for the first game, and to roll a die for who starts it."""

    match_id: str


@value
class StartGame:
    """The GammonX method to be ready for the next game."""

    match_id: str


@value
class Roll:
    """The GammonX method to roll the dice."""

    match_id: str


@value
class Move:
    """The GammonX method to move one checker, by one die or several, between fields of the player's own board."""

    match_id: str
    from_: int
    to: int


@value
class EndTurn:
    """The GammonX method to give the turn to the opponent."""

    match_id: str


@value
class ResignMatch:
    """The GammonX method to give up the match."""

    match_id: str


@value
class ResignGame:
    """The GammonX method to give up the game."""

    match_id: str


@value
class OfferDouble:
    """The GammonX method to offer to play for twice as much."""

    match_id: str


@value
class AcceptDouble:
    """The GammonX method to play on for twice as much."""

    match_id: str


@value
class DeclineDouble:
    """The GammonX method to give the game up for what it was worth."""

    match_id: str


@value
class UndoMove:
    """Beyond the document, the GammonX method to take the last step of this turn back."""

    match_id: str


@value
class GameState:
    """Beyond the document, the GammonX method to have the game's state told."""

    match_id: str


@value
class MatchState:
    """Beyond the document, the GammonX method to have the match's state told."""

    match_id: str


METHODS: tuple[type, ...] = (
    JoinMatch,
    StartGame,
    Roll,
    Move,
    EndTurn,
    ResignMatch,
    ResignGame,
    OfferDouble,
    AcceptDouble,
    DeclineDouble,
    UndoMove,
    GameState,
    MatchState,
)
"""Those of the document."""

LATER_METHODS: tuple[type, ...] = (*METHODS, StartMatch)
"""Those of 2026."""


NIL = "00000000-0000-0000-0000-000000000000"
"""The GUID that stands for none."""

PLAYER_PREFIX = "gx-"
"""The beginning of this protocol's names; twelve digits of the player's GUID follow."""

_GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAMESPACE = bytes.fromhex("5b0e5d9c3c6d4a7f9a54c2b7f0f6a1de")


def read_guid(text: object) -> str | None:
    """Reads a GUID of GammonX's schema in its one spelling, lower case with hyphens; None where the text is none."""
    found = text.lower() if isinstance(text, str) else ""
    return found if _GUID.fullmatch(found) else None


def player_name(guid: str) -> str:
    """Makes the lobby's name for a GammonX GUID from its two ends: GUIDs made by hand differ in one."""
    digits = guid.replace("-", "")
    # By their beginning alone, two players of hand-made GUIDs were taken for one.
    return f"{PLAYER_PREFIX}{digits[:6]}{digits[-6:]}"


def match_guid(new_id: str, modus: MatchModus) -> str:
    """A new search's id in the form of GammonX's messages, a GUID; `new_id` is an id that nobody can guess."""
    digits = _digits(sha256(new_id.encode()).digest(), version=4)
    return _hyphenated(f"{digits[:-1]}{int(modus):x}")


def modus_of(match_id: str) -> MatchModus:
    """The modus, as GammonX's messages number it, that a search was begun with; its id ends in it."""
    number = int(match_id[-1], 16)
    return MatchModus(number) if number in set(MatchModus) else MatchModus.NORMAL


def named_guid(name: str) -> str:
    """Makes the GUID of version 5 that GammonX's schema wants for a player or thing that has only a name."""
    # SHA-1 is what version 5 is made of; nothing is kept secret by it.
    return _hyphenated(_digits(sha1(_NAMESPACE + name.encode(), usedforsecurity=False).digest(), version=5))


def _digits(random: bytes, version: int) -> str:
    digits = random[:16].hex()
    variant = f"{int(digits[16], 16) & 3 | 8:x}"
    return f"{digits[:12]}{version}{digits[13:16]}{variant}{digits[17:]}"


def _hyphenated(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


# REST: requests. Their members are read in any case, and have these values where they are absent.


@value
class JoinRequest:
    """The body of GammonX's `POST matches/join`: look for an opponent."""

    player_id: str = NIL
    match_variant: int = 0
    match_modus: int = 0
    match_type: int = 0


@value
class QueueRequest:
    """The body of GammonX's `POST matches/queues/{id}` and `.../cancel`: ask for a search, or give it up."""

    player_id: str = NIL
    match_modus: int = 0


# REST: responses.


@value
class Response:
    """The answer to every GammonX REST request; `type` is "OK" or "ERROR"."""

    type: str
    payload: Any


@value
class Joined:
    """The GammonX answer that a search has begun."""

    match_id: str | None
    """None in 2026, where the client is to ask for it."""
    queue_id: str
    """Beyond the document, as is all that follows: the same id, for clients that poll."""
    status: QueueStatus
    token: str
    """Takes the seat back from anywhere, as `access_token` or `token` of the hub's address."""


@value
class QueueState:
    """Beyond the document, how a GammonX search stands. It has the one id or the other, by its status."""

    queue_id: str | None
    status: QueueStatus
    match_id: str | None


@value
class RequestError:
    """The reason of a refused GammonX REST request."""

    code: str
    message: str


# The hub: events. The only argument of each is an `EventMessage`.

Commands = tuple[str, ...]
"""The methods that may be invoked now, in the document's order; the last member of every payload."""


@value
class EventMessage:
    """The envelope of every event of the GammonX hub; `type` repeats its name."""

    type: str
    payload: Any


@value
class LobbyPayload:
    """The players: `match-lobby-waiting`, `match-lobby-found`, and `player-connected` beyond the document."""

    id: str
    group_name: str
    player1: str
    player2: str | None
    match_found: bool
    allowed_commands: Commands = ()


@value
class GameRound:
    """A game in the payload of a GammonX match, begun or over."""

    game_round_index: int
    modus: GameModus
    phase: GamePhase
    winner: str | None
    score: int | None
    # Written beside `score`: clients of either generation find theirs.
    points: int | None
    """Beyond the document: later servers call the score so."""


@value
class PlayerScore:
    """A player in the payload of a GammonX match, with the points so far."""

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
    """A die in the payload of a GammonX game, as it fell."""

    roll: int
    used: bool
    """Beyond the document's sample, which its server wrote too."""


@value
class LegalMove:
    """A step of a checker in the payload of a GammonX game, between fields of the receiver's board."""

    from_: int
    to: int


@value
class MoveSequence:
    """Steps in the payload of a GammonX game that can be played after each other."""

    moves: tuple[LegalMove, ...]
    used_dices: tuple[int, ...]
    """Beyond the document's sample, as in `DiceRoll`."""


@value
class BoardState:
    """The board in the payload of a GammonX game; its receiver is white, negative, and goes up from field 0."""

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
    """The GammonX payload of a game: `game-started`, `game-state`, and what is told of doubles."""

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
    """The GammonX payload of a refused method: `error`."""

    code: str
    message: str
    # As the server of 2026 writes it.
    stack_trace: str = ""
    """Beyond the document, and always empty."""
    allowed_commands: Commands = ()


@value
class EmptyPayload:
    """The GammonX payload of `force-disconnect`: nothing is left to do here."""

    allowed_commands: Commands = ()


@value
class DisconnectedPayload:
    """Beyond the document, the GammonX payload of an opponent who is away: `player-disconnected`."""

    grace_period: str
    """The time allowed for coming back, as hh:mm:ss."""
    expiration: str
    """Until when, as ISO 8601 has it, in UTC."""
    player_id: str
    allowed_commands: Commands = ()


@value
class TurnTimerPayload:
    """Beyond the document, the GammonX payload of a time that is half over: `turn-timer`."""

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
