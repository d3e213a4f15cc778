"""The contract kits: what every game and every adapter must hold to, ours or a third party's.

games                the kit for games: plays many random ones and watches
definitions, positions, moves, secrecy
                     what it asks of a game before any move, of a position, of a move, of what is hidden
contract             how a kit reports what is wrong
junk                 texts that players and broken clients send for a move
"""

from gameserver.testing.contract import ContractError
from gameserver.testing.games import check_game

__all__ = ["ContractError", "check_game"]
