"""PostgreSQL dies, stands still, is cut off or is replaced by its replica: players wait, and nothing is lost.

A round or two of each here, many with `-m slow`. `failover` and `text_survivor` tell what is checked.
"""

import random
from collections.abc import Iterator

import pytest
import trio

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.failover import Hall, play_through, repeated
from tests.support.cable import Cable
from tests.support.postgresql import Cluster, Clusters, address

TURN_S = 2


@pytest.fixture
def cables(cluster: Cluster) -> Iterator[tuple[Cable, Cable]]:
    """Two ways to the database, which can be cut."""
    with Cable(cluster.port) as one, Cable(cluster.port) as other:
        yield one, other


def by(cable: Cable, database: str, cluster: Cluster) -> str:
    """The address of the database at the other end of a cable."""
    return cluster.address(database.rpartition("/")[2], cable.port)


@repeated(soon=2)
async def test_killed_database_is_a_pause_of_play(cluster, database, new_hall, run, rounds):
    async def killed(hall: Hall, chance: random.Random) -> None:
        await hall.strike(chance, cluster.kill)
        await trio.sleep(chance.choice([0, chance.uniform(0, 1)]))
        await trio.to_thread.run_sync(cluster.start)
        await hall.moves(1)

    hall = new_hall(database)
    await play_through(hall, database, run, rounds, killed)
    assert hall.generation == 1, "a player had to come anew"


@repeated(soon=0)
async def test_after_a_killed_database_one_of_two_servers_leads(cluster, database, new_hall, run, rounds):
    async def killed(hall: Hall, chance: random.Random) -> None:
        await hall.standby.stands_by()
        generation, leader = hall.generation, hall.leader
        await hall.strike(chance, cluster.kill)
        await trio.sleep(chance.choice([0, chance.uniform(0, 1)]))
        await trio.to_thread.run_sync(cluster.start)
        await hall.moves(chance.randint(1, 20))
        if hall.generation > generation:
            assert "another server leads" in await leader.stops_with_one_line()
            leader.rejoin()

    hall = new_hall(database, database)
    await play_through(hall, database, run, rounds, killed)


@repeated(soon=0)
async def test_stopped_database_is_a_pause_of_play(cluster, database, new_hall, run, rounds):
    async def paused(hall: Hall, chance: random.Random) -> None:
        await hall.strike(chance, cluster.pause)
        await trio.sleep(chance.choice([chance.uniform(0, 2), chance.uniform(2, 8)]))
        cluster.resume()
        await hall.moves(1)

    hall = new_hall(database)
    await play_through(hall, database, run, rounds, paused)
    assert hall.generation == 1, "a player had to come anew"


@repeated(soon=0)
async def test_short_cut_is_a_pause_of_play(cluster, database, cables, new_hall, run, rounds):
    async def cut(hall: Hall, chance: random.Random) -> None:
        await hall.standby.stands_by()
        cable = cables[hall.members.index(hall.leader)]
        await hall.strike(chance, cable.pull)
        await trio.sleep(chance.uniform(0, 1.5))
        cable.plug()
        await hall.moves(1)

    hall = new_hall(*(by(cable, database, cluster) for cable in cables))
    await play_through(hall, database, run, rounds, cut)
    assert hall.generation == 1, "a player had to come anew"


@repeated(soon=0)
async def test_broken_connection_is_a_pause_of_play(cluster, database, cables, new_hall, run, rounds):
    async def broken(hall: Hall, chance: random.Random) -> None:
        await hall.strike(chance, cables[0].break_connections)
        await hall.moves(1)

    hall = new_hall(by(cables[0], database, cluster))
    await play_through(hall, database, run, rounds, broken)
    assert hall.generation == 1, "a player had to come anew"


@repeated(soon=0)
async def test_standby_takes_over_from_a_leader_that_is_cut_off(cluster, database, cables, new_hall, run, rounds):
    async def cut(hall: Hall, chance: random.Random) -> None:
        await hall.standby.stands_by()
        generation, old = hall.generation, hall.leader
        cable = cables[hall.members.index(old)]
        await hall.strike(chance, cable.pull)
        await hall.after(generation)
        hall.end_sessions(old)
        await hall.moves(1)
        await trio.sleep(chance.uniform(0, 4))
        cable.plug()
        assert "another server leads" in await old.stops_with_one_line()
        old.rejoin()

    hall = new_hall(*(by(cable, database, cluster) for cable in cables))
    await play_through(hall, database, run, rounds, cut)


@repeated(soon=0)
async def test_server_without_a_database_ends_with_one_line(cluster, database, cables, new_hall, run, rounds):
    async def cut(hall: Hall, chance: random.Random) -> None:
        generation = hall.generation
        await hall.strike(chance, cables[0].pull)
        line = await hall.leader.stops_with_one_line()
        assert "stopped: the journal has failed for 1 s" in line
        cables[0].plug()
        hall.leader.rejoin()
        await hall.lead_after(generation)

    hall = new_hall(by(cables[0], database, cluster), journal={"commit_retry_s": 1.0})
    await play_through(hall, database, run, rounds, cut)


@repeated(soon=0)
async def test_promoted_replica_has_everything(clusters: Clusters, new_hall, run, rounds):
    primary = clusters.make().start()
    name = primary.new_database()
    replica = primary.synchronous_replica()
    both = [primary, replica]

    async def promoted(hall: Hall, chance: random.Random) -> None:
        primary, replica = both
        generation, leader = hall.generation, hall.leader
        await hall.strike(chance, primary.kill)
        await trio.sleep(chance.choice([0, chance.uniform(0, 1)]))
        await trio.to_thread.run_sync(replica.promote)
        await hall.moves(chance.randint(1, 20))
        if hall.generation > generation:
            assert "another server leads" in await leader.stops_with_one_line()
            leader.rejoin()
        primary.remove()
        both[:] = replica, await trio.to_thread.run_sync(replica.synchronous_replica, primary.port)

    anywhere = address([(each.hosts[0], each.port) for each in both], name)
    hall = new_hall(anywhere, anywhere)
    await play_through(hall, anywhere, run, rounds, promoted)
    for each in both:
        each.stop()


async def test_clocks_stand_while_the_database_is_cut_off(cluster, database, cables, new_hall):
    hall = new_hall(by(cables[0], database, cluster), match={"turn_time_s": TURN_S})
    server = hall.leader.start()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    cables[0].pull()
    # The heartbeat finds it out within a second, without any move.
    await trio.sleep(TURN_S + 1)
    cables[0].plug()
    assert second.ask("move 0") == "OK"
    second.expect("SVR GAME MOVE ")
    first.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    assert server.stop() == 0
