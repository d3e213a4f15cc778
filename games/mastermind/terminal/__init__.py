"""Mastermind at a terminal: `gameserver play mastermind`.

board_text   The board as rich draws it
code_entry   Reading a code that a person typed
command      The command `gameserver play mastermind`
palette      Colours for values
terminal_io  The terminal as the game's IO
"""

from games.mastermind.terminal.command import COMMAND

__all__ = ["COMMAND"]
