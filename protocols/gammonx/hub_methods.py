"""The commands of the document: what the hub can be asked, with the arguments in order.

Names count in any case. Those that the document does not have, but a later one, are marked "beyond
the document".
"""

from gameserver.values import value


@value
class JoinMatch:
    """Come to the match: to wait for the opponent, or to take one's seat back."""

    match_id: str
    player_id: str


@value
class StartMatch:
    """In 2026: be ready for the first game, and roll a die for who starts it."""

    match_id: str


@value
class StartGame:
    """Be ready for the next game."""

    match_id: str


@value
class Roll:
    """Roll the dice."""

    match_id: str


@value
class Move:
    """Move one checker, by one die or several, between fields as the player's own board has them."""

    match_id: str
    from_: int
    to: int


@value
class EndTurn:
    """Give the turn to the opponent."""

    match_id: str


@value
class ResignMatch:
    """Give up the match."""

    match_id: str


@value
class ResignGame:
    """Give up the game."""

    match_id: str


@value
class OfferDouble:
    """Offer to play for twice as much."""

    match_id: str


@value
class AcceptDouble:
    """Play on for twice as much."""

    match_id: str


@value
class DeclineDouble:
    """Give the game up for what it was worth."""

    match_id: str


@value
class UndoMove:
    """Beyond the document: take the last step of this turn back."""

    match_id: str


@value
class GameState:
    """Beyond the document: have the game's state told."""

    match_id: str


@value
class MatchState:
    """Beyond the document: have the match's state told."""

    match_id: str


COMMANDS: tuple[type, ...] = (
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

LATER_COMMANDS: tuple[type, ...] = (*COMMANDS, StartMatch)
"""Those of 2026."""
