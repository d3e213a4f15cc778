"""The settings that would hurt at an event are told before it, each in a sentence with what to do."""

from pathlib import Path
from typing import Any

import trio
from trio.testing import MockClock

from gameserver.authentication.roster import Roster
from gameserver.core.commands import EntryMode
from gameserver.flow_control.limits import Limits
from gameserver.http.host_context import HttpOptions
from gameserver.policies import Rules
from gameserver.server.preflight import warnings_before
from gameserver.tournaments.presets import preset
from tests.support.serving import Running, serving

FREE = 1_000_000_000


async def warnings_of(
    running: Running, *entered: str, entry: EntryMode = EntryMode.LOGGED_IN, **plan: Any
) -> list[str]:
    cup = preset("hanze", "Cup", "Tic-tac-toe", **plan)
    return list(await warnings_before(running.server._setup, running.server._read_model, cup, entry, entered))


def roster_of(directory: Path, text: str) -> Roster:
    file = directory / "class.csv"
    file.write_text(text, encoding="utf-8")
    roster = Roster(file, trio.current_time)
    roster.load()
    return roster


async def slow_match(running: Running) -> None:
    """A match in which ann or bob takes 8 s for a move."""
    first, second = await running.match()
    await trio.sleep(8)
    await first.send("move 4")
    await second.until("YOURTURN")
    await first.send("forfeit")
    await first.until("LOSS")


async def test_each_setting_that_would_hurt_is_told(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(trusted_proxies=("10.0.0.1",)), free_bytes=lambda: 3_500_000) as running:
        await slow_match(running)
        grades, proxy, address, clock, disk = await warnings_of(running, clock="turn 5s")
        assert "There is no roster" in grades
        assert "match.drop_grace_s = 30" in proxy
        assert f"No other machine reaches nc 127.0.0.1 {running.port}" in address
        assert "up to 8.0 s, of " in clock
        assert "turn 9s" in clock
        assert "has 3 MB left" in disk


async def test_nothing_is_told_where_nothing_would_hurt(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving(
        rules=Rules(drop_grace_ms=30_000),
        limits=Limits(trusted_proxies=("10.0.0.1",)),
        options_of={"http": HttpOptions("https://games.example.edu")},
        roster=roster_of(tmp_path, "name,secret\nzoe,correct horse\nyan,battery staple\n"),
        free_bytes=lambda: FREE,
    ) as running:
        await slow_match(running)
        told = {"entry": EntryMode.ROSTER, "clock": "turn 5s"}
        assert await warnings_of(running, "zoe", "yan", "house-random", **told) == []
        (unproven,) = await warnings_of(running, "zoe", "xia", **told)
        assert "under the name of xia" in unproven
        assert await warnings_of(running, "xia", event=False, **told) == [], "a match for practice gives no grade"
