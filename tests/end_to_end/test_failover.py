"""Servers and databases that die, stand still, are cut off or replaced: nothing acknowledged is lost or told twice.

A round or two of some faults here, many of all with `-m slow`. `failover` and `survivors` tell what is checked.
"""

import random
import signal
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest
import trio
from attrs import frozen

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.failover import Hall, Member, play_through, rounds_of
from tests.end_to_end.support import GOODBYE
from tests.support.cable import Cable
from tests.support.network import Network
from tests.support.postgresql import Cluster, Clusters, address

TURN_S = 2
REPLACED = "another server leads"


@frozen
class Site:
    """A database, and two ways to it, which can be cut."""

    cluster: Cluster
    cables: tuple[Cable, Cable]

    def addresses(self, database: str) -> list[str]:
        """The database at the other ends of the cables."""
        return [self.cluster.address(database.rpartition("/")[2], cable.port) for cable in self.cables]


@pytest.fixture
def site(cluster: Cluster) -> Iterator[Site]:
    with Cable(cluster.port) as one, Cable(cluster.port) as other:
        yield Site(cluster, (one, other))


async def before(hall: Hall) -> tuple[int, Member]:
    """Wait for the standby, if there is one; how many have led, and the leader."""
    if len(hall.members) > 1:
        await hall.standby.stands_by()
    return hall.generation, hall.leader


async def rejoins(member: Member) -> None:
    """A leader that was replaced ends by itself, and is started anew."""
    assert REPLACED in await member.stops_with_one_line()
    member.rejoin()


async def killed_leader(hall: Hall, chance: random.Random, _: Site) -> None:
    generation, dead = await before(hall) if chance.random() < 0.8 else (hall.generation, hall.leader)
    await hall.strike(chance, dead.kill)
    await hall.lead_after(generation)
    dead.rejoin()


async def stopped_leader(hall: Hall, chance: random.Random, _: Site) -> None:
    """It goes on when the other one leads and some time has passed."""
    generation, old = await before(hall)
    await hall.strike(chance, partial(old.process.send_signal, signal.SIGSTOP))
    since_s = trio.current_time()
    await hall.after(generation)
    hall.end_sessions(old)
    await hall.moves(1)
    await trio.sleep_until(since_s + chance.choice([0, chance.uniform(0, 8), 20]))
    old.process.send_signal(signal.SIGCONT)
    assert REPLACED in await old.stops_with_one_line()
    old.rejoin()


async def killed_database(hall: Hall, chance: random.Random, site: Site) -> None:
    await fails(hall, chance, site.cluster.kill, site.cluster.start)


async def fails(hall: Hall, chance: random.Random, kill: Callable[[], object], follow: Callable[[], object]) -> None:
    """The database dies, and another one or itself is there a little later."""
    generation, leader = await before(hall)
    await hall.strike(chance, kill)
    await trio.sleep(chance.choice([0, chance.uniform(0, 1)]))
    await trio.to_thread.run_sync(follow)
    await hall.moves(chance.randint(1, 20))
    if hall.generation > generation:
        await rejoins(leader)


async def stopped_database(hall: Hall, chance: random.Random, site: Site) -> None:
    await hall.strike(chance, site.cluster.pause)
    await trio.sleep(chance.choice([chance.uniform(0, 2), chance.uniform(2, 8)]))
    site.cluster.resume()
    await hall.moves(1)


async def short_cut(hall: Hall, chance: random.Random, site: Site) -> None:
    _, leader = await before(hall)
    cable = site.cables[hall.members.index(leader)]
    await hall.strike(chance, cable.pull)
    await trio.sleep(chance.uniform(0, 1.5))
    cable.plug()
    await hall.moves(1)


async def broken_connection(hall: Hall, chance: random.Random, site: Site) -> None:
    await hall.strike(chance, site.cables[0].break_connections)
    await hall.moves(1)


async def cut_off_leader(hall: Hall, chance: random.Random, site: Site) -> None:
    cable = site.cables[hall.members.index(hall.leader)]
    await is_cut_off(hall, chance, cable.pull, cable.plug)


async def is_cut_off(hall: Hall, chance: random.Random, cut: Callable[[], object], heal: Callable[[], object]) -> None:
    generation, old = await before(hall)
    await hall.strike(chance, cut)
    await hall.after(generation)
    hall.end_sessions(old)
    await hall.moves(1)
    await trio.sleep(chance.uniform(0, 4))
    heal()
    await rejoins(old)


async def cut_off_without_standby(hall: Hall, chance: random.Random, site: Site) -> None:
    generation = hall.generation
    await hall.strike(chance, site.cables[0].pull)
    assert "stopped: the journal has failed for 1 s" in await hall.leader.stops_with_one_line()
    site.cables[0].plug()
    hall.leader.rejoin()
    await hall.lead_after(generation)


@frozen
class Case:
    """A fault, and the servers that it strikes."""

    fault: Callable[[Hall, random.Random, Site], Awaitable[None]]
    servers: int = 1
    by_cable: bool = False
    is_pause: bool = True
    """True if no player may have to come anew."""
    soon: int = 0
    """Rounds without `-m slow`."""
    commit_retry_s: float | None = None


CASES = (
    Case(killed_leader, servers=2, is_pause=False, soon=1),
    Case(stopped_leader, servers=2, is_pause=False),
    Case(killed_database, soon=1),
    Case(killed_database, servers=2, is_pause=False),
    Case(stopped_database),
    Case(short_cut, servers=2, by_cable=True),
    Case(broken_connection, by_cable=True),
    Case(cut_off_leader, servers=2, by_cable=True, is_pause=False),
    Case(cut_off_without_standby, by_cable=True, is_pause=False, commit_retry_s=1.0),
)


@pytest.mark.parametrize(
    ("case", "run", "rounds"),
    [
        pytest.param(case, *each.values, id=f"{case.fault.__name__} of {case.servers}, {each.id}", marks=each.marks)
        for case in CASES
        for each in rounds_of(case.soon)
    ],
)
async def test_nothing_is_lost_or_told_twice(site, database, new_hall, case, run, rounds):
    ways = site.addresses(database) if case.by_cable else [database, database]
    config: dict[str, Any] = {"journal": {"commit_retry_s": case.commit_retry_s}} if case.commit_retry_s else {}
    hall = new_hall(*ways[: case.servers], **config)
    await play_through(hall, database, run, rounds, lambda hall, chance: case.fault(hall, chance, site))
    assert not case.is_pause or hall.generation == 1, "a player had to come anew"


@pytest.mark.parametrize(("run", "rounds"), rounds_of(0))
async def test_standby_takes_over_from_a_leader_whose_packets_are_lost(clusters: Clusters, new_hall, run, rounds):
    """The database is on a machine of its own: when a link is cut there is no FIN, no reset and no ICMP."""
    with Network(clusters.directory, links=2) as network:
        cluster = clusters.make(listen_addresses=",".join(network.hosts))
        cluster.within = network.within
        name = cluster.start().new_database()

        async def cut(hall: Hall, chance: random.Random) -> None:
            link = hall.members.index(hall.leader)
            await is_cut_off(hall, chance, partial(network.cut, link), partial(network.heal, link))

        ways = [address([(host, cluster.port)], name) for host in cluster.hosts]
        await play_through(new_hall(*ways), ways[0], run, rounds, cut)
        cluster.stop()


@pytest.mark.parametrize(("run", "rounds"), rounds_of(0))
async def test_promoted_replica_has_everything(clusters: Clusters, new_hall, run, rounds):
    primary = clusters.make().start()
    name = primary.new_database()
    both = [primary, primary.synchronous_replica()]

    async def promoted(hall: Hall, chance: random.Random) -> None:
        primary, replica = both
        await fails(hall, chance, primary.kill, replica.promote)
        primary.remove()
        both[:] = replica, await trio.to_thread.run_sync(replica.synchronous_replica, primary.port)

    anywhere = address([(each.hosts[0], each.port) for each in both], name)
    await play_through(new_hall(anywhere, anywhere), anywhere, run, rounds, promoted)
    for each in both:
        each.stop()


def test_quiet_leader_that_was_stopped_answers_no_question(database, new_hall):
    old, new = new_hall(database, database).members
    old.start()
    new.launch()
    new.printed.wait_for("standing by")
    players = {name: old.client(name) for name in ("ann", "bob")}
    first, second = begin(*players.values())
    play(first, second, 4)
    # A refusal needs no commit, a question not even a decision. Both wait for the database's word.
    questions = {"cyd": "move 1", "dan": "get playerlist", "eve": "challenge ann Reversi"}
    askers = {name: old.client(name) for name in questions}
    old.process.send_signal(signal.SIGSTOP)
    for name, question in questions.items():
        askers[name].send(question)
    new.wait_until_it_listens()
    old.process.send_signal(signal.SIGCONT)
    assert old.wait() == 1
    assert REPLACED in old.log.lines[-1]
    for client in (*players.values(), *askers.values()):
        assert client.rest() in ([], [GOODBYE])
    for name, client in players.items():
        again = new.client(name)
        again.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
        if client is second:
            again.expect("SVR GAME YOURTURN ")
    assert new.stop() == 0


async def test_clocks_stand_while_the_database_is_cut_off(site, database, new_hall):
    hall = new_hall(site.addresses(database)[0], match={"clock": f"turn {TURN_S}s"})
    server = hall.leader.start()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    site.cables[0].pull()
    # The heartbeat finds it out within a second, without any move.
    await trio.sleep(TURN_S + 1)
    site.cables[0].plug()
    assert second.ask("move 0") == "OK"
    second.expect("SVR GAME MOVE ")
    first.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    assert server.stop() == 0
