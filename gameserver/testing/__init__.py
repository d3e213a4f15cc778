"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

contract        The errors of a contract kit
conversations   The contract for one connection by itself
game_kit        The contract kit for games
game_positions  The contract for one position
kit_connection  One connection for the protocol kit, without a network
kit_lobby       The lobby of the protocol kit
kit_matches     A player of the protocol in a match of the kit
protocol_kit    The contract kit for protocols
speaker         The facts that the contract kit needs about a protocol

The contract kit for games: it knows no rules, only what every game promises.

It imports what a game author may import, and nothing of a protocol.

The contract kit for protocols: it knows no words, only what every adapter promises.

The lobby decides by the real core; its clock is stopped.
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.game_kit import check_game
from gameserver.testing.protocol_kit import check_protocol
from gameserver.testing.speaker import Driver, HttpAnswer, Moved, Over, Position, Speaker, Told, Wire, YourTurn

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
