"""`gameserver rehearse`: how long a tournament will take, before anybody is there."""

import random
from itertools import count
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from gameserver.cli.common import CommandFailed, WrongSettings, config_option, plain_console
from gameserver.cli.effective_config import effective
from gameserver.cli.tournament_options import preset_option, set_option, setting
from gameserver.cli.tournament_text import duration
from gameserver.core.lobby import TournamentRow
from gameserver.rehearsal import CannotRehearse, Rehearsed, rehearse
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import progress

ROW_BYTES = 120
"""Bytes on the disk that a row of the journal and its move on record take beside the command itself."""


@click.command(name="rehearse")
@click.option("--game", required=True, help="The game, as `gameserver plugins` lists it.")
@click.option("--players", type=click.IntRange(2, 1000), default=30, show_default=True)
@preset_option("which")
@set_option
@click.option("--think", "think_s", type=click.FloatRange(0.001, 3600), default=0.5, show_default=True)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of the random moves; another one gives other games.",
)
@click.option("--absent", type=click.IntRange(min=0), default=0, show_default=True, help="Players who never come.")
@config_option
def rehearse_tournament(
    game: str,
    players: int,
    which: str,
    settings: tuple[str, ...],
    think_s: float,
    seed: int,
    absent: int,
    config_file: Path | None,
) -> None:
    """Play a tournament in virtual time, with players who move at random, and report how long it takes.

    Each move takes from nothing to twice --think seconds, and no longer than a turn can last. --config has the server's
    plug-ins and its time for a turn.
    """
    plug_ins, server_settings, _ = effective(config_file, None, ())
    found, rules = plug_ins.games, server_settings.rules()
    if game.lower() not in found:
        raise WrongSettings(f"there is no game {game!r}; there is {', '.join(one.name for one in found.values())}")
    try:
        chosen = {"turn_time_ms": None} if rules.has_own_turn_time else {}
        plan = preset(which, "Rehearsal", game, **chosen | dict(setting(text) for text in settings))
    except (ValueError, TypeError) as error:
        raise WrongSettings(str(error)) from error
    turn_time_ms = plan.turn_time_ms or rules.turn_time_ms
    chance = random.Random(seed)  # noqa: S311 - nothing is kept secret by it

    def think_ms() -> int:
        return min(turn_time_ms, 1 + int(chance.random() * 2 * think_s * 1000))

    # They are spread over the seeds, as in life.
    leaves_ms = {f"player {number}": 0 for number in chance.sample(range(1, players + 1), min(absent, players))}
    console = plain_console()
    columns = (TextColumn("playing, in virtual time"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        moves = count()

        def told(row: TournamentRow, now_ms: int) -> None:
            if next(moves) % 10 == 0:
                so_far = progress(row.state)
                total = None if so_far.left is None else so_far.done + so_far.playing + so_far.left
                bar.update(task, completed=so_far.done, total=total)

        try:
            done = rehearse(found, plan, players, think_ms, chance, told, leaves_ms)
        except CannotRehearse as error:
            raise CommandFailed(f"it cannot be played: {error}") from error
    console.print(_table(plan, players, think_s, turn_time_ms, done))


def _table(plan: Plan, players: int, think_s: float, turn_time_ms: int, done: Rehearsed) -> Table:
    # Slower moves make the games longer, not the pauses between them, nor the waits for players who do not come.
    idle_ms = min(done.took_ms, done.rested_ms + done.waited_ms)
    worst_ms = round((done.took_ms - idle_ms) * turn_time_ms / (think_s * 1000)) + idle_ms
    worst = duration(worst_ms)
    if plan.format is Format.ARENA:  # it lasts as long as the plan says, however slow the moves are
        worst = f"{duration(plan.duration_ms)} and the last games"
    table = Table(show_header=False, title=f"{plan.format.value} at {plan.game}, {players} players")
    rows: tuple[tuple[str, Any], ...] = (
        ("games", done.games),
        ("moves", done.moves),
        ("played at once, at the most", done.at_once),
        ("longest game", duration(done.longest_game_ms)),
        (f"expected to take, at {think_s:g} s a move", duration(done.took_ms)),
        ("of it, pauses between a player's games", duration(done.rested_ms)),
        *([("of it, waits for a player who does not come", duration(done.waited_ms))] if done.waited_ms else []),
        (f"at the worst, at {turn_time_ms / 1000:g} s a move", worst),
        ("disk", f"about {(done.journal_bytes + ROW_BYTES * done.moves) / 1_000_000:.1f} MB"),
    )
    for name, figure in rows:
        table.add_row(name, str(figure))
    return table
