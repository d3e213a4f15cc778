"""Mastermind at a terminal: `gameserver play mastermind`."""

from terminals.mastermind.command import COMMAND

__all__ = ["COMMAND"]
