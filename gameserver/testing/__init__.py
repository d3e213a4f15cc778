"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

games                check_game, for rules; it plays random games
definitions, positions, moves, junk, secrecy
                     its subjects: a game before any move, a position, moves, bad text, hidden moves
protocols, speaker, driver
                     check_protocol, and the facts that it needs about a protocol and its players
conversations, byte_streams, matches, player
                     its subjects: one connection by itself, its bytes, whole matches
hall, connection, wire, event_samples, secret_game
                     its fixtures: a lobby, ways to it, one event of each kind, a game with hidden moves
contract             the errors that a kit reports
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.driver import Driver, HttpAnswer, Moved, Over, Position, Told, Wire, YourTurn
from gameserver.testing.games import check_game
from gameserver.testing.protocols import check_protocol
from gameserver.testing.speaker import Speaker

__all__ = [
    "ContractError",
    "Driver",
    "HttpAnswer",
    "Moved",
    "Over",
    "Position",
    "Speaker",
    "Told",
    "Wire",
    "YourTurn",
    "check_game",
    "check_protocol",
]
