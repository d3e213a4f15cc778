"""The installed server behind a proxy that says whose connection it passes on: one of Python, and Debian's HAProxy."""

import re
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.end_to_end.blocking_client import BlockingClient, begin, fields_of, play
from tests.end_to_end.haproxy import CONFIGURATION, HAPROXY, HOSTS, PROXY, VARIABLES, HAProxy, needs_haproxy
from tests.end_to_end.server_process import Printed, Server, ask_admin
from tests.end_to_end.support import LOCAL, eventually
from tests.support.silence import lose_network, needs_linux

ANN, BOB = "127.0.0.3", "127.0.0.4"
LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")

CONFIG = """\
defaults
    mode tcp
    timeout connect 5s
    timeout client 1m
    timeout server 1m
    timeout check 30s
"""
SECTION = """\
listen {name}
    bind fd@{fd}
    source {source}
    {check}
    server one {host}:{port} send-proxy-v2 check inter 200ms {more}
"""


def addresses(server: Server) -> dict[str, str]:
    return {player["name"]: player["address"] for player in ask_admin(server, "/api/status")["players"]}


@contextmanager
def haproxy(directory: Path, **to: tuple[int, str, str]) -> Iterator[dict[str, int]]:
    """HAProxy in front of ports of this machine: its own ports by name, once it runs."""
    assert HAPROXY is not None
    sockets = {name: socket.create_server((LOCAL, 0)) for name in to}
    sections = [
        SECTION.format(
            name=name, fd=sockets[name].fileno(), source=PROXY, host=LOCAL, port=port, check=check, more=more
        )
        for name, (port, check, more) in to.items()
    ]
    file = directory / "haproxy.cfg"
    file.write_text("\n".join((CONFIG, *sections)), "utf-8")
    numbers = tuple(sock.fileno() for sock in sockets.values())
    process = subprocess.Popen(
        [HAPROXY, "-db", "-f", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        pass_fds=numbers,
    )  # fmt: skip
    assert process.stdout is not None
    said = Printed(process.stdout)
    try:
        yield {name: sock.getsockname()[1] for name, sock in sockets.items()}
    finally:
        process.terminate()
        process.wait(30)
        for sock in sockets.values():
            sock.close()
        said.join()
        print(said.text)


@needs_haproxy
def test_match_behind_haproxy(serve: Any, tmp_path: Path) -> None:
    """Its health checks go on all the while, and no player's place or limit pays for them."""
    server = serve(log={"level": "debug"}, listen=LISTEN, limits={"trusted_proxies": [PROXY], "connections_max": 3})
    web = server.port_of("http")
    to_text = (
        server.port,
        "option httpchk GET /health",
        f"port {web} check-send-proxy on-marked-down shutdown-sessions",
    )
    with haproxy(tmp_path, text=to_text, pages=(web, "option httpchk GET /health", "")) as ports:
        ann = BlockingClient(ports["text"], source=ANN)
        bob = BlockingClient(ports["text"], source=BOB)
        for client, name in ((ann, "ann"), (bob, "bob")):
            client.log_in(name)
        assert addresses(server) == {"ann": ANN, "bob": BOB}
        url = f"http://{LOCAL}:{ports['pages']}/health"
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.read() == b"Healthy"
        first, second = begin(ann, bob)
        third = BlockingClient(ports["text"], source="127.0.0.5")
        third.log_in("cyd")
        checks = len([line for line in server.log.lines if "path=/health" in line])
        eventually(
            lambda: len([line for line in server.log.lines if "path=/health" in line]) > checks + 3,
            "checks of a full server are answered",
        )
        play(first, second, 4, 0, 3, 1)
        assert first.ask("move 5") == "OK"
        first.expect("SVR GAME MOVE ", "SVR GAME WIN ")
        assert fields_of(second.expect("SVR GAME MOVE ", "SVR GAME LOSS "))
        for client in (ann, bob, third):
            client.close()
    assert "proxy refused" not in server.log.text
    assert server.stop() == 0


@needs_haproxy
def test_configuration_in_the_docs_is_one(tmp_path: Path) -> None:
    assert HAPROXY is not None
    page = Path(__file__).parents[2] / "docs/deployment.md"
    (example,) = re.findall(r"```haproxy\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    file = tmp_path / "haproxy.cfg"
    file.write_text(example, "utf-8")
    said = subprocess.run([HAPROXY, "-c", "-f", str(file)], capture_output=True, encoding="utf-8", check=False)
    assert said.returncode == 0, said.stderr
    assert "WARNING" not in said.stderr


@needs_linux
@needs_haproxy
def test_haproxy_gives_up_a_computer_that_is_gone_while_something_is_on_its_way(serve: Any, tmp_path: Path) -> None:
    """The kernel sends no keep-alive probes then. The configuration is that of the docs, with a shorter time."""
    file = tmp_path / "haproxy.cfg"
    file.write_text(CONFIGURATION.read_text("utf-8").replace("tcp-ut 30s", "tcp-ut 1s"), "utf-8")
    listen = [f"{name}={HOSTS[0]}:0" for name in VARIABLES]
    server = serve(listen=listen, limits={"trusted_proxies": [PROXY]})
    with HAProxy({name: server.port_of(name) for name in VARIABLES}, configuration=file) as proxy:
        bob = BlockingClient(proxy.port, source=BOB)
        bob.log_in("bob")
        # Only now: the time is inherited from the listening socket, which HAProxy has got from here.
        ann = BlockingClient(proxy.port, source=ANN)
        ann.log_in("ann")
        lose_network(ann.socket)
        assert bob.ask('message "ann" hello') == "OK"
        assert ANN in server.log.wait_for("connection ends")
        for client in (ann, bob):
            client.close()
