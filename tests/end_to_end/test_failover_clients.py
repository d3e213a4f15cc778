"""Failover as clients see it: HAProxy as in `docs/`, a leader that dies, players who come back to the same address."""

import re
import subprocess
import time
from contextlib import closing, suppress
from functools import partial
from http.client import HTTPException

import pytest

from gameserver.http.application import WAITING
from tests.end_to_end.failover import recorded_in
from tests.end_to_end.failover_clients import TURN_TIME_S, Crowd, Pair, doors
from tests.end_to_end.haproxy import CONFIGURATION, HAPROXY, HAProxy, needs_haproxy
from tests.end_to_end.support import eventually
from tests.support.cable import Cable

USED_S = 1.5
"""The time that players have used of their turns when the leader dies."""
LEAST_CHARGED_S = USED_S / 2
"""Charged is what the leader counted up to its last row: on a busy machine it stalls, and its rows are late."""

pytestmark = needs_haproxy


@pytest.fixture
def pair(tmp_path, cluster, database):
    with Cable(cluster.port) as cable, closing(Pair(tmp_path, cable, database)) as made:
        yield made


def held_in_mid_match(entrance, games):
    """Hold the players back as soon as a match of each game is under way; those matches."""

    def held():
        entrance.hold()
        # HAProxy that has just started ends what it sent to the server that does not lead.
        with suppress(OSError, HTTPException):
            matches = entrance.ask("lobby")["matches"]
            found = [match for match in matches if match["game"] in games and match["moves"] and match["acting"]]
            if {match["game"] for match in found} == games:
                return found
        entrance.release()
        return None

    return eventually(held, f"matches of {games} are under way at one moment")


def clock_that_stands(entrance, number):
    """The clock of a match that waits for its players; None before it does."""
    with suppress(OSError, HTTPException):
        clock = entrance.ask(f"matches/{number}")["clock"]
        return clock if clock["left_ms"] is not None else None


def has_gone_on(entrance, before):
    match = entrance.ask(f"matches/{before['id']}")
    return len(match["steps"]) > before["moves"] + 1 or match["result"] is not None


def play_through(fail, crowd, entrance):
    """One failover: every match waits with the time that was left, and goes on when its players are back."""
    matches = held_in_mid_match(entrance, crowd.games)
    began_s = time.monotonic()
    time.sleep(USED_S)
    fail()
    used_s = time.monotonic() - began_s
    for match in matches:
        clock = eventually(partial(clock_that_stands, entrance, match["id"]), f"{match['game']} waits for its players")
        assert clock["turn_time_ms"] == TURN_TIME_S * 1000
        charged_s = TURN_TIME_S - clock["left_ms"] / 1000
        said = f"{match['game']}: {charged_s:.2f} s charged, {used_s:.2f} used"
        assert LEAST_CHARGED_S < charged_s < used_s + 0.2, said
    eventually(lambda: crowd.breaks_another_code, "the code breaker has begun again and is answered")
    entrance.release()
    for match in matches:
        eventually(partial(has_gone_on, entrance, match), f"{match['game']} goes on")


@pytest.mark.parametrize(
    ("fault", "of_all_protocols"),
    [
        pytest.param(Pair.kill, True, id="killed"),
        pytest.param(Pair.hang, False, id="hung"),
        pytest.param(Pair.hang, True, id="hung, all protocols", marks=pytest.mark.slow),
        pytest.param(Pair.cut_off, True, id="cut off from the database", marks=pytest.mark.slow),
    ],
)
def test_clients_play_on_when_they_lose_the_leader(pair, database, to_end, fault, of_all_protocols):
    with HAProxy(pair.ports) as haproxy, doors(haproxy) as entrance:
        # Until it has looked, HAProxy takes both servers for up: a bot that is cut off before its first login gives up.
        haproxy.log.wait_for("text/second is DOWN")
        crowd = Crowd(to_end, entrance, of_all_protocols=of_all_protocols)
        play_through(partial(fault, pair), crowd, entrance)
        pair.recover()
        crowd.end()
        assert not [line for line in haproxy.log.lines if "http/first is UP" in line], "nobody is led to the old leader"
        assert pair.standby.stop() == 0
    crowd.check(recorded_in(database))


def test_configurations_of_the_docs_are_valid(tmp_path):
    """Those of two servers, without and with statistics, and of a single one."""
    text = CONFIGURATION.read_text("utf-8")
    with_statistics = re.sub(r"^#(?=listen statistics|    )", "", text, flags=re.MULTILINE)
    assert with_statistics.count("\nlisten") == text.count("\nlisten") + 1
    (tmp_path / "haproxy.cfg").write_text(with_statistics)
    (example,) = re.findall(
        r"```haproxy\n(.*?)```", (CONFIGURATION.parent / "deployment.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "single.cfg").write_text(example)
    for file in (CONFIGURATION, tmp_path / "haproxy.cfg", tmp_path / "single.cfg"):
        said = subprocess.run([HAPROXY, "-c", "-f", str(file)], capture_output=True, encoding="utf-8", check=False)
        assert said.returncode == 0, said.stderr
        assert "WARNING" not in said.stderr


def test_configuration_knows_the_word_of_a_server_that_waits():
    (word,) = re.findall(r"iif\((\w+),", CONFIGURATION.read_text("utf-8"))
    assert word in WAITING
