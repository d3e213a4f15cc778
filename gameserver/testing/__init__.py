"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

games                check_game, for rules; it plays random games
definitions, positions, moves, junk, secrecy
                     its subjects: a game before any move, a position, moves, bad text, hidden moves
protocols, speaker   check_protocol, and the facts that it needs about a protocol
conversations, byte_streams, matches
                     its subjects: one connection by itself, its bytes, whole matches
hall, connection, event_samples, secret_game
                     its fixtures: a lobby, one event of each kind, a game with hidden moves
contract             the errors that a kit reports
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.games import check_game
from gameserver.testing.protocols import check_protocol
from gameserver.testing.speaker import Moved, Over, Speaker, Told, YourTurn

__all__ = ["ContractError", "Moved", "Over", "Speaker", "Told", "YourTurn", "check_game", "check_protocol"]
