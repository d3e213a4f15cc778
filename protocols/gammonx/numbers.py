"""The numbers of the document: its enums are numbers on the wire, in requests and in payloads."""

from collections.abc import Mapping
from enum import IntEnum

from games.backgammon.match import Length


class MatchVariant(IntEnum):
    """The games of a match; Tavli is Portes, Plakoto and Fevga in turns."""

    BACKGAMMON = 0
    TAVLA = 1
    TAVLI = 2


class MatchModus(IntEnum):
    """The kind of opponent."""

    NORMAL = 0
    RANKED = 1
    BOT = 2


class MatchType(IntEnum):
    """The length of a match."""

    FIVE_POINT_GAME = 0
    SEVEN_POINT_GAME = 1
    CASH_GAME = 2


class GameModus(IntEnum):
    """The rules of a single game."""

    BACKGAMMON = 0
    TAVLA = 1
    PORTES = 2
    PLAKOTO = 3
    FEVGA = 4


class GamePhase(IntEnum):
    """The phase of a game, for the player who is to act; the other one sees `WAITING_FOR_OPPONENT`."""

    WAITING_FOR_ROLL = 0
    ROLLING = 1
    """Rolled, and nothing moved yet."""
    MOVING = 2
    """Something moved, and more can be."""
    WAITING_FOR_OPPONENT = 3
    WAITING_FOR_END_TURN = 5
    GAME_OVER = 6


class QueueStatus(IntEnum):
    """The state of a search."""

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
