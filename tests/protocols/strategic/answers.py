"""Answers of the lobby and lines of the server that several tests use."""

from gameserver.protocol import Accepted, GamesListed, PlayerShown, PlayersListed

YOURTURN = 'SVR GAME YOURTURN {TURNMESSAGE: ""}'

NOT_LOGGED_IN = "ERR Not logged in"

OK = Accepted()
GAMELIST = GamesListed(("Reversi", "Tic-tac-toe"))


def players(*names):
    return PlayersListed(tuple(PlayerShown(name, "strategic") for name in names))
