"""The record of a match, in words and in the documentation."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.chance import commitment
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import MatchChance
from gameserver.database.connection import DatabaseError
from gameserver.journal.journal import Journal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.explanations import blame, explain_pairing, explanation
from gameserver.records.match_record import DrawRecord, EpochRecord, MoveRecord, time_of_day
from gameserver.records.store import read_match
from gameserver.records.tournament_record import record_of_tournament
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Cancel
from gameserver.tournaments.presets import preset
from gameserver.values import evolved
from tests.core.conversing import Conversation, conversations
from tests.exports.matches import played
from tests.records.test_tournament_record import plan_of
from tests.support.games import Countdown, catalogue
from tests.support.journals import open_journal
from tests.support.lobbies import LobbyHarness
from tests.tournaments.playing import World, entered, started

LATEST_MS = 253_402_300_799_999
"""The end of the year 9999."""


@given(st.integers(0, LATEST_MS))
def test_a_time_of_day_is_written_as_the_standard_library_writes_it(wall_ms: int) -> None:
    seconds, ms = divmod(wall_ms, 1000)
    plain = datetime.fromtimestamp(seconds, UTC).replace(microsecond=1000 * ms)
    assert time_of_day(wall_ms) == plain.isoformat(timespec="milliseconds")


def test_chance_comes_back_whole_and_the_secret_of_a_pair_with_its_tournament(journal: Journal) -> None:
    cup = entered(plan_of("league"), 2)
    chance = MatchChance(cup.seed, "both|0|0|p01|p02", (("Åsa", "2a00ff"),))
    own = MatchChance("ab" * 32, "2", ())
    facts = [
        {"match": number, "key": key, "contributions": of.contributions, "chance_key": of.key}
        | {"seed_commitment": commitment(of.seed), "commitment": of.commitment}
        for number, key, of in ((1, "", chance), (2, own.secret, own))
    ]
    moves = (MoveRecord(1, None, "3 5", "chance", 0, 0, sides=6), MoveRecord(2, 0, "7", "server", 5, 0, sides=9, lot=7))
    one = evolved(played("Reversi"), tournament=3, moves=moves, seat_lots=(2,), rated=False)
    records = [evolved(one, **each) for each in facts]
    journal.append([], [*records, record_of_tournament(None, TournamentRow(3, cup))])
    assert list(journal.read_records()) == records
    assert journal.reader().match(1).draws == (
        *(DrawRecord("seats", 0, 2, 2), DrawRecord("draw", 0, 6, 3), DrawRecord("draw", 1, 6, 5)),
        DrawRecord("late", 0, 9, 7),
    )
    over = TournamentRow(3, apply(cup, Cancel("Ms Reed", "fire")), is_seed_told=True)
    journal.append([], [record_of_tournament(TournamentRow(3, cup), over)])
    assert [record.key for record in journal.read_records()] == [chance.secret, own.secret]


@pytest.mark.parametrize("column", ["seats_by", "seat_lots", "contributions"])
def test_a_match_that_somebody_changed_by_hand_is_named(database: sqlite3.Connection, column: str) -> None:
    database.execute(f"UPDATE match SET {column} = '1x'")
    with pytest.raises(DatabaseError, match="match 1 is not on record as it was written: "):
        read_match(database, 1)
    database.rollback()


def test_epochs_are_told_once(journal: Journal) -> None:
    begun = EpochRecord("ab" * 32, 1, 1, None, "2026-09-21T14:13:20.500+00:00")
    told = evolve(begun, last_match=7, seed="cd" * 32, told_at="2026-09-22T14:13:20.500+00:00")
    following = EpochRecord("ef" * 32, 2, 8, None, "2026-09-22T14:13:20.500+00:00")
    journal.append([], [begun])
    assert journal.reader().epochs() == (begun,)
    journal.append([], [told, following])
    assert journal.reader().epochs() == (following, told)


CONVERSATIONS = list(conversations(Path(__file__).with_name("explanations.txt").read_text("utf-8")))


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=attrgetter("title"))
def test_it_goes_as_written(conversation: Conversation) -> None:
    conversation.perform()


def test_the_network_is_measured_for_the_teacher() -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    _, mover, _ = harness.opened()
    harness.leave(mover)
    (record,) = harness.records
    seats = tuple(
        evolve(seat, round_trip_us=1_240, round_trip_deviation_us=90, segments_resent=2) for seat in record.seats
    )
    measured = evolve(record, seats=seats)
    assert "took 1.2 ms ± 0.1 at the end, 2 segments were retransmitted" in "\n".join(blame(measured))
    assert "ms ±" not in "\n".join(explanation(measured)), "nobody else's business"


@pytest.mark.parametrize(("which", "where"), [("swiss", ", round 1"), ("arena", ""), ("cup", ", Semi-final")])
def test_the_round_is_named_where_there_is_one(which: str, where: str) -> None:
    world = World(started(preset(which, "Cup", "Reversi"), 4), 3)
    world.pair()
    (line, *_) = explain_pairing(record_of_tournament(None, TournamentRow(1, world.tournament)), 1, ())
    first, second = world.tournament.pairings[0].seats
    assert line.startswith(f"pairing 1 of Cup (tournament 1){where}: {first} - {second}, ")


if TYPE_CHECKING:
    import psycopg

    from tests.support.postgresql import Cluster

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text("utf-8")
FOR_BOTH, IN_POSTGRESQL = (re.findall(r"```sql\n(.*?)```", part, re.DOTALL) for part in PAGE.split("## In PostgreSQL"))
ROLE, *QUERIES_WITH_HALLS = IN_POSTGRESQL
SECRET = ["journal", "snapshot", "leader", "server", "schema_version"]
"""Tables that the role must not read."""


def _table_of(query: str) -> str:
    return query.split("FROM ")[1].split(maxsplit=1)[0]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("records") / "data.sqlite3"
    journal = SqliteJournal(path)
    journal.append([], [played("Tic-tac-toe")])
    journal.close()
    with closing(sqlite3.connect(path)) as connection:
        yield connection


@pytest.fixture(scope="module")
def teacher(_shared_cluster: "Cluster", _template: str) -> Iterator["psycopg.Connection"]:
    """A connection to the same records in PostgreSQL, as the page's role."""
    import psycopg  # noqa: PLC0415 - an extra

    cluster = _shared_cluster.ensure()
    name = cluster.new_database(_template)
    with closing(open_journal(cluster.address(name))) as journal:
        journal.append([], [played("Tic-tac-toe")])
    cluster.execute(ROLE, database=name)
    address = cluster.address(name).replace("//postgres@", "//teacher@")
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection
    for statement in ("DROP OWNED BY teacher", "DROP ROLE teacher"):
        cluster.execute(statement, database=name)
    cluster.drop(name)


def test_there_are_queries() -> None:
    assert len(FOR_BOTH) > 5
    assert len(QUERIES_WITH_HALLS) > 2


@pytest.mark.parametrize("table", SECRET)
def test_the_role_cannot_read_what_is_secret(teacher: "psycopg.Connection", table: str) -> None:
    for schema in ("gameserver", "gameserver_hall"):
        with pytest.raises(Exception, match="permission denied"):
            teacher.execute(f"SELECT * FROM {schema}.{table}".encode())


def test_the_role_reads_every_table_of_records(teacher: "psycopg.Connection") -> None:
    names = {
        name
        for (name,) in teacher.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'gameserver'::regnamespace AND relkind IN ('r', 'v')"
        )
    }
    for name in names - set(SECRET) - {"roster", "hall"}:
        assert teacher.execute(f"SELECT * FROM {name}".encode()).description


def test_the_role_cannot_write(teacher: "psycopg.Connection") -> None:
    teacher.execute("SET default_transaction_read_only = off")
    with pytest.raises(Exception, match="permission denied"):
        teacher.execute("DELETE FROM match")


@pytest.mark.parametrize("table", ["match", "seat", "game", "move", "rating", "attendance", "epoch", "restart"])
def test_every_column_is_explained(database: sqlite3.Connection, table: str) -> None:
    section = re.search(rf"^`{table}`: .*?\n\n(.*?)\n\n", PAGE, re.DOTALL | re.MULTILINE)
    explained = [name for row in section[1].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(explained) == sorted(name for _, name, *_ in database.execute(f"PRAGMA table_info({table})"))


def test_every_table_is_named(database: sqlite3.Connection) -> None:
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"):
        assert f"`{name}`" in PAGE


def test_the_views_show_both_players(database: sqlite3.Connection) -> None:
    rows = database.execute("SELECT player, opponent, result FROM result ORDER BY seat").fetchall()
    assert len(rows) == 2
    assert rows[0][:2] == rows[1][1::-1]
    (moves,) = database.execute("SELECT count(*) FROM player_move").fetchone()
    assert moves == database.execute("SELECT count(*) FROM move WHERE seat IS NOT NULL").fetchone()[0]


@pytest.mark.parametrize("query", FOR_BOTH, ids=_table_of)
def test_the_queries_run(database: sqlite3.Connection, query: str) -> None:
    assert database.execute(query).description


@pytest.mark.parametrize("query", [*FOR_BOTH, *QUERIES_WITH_HALLS], ids=_table_of)
def test_the_queries_run_in_postgresql(teacher: "psycopg.Connection", query: str) -> None:
    assert teacher.execute(query.encode()).description
