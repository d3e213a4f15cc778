"""The cost of HAProxy in front of a server: what a connection and a message take it, with the echo behind it."""

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.idle import connected
from tests.benchmarks.load import gathered_echoed, medians, one_round
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import ECHO, Running, Subject, running
from tests.benchmarks.report import Figures, Row

CONFIG = """
global
    maxconn {connections_max}
    nbthread 1
defaults
    mode tcp
    timeout connect 5s
    timeout client 1h
    timeout server 1h
listen echo
    bind "127.0.0.1:$PORT"
    server one 127.0.0.1:{echo_port}
"""


def measure(plan: Plan) -> list[Row]:
    """Idle connections, then messages there and back; beside it the echo itself, which is behind the proxy."""
    if shutil.which("haproxy") is None:
        note("HAProxy is not installed (apt-get install haproxy)")
        return []
    return [_row_of_connections(plan), *(_row_of_messages(plan, pairs) for pairs in plan.proxied_pairs)]


def _row_of_connections(plan: Plan) -> Row:
    note(f"{plan.connections} connections through HAProxy")
    with TemporaryDirectory() as name, _in_front(Path(name), plan) as (proxy, echo), ExitStack() as stack:
        before, kernel_kb = [(one.rss_bytes(), one.cpu_s()) for one in (proxy, echo)], _kernel_kb()
        connected(proxy, ECHO, plan.connections, stack)
        time.sleep(plan.settle_s)
        of_proxy, of_echo = (
            {
                "KB each": (one.rss_bytes() - rss_bytes) / plan.connections / 1024,
                "CPU us each": (one.cpu_s() - cpu_s) / plan.connections * 1e6,
            }
            for one, (rss_bytes, cpu_s) in zip((proxy, echo), before, strict=True)
        )
        # The client's end, two of the proxy, and the server's.
        of_proxy["kernel KB a socket"] = (_kernel_kb() - kernel_kb) / plan.connections / 4
    return Row("proxy", f"{plan.connections} connections", of_proxy, of_echo)


def _row_of_messages(plan: Plan, pairs: int) -> Row:
    what = f"messages there and back, {2 * pairs} connections"
    taken: dict[str, list[Figures]] = {"server": [], "echo": []}
    for number in range(plan.rounds):
        note(f"{what}, round {number + 1}")
        with TemporaryDirectory() as name, _in_front(Path(name), plan) as (proxy, echo):
            taken["server"].append(one_round(proxy, gathered_echoed, plan, pairs, 0.0))
            taken["echo"].append(one_round(echo, gathered_echoed, plan, pairs, 0.0))
    return Row("proxy", what, medians(taken["server"]), medians(taken["echo"]), taken)


@contextmanager
def _in_front(directory: Path, plan: Plan) -> Iterator[tuple[Running, Running]]:
    """HAProxy with the echo behind it."""
    with running(ECHO, directory, plan.cores) as echo:
        config = directory / "haproxy.cfg"
        # HAProxy asks for two descriptors for each, and does not start if the system refuses them.
        connections_max = max(plan.connections, 2 * max(plan.proxied_pairs)) + 100
        config.write_text(CONFIG.format(connections_max=connections_max, echo_port=echo.port), encoding="utf-8")
        subject = Subject("HAProxy", ("env", "PORT={port}", "haproxy", "-db", "-f", str(config)), ECHO.hello)
        with running(subject, directory, plan.cores) as proxy:
            yield proxy, echo


def _kernel_kb() -> int:
    """What the kernel holds for sockets, files and all else."""
    found = re.search(r"^Slab: +(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1])
