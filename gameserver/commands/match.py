"""`gameserver match A B`: two players meet many times, and what that says of who is the better one.

It is a tournament of two on the server that runs: each plays both seats, and both orders of the seats
get the same dice. So everything that a tournament can survive, a match can.
"""

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gameserver.commands.refused import Refused, WrongSettings
from gameserver.commands.running import by_option, of_running_server, running_server
from gameserver.commands.tournament_options import OVER
from gameserver.ratings.elo import EloDifference, elo_difference

POLL_S = 0.5
GAMES_IN_A_ROW = 100
"""The most that a plan can have of an encounter; a longer match is several."""


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--game", required=True, help="The game, as `gameserver plugins` lists it.")
@click.option("--games", type=click.IntRange(1, 1000), default=100, show_default=True)
@click.option("--turn-time", "turn_time_s", type=click.FloatRange(1, 3600), help="Seconds for a turn.")
@by_option
@of_running_server
def match(
    first: str,
    second: str,
    game: str,
    games: int,
    turn_time_s: float | None,
    by: str,
    config_file: Path | None,
    data: str | None,
) -> None:
    """Have FIRST and SECOND play each other, and tell who is how much the better one.

    Both have to be logged in, or be house players such as house-greedy. Ctrl-C ends the match early.
    """
    console = Console()
    with running_server(config_file, data) as server:
        number = _begun(server, first, second, game, games, turn_time_s, by)
        try:
            view = _watched(console, server, number, first, second, games)
        except KeyboardInterrupt:
            server.post("tournaments", str(number), "cancel", by=by, why="the match was ended early")
            view = server.get("tournaments", str(number))
    _tell(console, first, second, difference(view, first))


def difference(view: dict[str, Any], first: str) -> EloDifference:
    """What the games so far say, from the first player's side. What was not played says nothing."""
    counts = {"1-0": 0, "½-½": 0, "0-1": 0}
    flipped = {"1-0": "0-1", "0-1": "1-0", "½-½": "½-½"}
    for pairing in view["pairings"]:
        result = pairing["result"]
        if result in counts:
            counts[result if pairing["first"] == first else flipped[result]] += 1
    return elo_difference(counts["1-0"], counts["½-½"], counts["0-1"])


def _begun(server: Any, first: str, second: str, game: str, games: int, turn_time_s: float | None, by: str) -> int:
    if games > GAMES_IN_A_ROW and games % GAMES_IN_A_ROW:
        raise WrongSettings(f"more than {GAMES_IN_A_ROW} games come in hundreds: --games {games // 100 * 100 + 100}")
    if first == second:
        raise Refused("a match needs two players; a house player meets its like as house-random and house-random-2")
    here = {player["name"] for player in server.get("status")["players"]}
    for name in (first, second):
        if not name.startswith("house-") and name not in here:
            raise Refused(f"{name} is not here; `gameserver status` shows who is")
    in_a_row = min(games, GAMES_IN_A_ROW)
    changes: dict[str, Any] = {"games": in_a_row, "cycles": games // in_a_row, "draw": "entry", "challenges": False}
    if turn_time_s is not None:
        changes["turn_time_ms"] = round(turn_time_s * 1000)
    made = server.post(
        "tournaments",
        preset="hanze",
        name=f"{first} - {second}, {time.strftime('%Y-%m-%d %H:%M:%S')}",
        game=game,
        changes=changes,
        entry="roster",
        roster=[{"player": first}, {"player": second}],
        by=by,
    )
    server.post("tournaments", str(made["number"]), "start", by=by)
    return int(made["number"])


def _watched(console: Console, server: Any, number: int, first: str, second: str, games: int) -> dict[str, Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(f"{first} - {second}", total=games)
        view: dict[str, Any] = server.get("tournaments", str(number))
        while view["phase"] not in OVER:
            progress.update(task, completed=view["done"], description=f"{first}: {difference(view, first)}")
            time.sleep(POLL_S)
            view = server.get("tournaments", str(number))
    return view


def _tell(console: Console, first: str, second: str, found: EloDifference) -> None:
    if not found.games:
        console.print(f"{first} and {second} have played no game to its end")
        return
    console.print(f"{first} against {second}, {found.games} games", soft_wrap=True)
    console.print(str(found), soft_wrap=True)
