"""`gameserver rehearse` tells what an event costs: an arena by its length, with the server's settings, and no-shows."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from gameserver.cli import rehearse
from gameserver.cli.rehearse import rehearse_tournament


def rehearsed(*options: str) -> dict[str, str]:
    """The rows of the table."""
    done = CliRunner().invoke(rehearse_tournament, ["--game", "Tic-tac-toe", "--players", "6", *options])
    assert done.exit_code == 0, done.output
    cells = [line.strip("│ ").split("│") for line in done.output.splitlines() if line.count("│") == 3]
    return {cell[0].strip(): cell[-1].strip() for cell in cells}


def test_an_arena_lasts_as_long_as_its_plan_says() -> None:
    rows = rehearsed("--preset", "arena", "--set", "duration_ms=60000")
    assert rows["at the worst, by the clock turn 10s"] == "1:00 min and the last games"


@pytest.mark.parametrize(("changes", "turn"), [((), "4s"), (("--set", "clock=turn 7s"), "7s")])
def test_the_config_has_the_time_for_a_turn(tmp_path: Path, changes: tuple[str, ...], turn: str) -> None:
    config = tmp_path / "server.toml"
    config.write_text('[match]\nclock = "turn 4s"\n', "utf-8")
    assert f"at the worst, by the clock turn {turn}" in rehearsed("--config", str(config), *changes)


@pytest.mark.parametrize(
    ("clock", "worst"),
    [
        # Five matches of each player, in which both use all of their five minutes, and four pauses of 2 s.
        ("5m", "50:08 min"),
        ("none", "no bound"),
        # Matches that are given up here after three moves might have gone on, by 2 s for each.
        ("5m+2s", "no bound"),
    ],
)
def test_a_bank_bounds_what_it_takes_at_the_worst(monkeypatch: pytest.MonkeyPatch, clock: str, worst: str) -> None:
    monkeypatch.setattr(rehearse, "_MOVES_MAX", 3)
    rows = rehearsed("--set", f"clock={clock}")
    assert rows[f"at the worst, by the clock {clock}"].startswith(worst)


def test_players_who_never_come_cost_their_waits() -> None:
    (all_here, one_away) = (rehearsed("--absent", count)["expected to take, at 0.5 s a move"] for count in "01")
    assert "min" not in all_here
    assert one_away.endswith(" min")
