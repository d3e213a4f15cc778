import pytest

from gameserver.core.commands import Leave, Say
from gameserver.core.match import TurnClock
from gameserver.engine import batch
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.purity import ImpureDecisionError, watched


def test_values_are_equal_by_their_fields_and_cost_no_guard():
    assert Leave(1) == Leave(1) != Leave(2)
    assert hash(Leave(1)) == hash(Leave(1))
    assert not hasattr(Leave(1), "__dict__")
    assert Leave.__setattr__ is object.__setattr__
    assert repr(TurnClock(3)) == "TurnClock(deadline_ms=3, left_ms=None, from_ms=0)"


def test_a_decision_that_changes_a_row_in_place_is_found(monkeypatch):
    """Only mypy keeps a handler from it: nothing does at run time."""
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    honest = batch.decide

    def careless(lobby, command, at, **more):
        lobby.players["bob"].address = "10.9.9.9"
        return honest(lobby, command, at, **more)

    monkeypatch.setattr("gameserver.engine.batch.decide", watched(careless, every=1))
    with pytest.raises(ImpureDecisionError):
        harness.do(Say(1, "bob", "hello"))
