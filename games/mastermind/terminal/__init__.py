"""Mastermind at a terminal: `gameserver play mastermind`."""

from games.mastermind.terminal.command import COMMAND

__all__ = ["COMMAND"]
