"""Stops of the installed server: at once, while it starts, and without anybody who reads its output."""

import signal
import socket
import subprocess
from pathlib import Path

from tests.end_to_end.blocking_client import begin
from tests.end_to_end.support import COMMAND, DEADLINE_S, GOODBYE, LOCAL, environment, eventually

PATIENT = {"drain_s": 3600, "clock": "turn 3600s"}


def test_a_second_signal_waits_for_nobody(serve) -> None:
    server = serve(match=PATIENT, listen=(f"strategic={LOCAL}:0", f"http={LOCAL}:0"))
    first, _ = begin(server.client("ann"), server.client("bob"))
    with socket.create_connection((LOCAL, server.port_of("http")), DEADLINE_S) as browser:
        browser.sendall(b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        assert b"Healthy" in browser.recv(1_000)
        server.process.send_signal(signal.SIGINT)
        server.log.wait_for("starts no new matches")
        assert server.stop(signal.SIGINT) == 0
        assert browser.recv(1_000) == b""
    assert first.rest() == [GOODBYE]
    assert server.matches() == []


def test_a_signal_while_the_journal_is_read_is_obeyed(serve) -> None:
    server = serve()
    begin(server.client("ann"), server.client("bob"))
    assert server.stop() == 0
    server.launch()
    eventually(server.data.with_name(server.data.name + "-wal").exists, "the data file is opened")
    assert server.stop() == 0
    server.start()
    server.client("ann").expect("SVR GAME MATCH ")


def test_nobody_reads_what_it_prints(tmp_path: Path) -> None:
    """As in `gameserver serve | true`: the server goes on, and stops as always."""
    data = tmp_path / "data.sqlite3"
    others = [part for name in ("connect-four", "mastermind", "http", "admin") for part in ("--listen", f"{name}=off")]
    command = [COMMAND, "serve", "--data", str(data), "--listen", f"strategic={LOCAL}:0", *others]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8", env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        try:
            assert "journal read" in process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            assert process.wait(DEADLINE_S) == 0
            said = process.stderr.read()
        finally:
            process.kill()
    assert "BrokenPipe" not in said
    assert "Traceback" not in said
