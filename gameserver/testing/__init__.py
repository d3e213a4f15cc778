"""The contract kits: what every game and every adapter must hold to, ours or a third party's."""

from gameserver.testing.contract import ContractError
from gameserver.testing.games import check_game

__all__ = ["ContractError", "check_game"]
