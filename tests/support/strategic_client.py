"""A client and its lobby, by hand: the tests say what is sent, what the lobby answers, and hear the lines."""

from gameserver.protocol import Accepted, Enter, MatchOpened, MovePlayed, TurnStarted
from gameserver.time_control import TimeControl
from protocols.strategic import PROTOCOL
from tests.clients.strategic import BANNERS, read_line
from tests.support.by_hand import ClientByHand

_BANNER_LINES = {line for banner in BANNERS.values() for line in banner}
GAMES = ("Battleship", "Chess", "Chess 960", "Fast Reversi", "Reversi", "Tic-tac-toe")


def lines_of(data: bytes) -> list[str]:
    """Read whole lines, each of which the strict client knows and no other line end cuts."""
    text = data.decode()
    *lines, rest = text.split("\r\n")
    assert rest == ""
    assert text.splitlines() == lines, text
    for line in lines:
        assert line in _BANNER_LINES or read_line(line)
    return lines


class StrategicClient(ClientByHand):
    """One connection of a profile."""

    protocol = PROTOCOL
    games = GAMES
    line_end = b"\r\n"
    heard_in = staticmethod(lines_of)

    def login(self, name="ann"):
        assert isinstance(self.send(f"login {name}"), Enter)
        assert self.hears(answer=Accepted()) == ["OK"]
        return self

    def play(self, seat=0, players=("ann", "bob"), match=1, game="Tic-tac-toe", first=0):
        """Log in and sit down."""
        self.login(players[seat])
        self.hears(MatchOpened(match, game, players, seat, first, TimeControl(10_000)))
        return self


def moved(player, number, seat=0, details="", match=1, **rest):
    return MovePlayed(match, seat, player, str(number), number, details, **rest)


def turn(*seats, number=1, prompt="", match=1):
    return TurnStarted(match, number, seats, prompt, 10_000)
