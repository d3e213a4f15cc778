"""How the installed server stops: with patience, at once, while it starts, and without anybody who reads its output."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import COMMAND, GOODBYE, LOCAL, environment, eventually, run

REFUSED = "ERR The server is about to stop, no new match begins; come back when it is up again"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_with_patience_ends_with_the_match(tmp_path: Path, how: signal.Signals) -> None:
    server = Server(tmp_path, {"match": {"drain_s": 60}}).start()
    try:
        first, second = begin(server.client("ann"), server.client("bob"))
        cyd = server.client("cyd")
        server.process.send_signal(how)
        server.log.wait_for("starts no new matches", "matches=1")
        assert cyd.ask("subscribe Reversi") == REFUSED
        play(first, second, 0, 3, 1, 4)
        assert first.ask("move 2") == "OK"
        assert second.rest()[-2].startswith("SVR GAME LOSS ")
        assert cyd.rest() == [GOODBYE]
        assert server.wait() == 0
        assert [match.reason for match in server.matches()] == ["played"]
    finally:
        server.close()


def test_a_second_signal_waits_for_nobody(tmp_path: Path) -> None:
    server = Server(tmp_path, {"match": {"drain_s": 3600, "turn_time_s": 3600}}).start()
    try:
        first, _ = begin(server.client("ann"), server.client("bob"))
        server.process.send_signal(signal.SIGTERM)
        server.log.wait_for("starts no new matches")
        assert server.stop(signal.SIGINT) == 0
        assert first.rest() == [GOODBYE]
        assert server.matches() == []
    finally:
        server.close()


def test_a_teacher_drains_the_server(tmp_path: Path) -> None:
    listen = ("strategic=127.0.0.1:0", "admin=127.0.0.1:0")
    server = Server(tmp_path, {"match": {"turn_time_s": 3600}}, listen=listen).start()
    try:
        first, _ = begin(server.client("ann"), server.client("bob"))
        said = run("drain", "--within", "900", "--data", str(server.data)).stdout
        assert said == "no new matches start; the server stops when 1 running match is over, in 900 s at the latest\n"
        assert "starts no new matches" in run("status", "--data", str(server.data)).stdout
        assert first.ask("forfeit") == "OK"
        assert server.wait() == 0
    finally:
        server.close()


def test_a_signal_while_the_journal_is_read_is_obeyed(tmp_path: Path) -> None:
    server = Server(tmp_path, {}).start()
    try:
        begin(server.client("ann"), server.client("bob"))
        assert server.stop() == 0
        server.launch()
        eventually((tmp_path / "data.sqlite3-wal").exists, "the data file is opened")
        assert server.stop() == 0
        server.start()
        server.client("ann").expect("SVR GAME MATCH ")
    finally:
        server.close()


def test_nobody_reads_what_it_prints(tmp_path: Path) -> None:
    """As in `gameserver serve | true`: the server goes on, and stops as always."""
    data = tmp_path / "data.sqlite3"
    others = [part for name in ("connect-four", "mastermind", "http", "admin") for part in ("--listen", f"{name}=off")]
    command = [COMMAND, "serve", "--data", str(data), "--listen", f"strategic={LOCAL}:0", *others]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8", env=environment())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    try:
        assert "journal read" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        said = process.stderr.read()
        assert "BrokenPipe" not in said
        assert "Traceback" not in said
    finally:
        process.kill()
        process.stderr.close()
        process.wait()
