"""The contract kits: checks that every game and every protocol must pass, built-in or third-party.

game_kit             check_game, for rules; it plays random games
protocol_kit         check_protocol, for adapters; it plays whole matches through them
contract             the errors that a kit reports
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.game_kit.check_game import check_game
from gameserver.testing.protocol_kit.check_protocol import check_protocol
from gameserver.testing.protocol_kit.driver import Driver, HttpAnswer, Moved, Over, Position, Told, Wire, YourTurn
from gameserver.testing.protocol_kit.speaker import Speaker

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
