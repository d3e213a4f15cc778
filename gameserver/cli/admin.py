"""Commands of a teacher to the running server: `gameserver status`, `kick`, `void`, `drain`."""

import getpass
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson
from rich.table import Table

from gameserver.admin.client import AdminApiError, NotReached, client_of
from gameserver.admin.token_file import NoAccess
from gameserver.cli.common import CommandFailed, config_option, data_of, data_option, plain_console

F = TypeVar("F", bound=Callable[..., Any])


def _who() -> str:
    """The user's name, where the system knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "teacher"


why_option = click.option("--why", required=True, metavar="TEXT", help="The reason; it is recorded.")
by_option = click.option(
    "--by", default=_who, metavar="NAME", help="Your name, for the record; by default your user name."
)


def of_running_server(command: F) -> F:
    """The options that tell which server is meant: the one that was started with the same."""
    return config_option(data_option(command))


@contextmanager
def running_server(config_file: Path | None, data: str | None) -> Any:
    """A client of the server that was started with these settings; what it refuses ends the command with one line."""
    kept_in = data_of(config_file, data)
    try:
        yield client_of(kept_in)
    except (NoAccess, NotReached, AdminApiError) as error:
        raise CommandFailed(str(error)) from error


@click.command()
@of_running_server
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def status(config_file: Path | None, data: str | None, *, as_json: bool) -> None:
    """Show the state of the server: players, matches, rooms, queues."""
    with running_server(config_file, data) as server:
        shown = server.get("status")
    if as_json:
        click.echo(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    console = plain_console()
    if shown["drains"]:
        console.print("The server is about to stop and starts no new matches.")
    for table in _tables(shown):
        console.print(table)


@click.command()
@of_running_server
@click.argument("player")
@why_option
@by_option
def kick(config_file: Path | None, data: str | None, player: str, why: str, by: str) -> None:
    """End a player's connection. They may log in again; their match goes on as after a lost connection."""
    with running_server(config_file, data) as server:
        server.post("players", player, "kick", why=why, by=by)
    click.echo(f"{player} was disconnected")


@click.command()
@of_running_server
@click.argument("match", type=click.IntRange(min=1))
@why_option
@by_option
def void(config_file: Path | None, data: str | None, match: int, why: str, by: str) -> None:
    """End a match without a loser. `gameserver status` shows the numbers."""
    with running_server(config_file, data) as server:
        server.post("matches", str(match), "void", why=why, by=by)
    click.echo(f"match {match} is void")


@click.command()
@of_running_server
@click.option(
    "--within",
    "within_s",
    type=click.FloatRange(0, 86_400),
    default=300.0,
    show_default=True,
    help="Seconds to wait for the running matches; any that remain are saved for the next start.",
)
@click.option("--why", default="the server is to stop", metavar="TEXT", help="The reason; it is recorded.")
@by_option
def drain(config_file: Path | None, data: str | None, within_s: float, why: str, by: str) -> None:
    """Start no new matches, and stop the server when the running ones are over."""
    with running_server(config_file, data) as server:
        matches = server.post("drain", within_s=within_s, why=why, by=by)["matches"]
    running = "1 running match is" if matches == 1 else f"{matches} running matches are"
    when = f"when {running} over, in {within_s:g} s at the latest" if matches else "now"
    click.echo(f"no new matches start; the server stops {when}")


def _tables(shown: dict[str, Any]) -> Iterable[Table]:
    """The answer to `status` for people."""
    players = Table("player", "protocol", "address", "match", "looking for", "room", "secret", title="Players")
    for player in shown["players"]:
        proven = "shown" if player["is_proven"] else ""
        players.add_row(*_cells(player, "name", "protocol", "address", "match", "seeks", "table"), proven)
    yield players
    matches = Table("match", "game", "players", "moves", "phase", "waiting for", "away", "since", title="Matches")
    for match in shown["matches"]:
        since = _time_of_day(match["opened_wall_ms"])
        cells = _cells(match, "match", "game", "players", "moves", "phase", "awaited", "away")
        matches.add_row(*cells, since)
    yield matches
    if shown["attacks"]:
        attacks = Table("name", "tries", "from", "since", "latest", title="Wrong secrets")
        for attack in shown["attacks"]:
            times = (_time_of_day(attack[key]) for key in ("since_ms", "last_ms"))
            attacks.add_row(*_cells(attack, "name", "tries", "addresses"), *times)
        yield attacks
    if shown["tables"]:
        rooms = Table("room", "phase", "players", "match", title="Rooms")
        for room in shown["tables"]:
            rooms.add_row(*_cells(room, "number", "phase", "players", "match"))
        yield rooms
    if shown["queues"] or shown["tickets"]:
        queues = Table("game", "waiting", title="Queues")
        for queue in shown["queues"]:
            queues.add_row(*_cells(queue, "game", "players"))
        for ticket in shown["tickets"]:
            found = f", with {ticket['opponent']}" if ticket["opponent"] else ""
            away = "" if ticket["is_here"] else ", not here yet"
            queues.add_row(ticket["game"], f"{ticket['player']} (ticket{found}{away})")
        yield queues


def _time_of_day(wall_ms: int) -> str:
    return datetime.fromtimestamp(wall_ms / 1000).astimezone().strftime("%H:%M:%S")


def _cells(row: dict[str, Any], *names: str) -> list[str]:
    """Values as text: names after one another, nothing for nothing."""
    values = (row[name] for name in names)
    return [", ".join(value) if isinstance(value, list) else "" if value is None else str(value) for value in values]
