"""The pages about finished matches: the time that one request takes, and the server's CPU, one after the other."""

import time
from http.client import HTTPConnection

from tests.benchmarks.processes import BenchmarkError, Running
from tests.benchmarks.report import Figures

REQUESTS = 30


def paths(finished: int) -> dict[str, str]:
    """Pages by what they show, where so many matches are finished."""
    return {
        "the newest matches": "/matches",
        "a match": f"/matches/{max(1, finished // 2)}",
        "a player": "/players/p00001",
    }


def ask(process: Running, path: str) -> Figures:
    """Ask for a page again and again, over one connection."""
    connection = HTTPConnection("127.0.0.1", process.port, timeout=60)
    size = _get(connection, path)  # what is read once per process is not counted
    took_s, cpu_s = [], process.cpu_s()
    for _ in range(REQUESTS):
        began_s = time.perf_counter()
        _get(connection, path)
        took_s.append(time.perf_counter() - began_s)
    cpu_ms = (process.cpu_s() - cpu_s) / REQUESTS * 1e3
    connection.close()
    took_s.sort()
    return {"p50 ms": took_s[REQUESTS // 2] * 1e3, "max ms": took_s[-1] * 1e3, "CPU ms": cpu_ms, "KB": size / 1024}


def _get(connection: HTTPConnection, path: str) -> int:
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise BenchmarkError(f"{path} was answered with {answer.status}")
    return len(body)
