"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

contract        the errors of a contract kit
game_positions  the contract of a position and its moves
game_coding     the contract of its numbers for agents that learn
game_kit        the contract of a game: `check_game`
speaker         what a protocol's author declares: how its players speak
kit_lobby       the lobby of the protocol kit, by the real core, with its clock stopped
kit_connection  one connection to it, without a network
kit_matches     the contract of whole matches
conversations   the contract of one connection: its messages, answers and events
protocol_kit    the contract of a protocol: `check_protocol`

The kits know no rules and no words, only what every game and every adapter promises. The kit for games imports what a
game author may import, and nothing of a protocol.
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.game_kit import check_game
from gameserver.testing.protocol_kit import check_protocol
from gameserver.testing.speaker import Driver, HttpAnswer, Moved, Over, PositionTold, Speaker, Told, Wire, YourTurn

__all__ = [
    "ContractError",
    "Driver",
    "HttpAnswer",
    "Moved",
    "Over",
    "PositionTold",
    "Speaker",
    "Told",
    "Wire",
    "YourTurn",
    "check_game",
    "check_protocol",
]
