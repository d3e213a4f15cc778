"""A client and its lobby, by hand: the tests say what is sent, what the lobby answers, and hear the messages."""

from gameserver.protocol import (
    Accepted,
    Answer,
    Challenge,
    EndReason,
    Enter,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    Result,
    TurnStarted,
)
from gameserver.time_control import TimeControl
from protocols.mastermind import PROTOCOL
from protocols.mastermind.session import MastermindStage
from tests.clients.mastermind import read_message
from tests.support.by_hand import ClientByHand

NEW_GAME = '0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}'
ACCEPT = '5|{"Accept":true,"Attributes":{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'
GUESS = '1|{"Guess":[0,0,1,1]}'
RETREAT = "4|{}"
NO_GAME = '6|{"Message":"No active Game","ErrorType":2}'
BROKEN = '6|{"Message":"I have no idea that happened","ErrorType":3}'


def line_of(data: bytes) -> str:
    """Read one whole message, which the strict client knows."""
    line, rest = data.split(b"\n")
    assert rest == b""
    read_message(line)
    return line.decode()


class MastermindClient(ClientByHand):
    """One connection of a profile."""

    protocol = PROTOCOL
    games = ("Mastermind",)
    heard_in = staticmethod(line_of)

    @property
    def stage(self):
        return self.adapter.session.stage

    def asks(self, line, *events, answer: Answer | None = None):
        """Send a message that goes to the lobby; the one message that its answer and events sound like."""
        (said,) = super().asks(line, *events, answer=answer)
        return said

    def hears(self, *events: Event, answer: Answer | None = None):
        return [line_of(output.data) for output in self.outputs(*events, answer=answer)]

    # One stage after the other.

    def enter(self, line=NEW_GAME):
        """Ask for the first game, and be let in; the challenge that follows."""
        assert isinstance(self.send(line), Enter)
        assert self.hears(answer=Accepted()) == []
        challenge = self.adapter.next()
        assert isinstance(challenge, Challenge)
        return challenge

    def play(self, line=NEW_GAME, match=1):
        self.enter(line)
        (accept,) = self.hears(opened(match), turn(match), answer=Accepted())
        assert accept == line.replace("0|", '5|{"Accept":true,"Attributes":', 1) + "}"
        return self

    def over(self):
        self.play()
        assert self.asks(RETREAT, *resigned()).startswith("3|")
        return self


def at(stage, profile="document"):
    """A client at a stage."""
    client = MastermindClient(profile)
    if stage is MastermindStage.PLAYING:
        client.play()
    elif stage is MastermindStage.IDLE:
        client.over()
    assert client.stage is stage
    return client


def opened(match=1):
    return MatchOpened(match, "Mastermind", ("house-random", "mm-1-7"), 1, 1, TimeControl())


def turn(match=1, number=1):
    return TurnStarted(match, number, (1,), "Guess 1 of 12: 4 values from 0 to 5 such as 0123", None)


def moved(guess, exact, partial, match=1):
    return MovePlayed(match, 1, "mm-1-7", guess, None, f"{exact} exact {partial} partial")


def ended(reason=EndReason.PLAYED, winners=(1,), revealed="5355", match=1):
    points = (0, 0) if not winners else (-1, 1) if winners == (1,) else (1, -1)
    return GameEnded(match, Result(reason, points, winners, revealed=revealed)), MatchEnded(
        match, Result(reason, (), ())
    )


def resigned(match=1):
    return ended(EndReason.RESIGNED, (0,), match=match)


def error(message, kind):
    return f'6|{{"Message":"{message}","ErrorType":{kind}}}'
