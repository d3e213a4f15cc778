"""The games and protocols of this repository, whatever else is installed beside it.

A developer may have a package of games or protocols in the same environment. Tests of ours are for
ours, so they take the plug-ins from here. Everything that is installed is
for tests of finding plug-ins, and for those that start a server, which would find it.
"""

from gameserver.cli.effective_config import find_plugins
from tests.support.example_games import PIG, ROCK_PAPER_SCISSORS

OWN = find_plugins(installed=False)

GAMES = (*OWN.games.values(), PIG, ROCK_PAPER_SCISSORS)
"""Every game, those of the examples too."""
