"""Commands of a teacher to the running server: `gameserver status`, `kick`, `void`, `drain`."""

import getpass
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson
from attrs import asdict
from rich.table import Table

from gameserver.admin.client import AdminApiError, AdminClient, NoAccess, NotReached, client_of
from gameserver.cli.common import (
    CommandFailed,
    agreed,
    config_option,
    data_of,
    data_option,
    hall_of,
    maybe_why_option,
    plain_console,
    print_line,
    yes_option,
)
from gameserver.cli.fitted_table import Field, fitted
from gameserver.cli.output import write_data
from gameserver.database.address import is_postgresql
from gameserver.read_model.lobby_losses import losses_of_match
from gameserver.values import value

if TYPE_CHECKING:
    from gameserver.journal.journal import ServerPresence

_JSON = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
# Without a data file the token lies in the directory that the leader was started in: its machine alone is not enough.
_ELSEWHERE = "players and matches are shown on the leader's own machine, in the directory that it was started in"

F = TypeVar("F", bound=Callable[..., Any])


def _who() -> str:
    """The user's name, where the system knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # Windows has no pwd, which getpass imports; a container's user may have no entry there.
        return "teacher"


why_option = click.option("--why", required=True, metavar="TEXT", help="The reason; it is recorded.")
by_option = click.option(
    "--by", default=_who, metavar="NAME", help="Your name, for the record; by default your user name."
)


def of_running_server(command: F) -> F:
    """Gives an admin command the options that name its running server: the one started with the same."""
    return config_option(data_option(command))


@contextmanager
def running_server(config_file: Path | None, data: str | None) -> Iterator[AdminClient]:
    """Opens the connection by which a teacher's command line acts upon the server started with these settings.

    A refusal of the server ends the command with one line.
    """
    kept_in = data_of(config_file, data)
    try:
        yield client_of(kept_in, hall_of(config_file))
    except (NoAccess, NotReached, AdminApiError) as error:
        raise CommandFailed(str(error)) from error


@value
class KnownServer:
    """A server of a shared database, as the JSON of `gameserver status` has it."""

    name: str
    """Its machine and process, as HOST:PROCESS."""
    leads: bool
    row: int
    """The last row of the journal that it has."""
    rows_behind: int
    since_ms: int
    seen_ago_s: float
    """Seconds since it gave word: what it has is as of then."""


@click.command()
@of_running_server
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def status(config_file: Path | None, data: str | None, *, as_json: bool) -> None:
    """Show the state of the server: players, matches, rooms, queues; who leads and who stands by."""
    servers, shown, trouble = _state_of(data_of(config_file, data), hall_of(config_file))
    if as_json:
        both = shown if servers is None else {"servers": servers, **shown}
        write_data([orjson.dumps(both, default=asdict, option=_JSON).decode()])
        return
    console = plain_console()
    if trouble:
        print_line(console, trouble)
    if servers:
        console.print(servers_table(servers, console.width))
    if shown.get("drains"):
        console.print("The server is about to stop and starts no new matches.")
    for table in _tables(shown, console.width) if shown else ():
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
@maybe_why_option
@yes_option
@by_option
def void(config_file: Path | None, data: str | None, match: int, why: str, by: str, *, yes: bool) -> None:
    """End a match without a loser. `gameserver status` shows the numbers."""
    with running_server(config_file, data) as server:
        why = agreed("void", lambda: _lost_with(server, match), why, is_sure=yes)
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


def _lost_with(server: AdminClient, number: int) -> list[str]:
    """Describes a match that is to be ended. Raises `CommandFailed`."""
    for one in server.get("status")["matches"]:
        if one["match"] == number:
            players = " against ".join(one["players"])
            return [f"End match {number} without a loser: {players}, {one['game']}", *losses_of_match(one["moves"])]
    raise CommandFailed(f"no match {number} is being played; `gameserver status` shows the numbers")


def _state_of(kept_in: str, hall: str) -> tuple[Sequence[KnownServer] | None, dict[str, Any], str]:
    """The servers, if they share a database; the state of the one on this machine; what could not be learnt.

    Raises `CommandFailed` if that is everything.
    """
    servers, trouble = servers_of(kept_in, hall)
    shown: dict[str, Any] = {}
    try:
        shown = client_of(kept_in, hall).get("status")
    except (NoAccess, NotReached, AdminApiError) as error:
        if servers is None:
            raise CommandFailed(trouble or str(error)) from error
        trouble = _ELSEWHERE if servers else "no server is running"
    return servers, shown, trouble


def servers_of(data: str, hall: str) -> tuple[Sequence[KnownServer] | None, str]:
    """The servers of a hall for `gameserver status`, the leader first, and why the database could not be asked.

    There are None where it could not, and of data that one server has to itself. Raises `CommandFailed` where the
    driver is missing.
    """
    if not is_postgresql(data):
        return None, ""
    # Imported for a database alone: the journal comes with the lobby, which takes longer than all the rest.
    from gameserver.cli.databases import postgresql_servers  # noqa: PLC0415 - see above
    from gameserver.journal.journal import JournalBroken, JournalError  # noqa: PLC0415 - see above

    try:
        return ranked(postgresql_servers(data, hall)), ""
    except (JournalError, JournalBroken) as error:
        return None, str(error)


def ranked(servers: Sequence["ServerPresence"]) -> Sequence[KnownServer]:
    """Lists for `gameserver status` how far each server is behind the leader, or else the first of them."""
    # The word of a standby may be newer than the leader's, so that it would be ahead: that shows as 0.
    last = max((one.seq for one in servers if one.leads), default=max((one.seq for one in servers), default=0))
    return [
        KnownServer(one.name, one.leads, one.seq, max(0, last - one.seq), one.since_ms, round(one.seen_ago_s, 1))
        for one in servers
    ]


def servers_table(servers: Sequence[KnownServer], width: int) -> Table:
    """The table of a hall's servers in `gameserver status`: who leads, who stands by, how far behind."""
    rows = [
        {
            "name": one.name,
            "state": "leads" if one.leads else "stands by",
            "row": one.row,
            "behind": "" if one.leads else one.rows_behind,
            "heard": f"{one.seen_ago_s:.1f} s ago",
            "since": _time_of_day(one.since_ms),
        }
        for one in servers
    ]
    return _titled("Servers", rows, _SERVERS, width)


def _tables(shown: dict[str, Any], width: int) -> Iterable[Table]:
    """The answer to `status` for people."""
    players = [one | {"secret": "shown" if one["is_proven"] else ""} for one in shown["players"]]
    yield _titled("Players", players, _PLAYERS, width)
    matches = [one | {"since": _time_of_day(one["opened_wall_ms"])} for one in shown["matches"]]
    yield _titled("Matches", matches, _MATCHES, width)
    if shown["attacks"]:
        attacks = [
            one | {"since": _time_of_day(one["since_ms"]), "latest": _time_of_day(one["last_ms"])}
            for one in shown["attacks"]
        ]
        yield _titled("Wrong secrets", attacks, _ATTACKS, width)
    if shown["rooms"]:
        yield _titled("Rooms", shown["rooms"], _ROOMS, width)
    if shown["queues"] or shown["tickets"]:
        queues = [*shown["queues"], *map(_as_queue, shown["tickets"])]
        yield _titled("Queues", queues, _QUEUES, width)


def _as_queue(ticket: Mapping[str, Any]) -> Mapping[str, Any]:
    found = f", with {ticket['opponent']}" if ticket["opponent"] else ""
    away = "" if ticket["is_here"] else ", not here yet"
    return {"game": ticket["game"], "players": f"{ticket['player']} (ticket{found}{away})"}


@value
class _Shown:
    """A column of a table: its heading, and the key of its values. `drop` and `is_name` are those of a `Field`."""

    heading: str
    key: str
    drop: int = 0
    is_name: bool = False


_SERVERS = (
    _Shown("server", "name", is_name=True),
    _Shown("", "state"),
    _Shown("rows", "row"),
    _Shown("behind", "behind"),
    _Shown("heard", "heard"),
    _Shown("since", "since"),
)
_PLAYERS = (
    _Shown("player", "name", is_name=True),
    _Shown("protocol", "protocol", 3),
    _Shown("address", "address", 1),
    _Shown("match", "match"),
    _Shown("looking for", "seeks", 5),
    _Shown("room", "room", 4),
    _Shown("secret", "secret", 2),
)
_MATCHES = (
    _Shown("match", "match"),
    _Shown("game", "game", 3),
    _Shown("players", "players", is_name=True),
    _Shown("moves", "moves", 2),
    _Shown("phase", "phase", 4),
    _Shown("waiting for", "awaited", is_name=True),
    _Shown("away", "away", 5, is_name=True),
    _Shown("since", "since", 1),
)
_ATTACKS = (
    _Shown("name", "name", is_name=True),
    _Shown("tries", "tries"),
    _Shown("from", "addresses", is_name=True),
    _Shown("since", "since", 1),
    _Shown("latest", "latest"),
)
_ROOMS = (
    _Shown("room", "number"),
    _Shown("phase", "phase"),
    _Shown("players", "players", is_name=True),
    _Shown("match", "match"),
)
_QUEUES = (_Shown("game", "game"), _Shown("waiting", "players", is_name=True))


def _titled(title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[_Shown], width: int) -> Table:
    fields = [
        Field(one.heading, tuple(_cell(row[one.key]) for row in rows), is_name=one.is_name, drop=one.drop)
        for one in columns
    ]
    return fitted(fields, width, title=title)


def _time_of_day(wall_ms: int) -> str:
    return datetime.fromtimestamp(wall_ms / 1000).astimezone().strftime("%H:%M:%S")


def _cell(shown: object) -> str:
    """A value as text: names after one another, nothing for nothing."""
    return ", ".join(shown) if isinstance(shown, list) else "" if shown is None else str(shown)
