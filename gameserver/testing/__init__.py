"""The contract kits: what every game and every protocol must hold to, ours or a third party's.

games                check_game, for rules; it plays random games
definitions, positions, moves, junk, secrecy
                     what it looks at: a game before any move, a position, moves, bad text, hidden moves
protocols, speaker   check_protocol, and what it has to know of a protocol
conversations, byte_streams, matches
                     what it looks at: one connection by itself, its bytes, whole matches
hall, connection, event_samples, secret_game
                     what it brings along: a lobby, one event of each kind, a game with hidden moves
contract             how a kit reports
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.games import check_game
from gameserver.testing.protocols import check_protocol
from gameserver.testing.speaker import Moved, Over, Speaker, Told, YourTurn

__all__ = ["ContractError", "Moved", "Over", "Speaker", "Told", "YourTurn", "check_game", "check_protocol"]
