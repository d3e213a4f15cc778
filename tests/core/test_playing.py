"""The table of what may come in which phase of a match."""

import itertools

from attrs import evolve

from gameserver.core import playing
from gameserver.core.commands import Leave, Play, Ready, Resign, TimeUp, Void
from gameserver.core.draft import Draft
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.core.lobby import At, Player
from gameserver.core.match import MatchPhase
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def test_every_pair_of_phase_and_command_is_judged() -> None:
    """Whatever comes in whatever phase: a legal answer, and no change where it is refused."""
    harness = LobbyHarness(catalogue(Countdown()))
    match, first, _ = harness.opened()
    commands = [
        Play(first, "1"),
        Ready(first),
        Resign(first),
        Leave(first),
        Player("ann", 9, "strategic", "10.0.0.1", ()),
        TimeUp(1),
        Void(1, "test"),
    ]
    assert set(playing.TRANSITIONS) == set(MatchPhase)
    for phase, command in itertools.product(MatchPhase, commands):
        draft = Draft(harness.lobby, At(harness.now_ms, harness.now_ms))
        answer = playing.act(draft, evolve(match, phase=phase), 0, command)
        if type(command) in playing.TRANSITIONS[phase]:
            refused = {TimeUp(1): Code.STALE} | (
                {Play(first, "1"): Code.NOT_STARTED} if phase is MatchPhase.READYING else {}
            )
            assert answer == (Rejected(refused[command]) if command in refused else Accepted())
        else:
            assert answer == Rejected(Code.NOT_IN_MATCH)
            assert draft.changes() == ()
