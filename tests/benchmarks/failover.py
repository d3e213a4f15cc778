"""Measures the time that players wait for the other server when the leader is gone, through HAProxy as in `docs/`.

The leader and a standby share a PostgreSQL that syncs every commit. A stopped process keeps its connections; a cut
cable loses every packet from and to the leader's machine, which is a network namespace.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from attrs import frozen

from tests.benchmarks.failover_players import Comeback, ReturningPlayer
from tests.benchmarks.generator import loop
from tests.benchmarks.load import medians
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import RAISED, BenchmarkError
from tests.benchmarks.report import Figures, Row
from tests.end_to_end.haproxy import HAPROXY, HOSTS, PROXY, VARIABLES, HAProxy
from tests.end_to_end.server_process import Server
from tests.support.network import Network
from tests.support.postgresql import Cluster, Clusters, address

PATIENCE_S = 60.0
_TOOK_OVER = re.compile(r"took over in ([0-9.]+) s")


@frozen
class Site:
    """Where everything is, and how the leader is lost."""

    hosts: tuple[str, str]
    """The addresses of the leader and of the standby."""
    proxy: str
    """The address from which HAProxy connects to them."""
    database: str
    """The address of the database."""
    inside: tuple[str, ...]
    """The command that starts a program on the leader's machine."""
    lose: Callable[[Server], None]


def measure(plan: Plan) -> list[Row]:
    """A row for each way to lose a leader, as far as this machine has what it takes."""
    if HAPROXY is None:
        raise BenchmarkError("HAProxy is not installed (apt-get install haproxy)")
    rows = []
    for what, site_in in FAULTS.items():
        try:
            rows.append(_row(plan, what, site_in))
        except pytest.skip.Exception as missing:
            note(f"{what}: {missing}")
    return rows


def _row(plan: Plan, what: str, site_in: "SiteIn") -> Row:
    rounds = []
    for number in range(plan.rounds):
        note(f"{what}, round {number + 1}")
        with Clusters() as clusters, site_in(clusters) as site:
            listen = dict.fromkeys(("127.0.0.1", site.database))
            cluster = clusters.make(listen_addresses=",".join(listen), fsync="on", full_page_writes="on").start()
            database = cluster.new_database()
            data = address([(site.database, cluster.port)], database)
            rounds.append(_round(plan, site, data, partial(_led_since_s, cluster, database)))
    return Row("failover", f"{plan.failover_pairs} matches, {what}", medians(rounds), {}, {"server": rounds})


def _round(plan: Plan, site: Site, data: str, leads_s: Callable[[], float]) -> Figures:
    """One leader is lost; `leads_s` gives the time of day since which there is another."""
    with TemporaryDirectory() as name, redirect_stdout(StringIO()), ExitStack() as to_end, loop() as working:
        leader = to_end.enter_context(closing(_Member(Path(name) / "leader", site, data, dict.fromkeys(VARIABLES, 0))))
        leader.start()
        ports = {protocol: leader.port_of(protocol) for protocol in VARIABLES}
        standby = to_end.enter_context(closing(_Member(Path(name) / "standby", site, data, ports)))
        standby.launch()
        standby.printed.wait_for("stand")
        haproxy = to_end.enter_context(HAProxy(ports, site.hosts, site.proxy))
        haproxy.log.wait_for("text/second is DOWN")

        comeback = Comeback()
        players = [
            ReturningPlayer(b"p%05d" % number, haproxy.port, working, comeback, plan.failover_pause_s)
            for number in range(2 * plan.failover_pairs)
        ]
        for player in players:
            player.connect()
        working.run_until(lambda: all(player.match for player in players), PATIENCE_S, "not everybody is paired")
        working.run_for(plan.failover_warmup_s)

        lost_s = time.time()
        site.lose(leader)
        comeback.begin({player.match for player in players if player.match}, {player.name for player in players})
        working.run_until(lambda: not comeback.away and not comeback.stuck, PATIENCE_S, "not everybody is back")
        leader.kill()
        begins_s = leads_s() - lost_s
        took = _TOOK_OVER.search(standby.printed.wait_for("took over in"))
        assert took is not None
        return {
            "leads s": begins_s,
            "serves s": begins_s + float(took[1]),
            "first login s": min(comeback.logins_s),
            "first move s": min(comeback.moves_s),
            "last login s": max(comeback.logins_s),
            "last match s": max(comeback.matches_s),
            "connections each": comeback.attempts / len(players),
        }


def _led_since_s(cluster: Cluster, database: str) -> float:
    ((since_ms,),) = cluster.execute("SELECT since_ms FROM gameserver.leader", database=database)
    return int(since_ms) / 1000


class _Member(Server):
    """One of the two servers; the leader has its ports from the system."""

    def __init__(self, directory: Path, site: Site, data: str, ports: Mapping[str, int]) -> None:
        directory.mkdir()
        leads = not any(ports.values())
        host = site.hosts[0] if leads else site.hosts[1]
        config = {**RAISED, "limits": RAISED["limits"] | {"trusted_proxies": [site.proxy]}}
        listen = [f"{protocol}={host}:{port}" for protocol, port in ports.items()]
        super().__init__(directory, config, listen=listen, data=data, cwd=directory)
        if leads:
            self._command = [*site.inside, *self._command]


SiteIn = Callable[[Clusters], AbstractContextManager[Site]]


@contextmanager
def _one_machine(_clusters: Clusters, *, signalled: signal.Signals) -> Iterator[Site]:
    yield Site(HOSTS, PROXY, "127.0.0.1", (), lambda leader: leader.process.send_signal(signalled))


@contextmanager
def _two_machines(clusters: Clusters) -> Iterator[Site]:
    with Network(clusters.directory, 1) as network:
        (far,), (near,) = network.hosts, network.near
        yield Site((far, near), near, near, tuple(network.inside), lambda _leader: network.cut(0))


FAULTS: Mapping[str, SiteIn] = {
    "the leader killed": partial(_one_machine, signalled=signal.SIGKILL),
    "the leader stopped": partial(_one_machine, signalled=signal.SIGSTOP),
    "the leader's cable cut": _two_machines,
}
