"""The installed server behind a proxy that says whose connection it passes on: one of Python, and Debian's HAProxy."""

import urllib.request
from pathlib import Path
from typing import Any

from tests.end_to_end.blocking_client import BlockingClient, begin, fields_of, play
from tests.end_to_end.haproxy import CONFIGURATION, HOSTS, PROXY, VARIABLES, HAProxy, needs_haproxy
from tests.end_to_end.server_process import Server, ask_admin
from tests.end_to_end.support import LOCAL, eventually
from tests.support.silence import lose_network, needs_linux

ANN, BOB = "127.0.0.3", "127.0.0.4"

LISTEN = tuple(f"{name}={HOSTS[0]}:0" for name in VARIABLES)


def proxy_of(server: Server, **options: Any) -> HAProxy:
    """HAProxy in front of a server that has `LISTEN`."""
    return HAProxy({name: server.port_of(name) for name in VARIABLES}, **options)


def addresses(server: Server) -> dict[str, str]:
    return {player["name"]: player["address"] for player in ask_admin(server, "/api/status")["players"]}


@needs_haproxy
def test_match_behind_haproxy(serve: Any) -> None:
    """Its health checks go on all the while, and no player's place or limit pays for them."""
    listen = (*LISTEN, f"admin={LOCAL}:0")
    server = serve(log={"level": "debug"}, listen=listen, limits={"trusted_proxies": [PROXY], "connections_max": 3})
    with proxy_of(server) as proxy:
        ann = BlockingClient(proxy.port, source=ANN)
        bob = BlockingClient(proxy.port, source=BOB)
        for client, name in ((ann, "ann"), (bob, "bob")):
            client.log_in(name)
        assert addresses(server) == {"ann": ANN, "bob": BOB}
        url = f"http://{LOCAL}:{proxy.port_of('http')}/health"
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.read() == b"Healthy"
        first, second = begin(ann, bob)
        third = BlockingClient(proxy.port, source="127.0.0.5")
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


@needs_linux
@needs_haproxy
def test_haproxy_gives_up_a_computer_that_is_gone_while_something_is_on_its_way(serve: Any, tmp_path: Path) -> None:
    """The kernel sends no keep-alive probes then. The configuration is that of the docs, with a shorter time."""
    file = tmp_path / "haproxy.cfg"
    file.write_text(CONFIGURATION.read_text("utf-8").replace("tcp-ut 30s", "tcp-ut 1s"), "utf-8")
    server = serve(listen=LISTEN, limits={"trusted_proxies": [PROXY]})
    with proxy_of(server, configuration=file) as proxy:
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
