"""What `gameserver status` shows of the servers of a shared database."""

from gameserver.cli.servers import Server, ranked, servers_of, servers_table
from gameserver.journal.journal import ServerPresence


def presence(name: str, seq: int, *, leads: bool = False) -> ServerPresence:
    return ServerPresence(name, leads, seq, 1_700_000_000_000, 0.2499)


def test_standbys_are_behind_the_leader() -> None:
    one, ahead, behind = ranked([presence("a:1", 100, leads=True), presence("b:2", 101), presence("c:3", 90)])
    assert one == Server("a:1", True, 100, 0, 1_700_000_000_000, 0.2)
    assert (ahead.rows_behind, behind.rows_behind) == (0, 10), "the leader's word may be older than a standby's"


def test_without_a_leader_they_are_behind_the_first_of_them() -> None:
    assert [one.rows_behind for one in ranked([presence("b:2", 101), presence("c:3", 90)])] == [0, 11]
    assert ranked([]) == []


def test_table_fits_a_terminal() -> None:
    table = servers_table(ranked([presence("a-rather-long-name.example.edu:12345", 10**9, leads=True)]), 80)
    assert table.title == "Servers"
    assert len(table.columns) == 6


def test_data_file_has_no_servers() -> None:
    assert servers_of("gameserver.sqlite3", "") is None
    assert servers_of(":memory:", "") is None
