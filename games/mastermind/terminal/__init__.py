"""Mastermind at a terminal: `gameserver play mastermind`.

command              the command and its options
terminal_io          draws the board, asks for codes
board_text           the board as rich draws it
code_entry           reads a code that a person typed
palette              colours, each with a name, a letter and a shape
"""

from games.mastermind.terminal.command import COMMAND

__all__ = ["COMMAND"]
