"""Draws of a match: the same for the same seed, and told only to the players who may see them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon import BACKGAMMON
from gameserver.core.commands import Arrive, Book, Capability, Play, Ready, ServerStarted
from gameserver.core.events import MatchOpened, MovePlayed, OwnDrawShown
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(BACKGAMMON)
SESSIONS = {"ann": 1, "bob": 2}


def waiting(seed: str = "5eed" * 16, *, plays_dice: dict[str, bool] | None = None) -> LobbyHarness:
    """Two who play by hand, in a match that waits for them."""
    harness = LobbyHarness(GAMES)
    harness.do(ServerStarted(2, seed, harness.rules, (), {BACKGAMMON.name: BACKGAMMON.version}))
    plays_dice = plays_dice or dict.fromkeys(SESSIONS, True)
    for who, session in SESSIONS.items():
        seat_options = {"by_hand": True, "plays_opening_dice": plays_dice[who]}
        harness.do(Book(90, who, f"gx-{who}", who, "10.0.0.1", BACKGAMMON.name, {}, seat_options))
        harness.do(Arrive(session, who, who, "gammonx", "10.0.0.1", (Capability.READY,)))
        harness.now_ms += 1
    harness.heard.clear()
    return harness


def own_draws(harness: LobbyHarness, session: int) -> list[int]:
    return [event.value for event in harness.hear(session) if isinstance(event, OwnDrawShown)]


def opening_dice(harness: LobbyHarness, session: int) -> list[str]:
    told = [
        event.draws if isinstance(event, MatchOpened) else (event,)
        for event in harness.hear(session)
        if isinstance(event, MatchOpened | MovePlayed)
    ]
    return [draw.text for draws in told for draw in draws if draw.seat is None]


@settings(max_examples=10)
@given(seed=st.integers(0, (1 << 256) - 1), first=st.sampled_from([1, 2]))
def test_shown_die_is_the_one_that_falls_and_only_its_player_sees_it(seed, first):
    harness, second = waiting(f"{seed:064x}"), 3 - first
    command = Ready
    for _ in range(40):
        harness.heard.clear()
        harness.do(command(first))
        assert own_draws(harness, second) == []
        (shown,) = own_draws(harness, first)
        harness.do(command(second))
        assert own_draws(harness, second) == [], "the dice have fallen: there is nothing to foretell"
        (dice,) = opening_dice(harness, first)
        assert int(dice.split()[first - 1]) == shown
        if len(set(dice.split())) == 2:
            break
        command = lambda session: Play(session, "roll")  # noqa: E731
    harness.check_restored()


@pytest.mark.parametrize("seed", [f"{number:064x}" for number in range(20)])
def test_a_tie_that_nobody_is_told_of_is_passed_over(seed):
    harness = waiting(seed, plays_dice={"ann": True, "bob": False})
    harness.do(Ready(1))
    (shown,) = own_draws(harness, 1)
    harness.do(Ready(2))
    *_, last = opening_dice(harness, 2)
    assert int(last.split()[0]) == shown
