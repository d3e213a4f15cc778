"""A database on a machine of its own, behind links that lose every packet when they are cut: no FIN, no reset, no ICMP.

Two servers, each with its own link. All of it with `-m slow`; `failover` and `text_survivor` tell what is checked.
"""

import random
from collections.abc import Iterator

import pytest
import trio

from tests.end_to_end.failover import Hall, play_through, repeated
from tests.support.network import Network
from tests.support.postgresql import Cluster, Clusters, address


@pytest.fixture
def network(clusters: Clusters) -> Iterator[Network]:
    with Network(clusters.directory, links=2) as network:
        yield network


@pytest.fixture
def far_cluster(clusters: Clusters, network: Network) -> Iterator[Cluster]:
    """A cluster on the machine at the other end of the links."""
    cluster = clusters.make(listen_addresses=",".join(network.hosts))
    cluster.within = network.within
    yield cluster.start()
    cluster.stop()


@pytest.fixture
def far_database(far_cluster: Cluster) -> list[str]:
    """The addresses of a database there, one by each link."""
    name = far_cluster.new_database()
    return [address([(host, far_cluster.port)], name) for host in far_cluster.hosts]


@repeated(soon=0)
async def test_standby_takes_over_from_a_leader_whose_packets_are_lost(network, far_database, new_hall, run, rounds):
    async def cut(hall: Hall, chance: random.Random) -> None:
        await hall.standby.stands_by()
        generation, old = hall.generation, hall.leader
        link = hall.members.index(old)
        await hall.strike(chance, lambda: network.cut(link))
        await hall.after(generation)
        hall.end_sessions(old)
        await hall.moves(1)
        await trio.sleep(chance.uniform(0, 4))
        network.heal(link)
        assert "another server leads" in await old.stops_with_one_line()
        old.rejoin()

    hall = new_hall(*far_database)
    await play_through(hall, far_database[0], run, rounds, cut)


@repeated(soon=0)
async def test_lost_packets_are_a_pause_of_play(network, far_database, new_hall, run, rounds):
    async def cut(hall: Hall, chance: random.Random) -> None:
        await hall.strike(chance, lambda: network.cut(0))
        await trio.sleep(chance.choice([chance.uniform(0, 2), chance.uniform(2, 6)]))
        network.heal(0)
        await hall.moves(1)

    hall = new_hall(far_database[0])
    await play_through(hall, far_database[0], run, rounds, cut)
    assert hall.generation == 1, "a player had to come anew"
