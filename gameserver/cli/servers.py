"""The servers of a shared database, for `gameserver status`: who leads, who stands by, and how far behind.

The database tells, so this works on any machine that can reach it. Players and matches are the leader's to tell, on
its own machine.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gameserver.cli.fitted_table import Field, fitted
from gameserver.database.address import is_postgresql
from gameserver.values import value

if TYPE_CHECKING:
    from rich.table import Table

    from gameserver.journal.journal import ServerPresence


@value
class Server:
    """A server, as JSON has it."""

    name: str
    """Its machine and process, as HOST:PROCESS."""
    leads: bool
    row: int
    """The last row of the journal that it has."""
    rows_behind: int
    since_ms: int
    seen_ago_s: float
    """Seconds since it gave word: what it has is as of then."""


def servers_of(data: str, hall: str) -> tuple[Sequence[Server] | None, str]:
    """The servers of a hall, the leader first, and why the database could not be asked; then there are None.

    There are None of data that one server has to itself, too. Raises `CommandFailed` where the driver is missing.
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


def ranked(servers: Sequence["ServerPresence"]) -> Sequence[Server]:
    """The servers with how far behind they are: behind the leader, or the first of them if there is none."""
    last = max((one.seq for one in servers if one.leads), default=max((one.seq for one in servers), default=0))
    return [
        Server(one.name, one.leads, one.seq, max(0, last - one.seq), one.since_ms, round(one.seen_ago_s, 1))
        for one in servers
    ]


def servers_table(servers: Sequence[Server], width: int) -> "Table":
    """The servers for people."""
    columns: Mapping[str, list[Any]] = {
        "server": [one.name for one in servers],
        "": ["leads" if one.leads else "stands by" for one in servers],
        "rows": [one.row for one in servers],
        "behind": ["" if one.leads else one.rows_behind for one in servers],
        "heard": [f"{one.seen_ago_s:.1f} s ago" for one in servers],
        "since": [datetime.fromtimestamp(one.since_ms / 1000).astimezone().strftime("%H:%M:%S") for one in servers],
    }
    fields = [Field(heading, tuple(map(str, cells)), is_name=heading == "server") for heading, cells in columns.items()]
    return fitted(fields, width, title="Servers")
