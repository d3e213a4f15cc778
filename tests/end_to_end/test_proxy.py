"""A match through the installed proxy: the clients notice nothing but time, and the log has all of it."""

import re
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.end_to_end.blocking_client import BlockingClient, begin, play
from tests.end_to_end.server_process import Program, Server
from tests.end_to_end.support import COMMAND, LOCAL, environment
from tests.support.elsewhere import elsewhere

FAULTS = "--delay 5ms --jitter 4ms --split every-byte --seed 7"
ROW = re.compile(r"\d\d:\d\d:\d\d\.\d{6} +(\S+) (client >|server >|proxy  \*) (.*)")


@pytest.mark.parametrize(
    ("there", "ctrl_c"),
    [
        pytest.param({}, signal.SIGINT, id="here"),
        # Ctrl-Break, as it is imitated.
        pytest.param(elsewhere("windows"), signal.SIGTTIN, id="as on Windows"),
    ],
)
def test_match_through_the_proxy(
    server: Server, tmp_path: Path, to_end: ExitStack, there: dict[str, str], ctrl_c: signal.Signals
) -> None:
    log = tmp_path / "wire.log"
    command = [COMMAND, "proxy", f"{LOCAL}:0", f"localhost:{server.port}", *FAULTS.split(), "--log", str(log)]
    proxy = Program.launch(to_end, command, environment() | there)
    place = re.search(rf"proxy on {LOCAL}:(\d+), to localhost:{server.port}", proxy.printed.wait_for("proxy on"))
    assert place is not None
    proxy.printed.wait_for("stop with Ctrl-C")
    clients = [BlockingClient(int(place[1])) for _ in range(2)]
    for client, name in zip(clients, ("ann", "Ünal"), strict=True):
        client.log_in(name)
    first, second = begin(*clients)
    play(first, second, 4, 0, 3, 1)
    assert first.ask("move 5") == "OK"
    first.expect("SVR GAME MOVE ", "SVR GAME WIN ")
    second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
    for client in clients:
        client.close()
    proxy.process.send_signal(ctrl_c)
    printed = proxy.end()[0].splitlines()
    assert "2 connections" in printed
    assert any(re.fullmatch(r"cut: in [\d,]+ places", line) for line in printed)
    rows = [found.groups() for line in log.read_text("utf-8").splitlines() if (found := ROW.fullmatch(line))]
    won = [text for number, who, text in rows if who == "server >" and text.startswith("SVR GAME WIN ")]
    assert len(won) == 1
    assert re.search(r"  \[\d+\.\d ms late, in \d+ pieces over \d+\.\d ms\]$", won[0])
    assert sum(who == "client >" and text.startswith("move ") for _, who, text in rows) == 5
    assert {number for number, _, _ in rows} == {"1", "2"}
