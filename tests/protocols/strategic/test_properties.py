"""Properties: any text stays within its line, and any chunks of the same bytes are the same conversation."""

from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.protocol import (
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    GameEnded,
    GamesListed,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    MoveRefused,
    PlayerShown,
    PlayersListed,
    Rejected,
    Result,
    Said,
)
from gameserver.time_control import TimeControl
from protocols.strategic.profiles import PROFILES
from tests.clients.strategic import read_line
from tests.support.strategic_client import StrategicClient, turn

ANY_TEXT = st.text(st.characters(), max_size=30)

HALF_A_PAIR = "a\ud800b"


def events_of(text):
    paired = MatchPaired(1, text, None, (text, "bob"), 1, TimeControl())
    return [
        PlayersListed((PlayerShown(text, "mastermind"), PlayerShown("bob", "strategic"))),
        GamesListed((text, "Reversi")),
        ChallengeOpened(1, text, text, TimeControl(10_000)),
        ChallengeClosed(1),
        MatchOpened(1, text, (text, "bob"), 1, 0, TimeControl()),
        MatchShown(1, text, (text, "bob"), 1, 0, TimeControl(), (MovePlayed(1, 0, text, text, None, text),), paired),
        turn(1, prompt=text),
        MovePlayed(1, 0, text, text, None, text),
        MovePlayed(1, 0, text, text, 4, text, By.SERVER),
        MoveRefused(1, 0, text, text, text),
        GameEnded(1, Result(EndReason.PLAYED, (0, 0), (), reason_text=text)),
        Said(text, text),
    ]


@given(ANY_TEXT)
@example(HALF_A_PAIR)
def test_no_text_breaks_out_of_its_quotes(text):
    events = events_of(text)
    ok, *lines = StrategicClient().asks("login ann", *events)
    assert ok == "OK"
    assert len(lines) == len(events) + 1
    for line in lines:
        read_line(line)


@given(st.sampled_from([*Code]), ANY_TEXT, st.sampled_from([*PROFILES]))
def test_no_fact_breaks_out_of_its_line(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "min_s", "max_s", "number", "count", "move"), text)
    (line,) = StrategicClient(profile).asks("get gamelist", answer=Rejected(code, facts))
    assert line.startswith("ERR ")
