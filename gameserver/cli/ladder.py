"""`gameserver ladder`: opens the ladder of a game on the running server, closes it, and shows what goes on there."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from gameserver.cli.admin import by_option, of_running_server, running_server
from gameserver.cli.common import CommandFailed


@click.group()
def ladder() -> None:
    """Open the ladder of a game, where programs play all day; close it, or show it.

    On a ladder, programs that wait for an opponent are paired with near-equal ones that they have met least. It does
    not end by itself.
    """


@ladder.command(name="open")
@of_running_server
@click.argument("game")
@by_option
def open_ladder(config_file: Path | None, data: str | None, game: str, by: str) -> None:
    """Open the ladder of a game."""
    with running_server(config_file, data) as server:
        name = server.post("ladders", game, "open", by=by)["game"]
    click.echo(f"the ladder of {name} is open: programs that look for {name} and find nobody are paired by it")


@ladder.command(name="close")
@of_running_server
@click.argument("game")
@by_option
def close_ladder(config_file: Path | None, data: str | None, game: str, by: str) -> None:
    """Close the ladder of a game. Its matches are played to their ends, and those who wait meet at once."""
    with running_server(config_file, data) as server:
        name = server.post("ladders", game, "close", by=by)["game"]
    click.echo(f"the ladder of {name} is closed; its results, ratings and rankings stay on record")


@ladder.command(name="status")
@of_running_server
@click.argument("game", required=False)
def show_ladder(config_file: Path | None, data: str | None, game: str | None) -> None:
    """Show the open ladders, or that of one game."""
    with running_server(config_file, data) as server:
        found = server.get("ladders")["ladders"]
    shown = [one for one in found if game is None or one["game"].lower() == game.lower()]
    if not shown:
        which = "no ladder is open" if game is None else f"the ladder of {game} is not open"
        raise CommandFailed(f"{which}; `gameserver ladder open {game or 'GAME'}` would open it")
    for one in shown:
        click.echo(_sentence(one))


def _sentence(one: Mapping[str, Any]) -> str:
    since = datetime.fromtimestamp(one["since_wall_ms"] / 1000).astimezone()
    told = f"{one['game']}: open since {since:%Y-%m-%d %H:%M}, {one['players']} players in the last week"
    told += f", {one['matches_a_day']} matches in the last day"
    return told if one["waits_for"] is None else f"{told}; it waits for the tournament {one['waits_for']}"
