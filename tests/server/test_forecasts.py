"""A tournament is forecast in sentences, from the matches on record, and one that cannot end in time is refused."""

from typing import Any

from trio.testing import MockClock

from gameserver.core.commands import EntryMode
from gameserver.server.forecasts import forecast_before, moves_of
from gameserver.tournaments.presets import preset
from tests.server.test_setup import slow_match
from tests.support.games import Broken, Countdown
from tests.support.serving import Running, serving

NAMES = ("ann", "bob", "cyd", "dan")
MINUTE_MS = 60_000


async def told(running: Running, *names: str, within_ms: int = 0, **plan: Any) -> tuple[str, str]:
    server = running.server
    league = preset("league", "Cup", "Tic-tac-toe", **plan)
    sentences, objection = await forecast_before(
        server._setup, server._read_model, league, EntryMode.ROSTER, names, within_ms
    )
    return "\n".join(sentences), objection


async def test_a_forecast_names_its_figures_and_shorter_plans(autojump_clock: MockClock) -> None:
    async with serving() as running:
        before, objection = await told(running, *NAMES)
        assert before.startswith("About 12 matches of 4 players: begun now, it takes ")
        assert "No measured times: counted with 0.5 s a move and 8 moves a match." in before
        assert "if every move takes all the time that the clock (turn 10s) gives" in before
        assert "Shorter: round robin (preset hanze), " in before
        assert objection == ""
        assert "At worst: no bound, as neither the clock (none) nor" in (await told(running, *NAMES, clock="none"))[0]
        assert "once two players are entered" in (await told(running, "ann"))[0]
        await slow_match(running)
        assert "Counted from matches on record: 1, with 2 of 4 players in them." in (await told(running, *NAMES))[0]


async def test_until_proposes_the_fullest_plan_that_ends_in_time(autojump_clock: MockClock) -> None:
    async with serving() as running:
        assert (
            "does: double round robin (preset league) fits"
            in (await told(running, *NAMES, within_ms=60 * MINUTE_MS))[0]
        )
        _, objection = await told(running, *NAMES, within_ms=3 * MINUTE_MS, pause_ms=30_000)
        assert objection.startswith("This plan may end only at ")
        assert ": round robin (preset hanze) comes nearest" in objection
        _, objection = await told(running, *NAMES, within_ms=1000)
        assert " is before anything can end: the shortest plan, " in objection
        assert " at the earliest, and most likely by " in objection


def test_the_moves_of_a_game_without_an_end_or_with_a_bug_are_guessed() -> None:
    assert moves_of(Broken("play")) == (40, 0)
    assert moves_of(Countdown())[1] > 0
