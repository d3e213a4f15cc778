"""Settings of the config that are in force at the installed server, and the system's limit of open files."""

import http.client
import socket
import time
from contextlib import ExitStack

import psutil

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import DEADLINE_S, LOCAL, NEIGHBOUR, eventually


def test_settings_of_every_table_are_in_force(serve):
    server = serve(
        listen=(f"strategic={LOCAL}:0", f"http={LOCAL}:0"),
        limits={"connections_per_address_max": 3},
        lobby={"messages": "never"},
        fixed={"limits": {"line_bytes_max": 256, "login_timeout_s": 1}},
    )
    ann, bob, _ = (server.client(name) for name in ("ann", "bob", "cyd"))
    refused = server.client(banner=False)
    assert refused.rest()[0].startswith(
        f"ERR There are 3 connections from {LOCAL} already (connections_per_address_max)"
    )
    silent = server.client(source=NEIGHBOUR)
    assert silent.rest() == ["ERR No login within 1 seconds; connect again when you are ready"]
    assert ann.ask('message "bob" hello') == "ERR bob cannot receive messages: messages are switched off here"
    elsewhere = server.client(source=NEIGHBOUR)
    assert elsewhere.ask("login " + "x" * 65).startswith("ERR Invalid name: a name has at most 64 characters")
    assert bob.ask("login " + "x" * 250) == "ERR Already logged in"
    bob.send("login " + "x" * 251)
    assert bob.rest() == ["ERR Payload too large"]
    pages = http.client.HTTPConnection(LOCAL, server.port_of("http"), timeout=DEADLINE_S)
    pages.request("POST", "/health", b"x" * 70_000)
    response = pages.getresponse()
    assert (response.status, b"65536 bytes" in response.read()) == (413, True)
    pages.close()
    assert "in a browser: http://127.0.0.1" in server.printed.text


def test_running_out_of_open_files_is_survived_and_costs_no_cpu(serve):
    server = serve(open_files_max=64)
    ann, bob = server.client("ann"), server.client("bob")
    with ExitStack() as to_close:
        waiting = [to_close.enter_context(socket.create_connection((LOCAL, server.port), timeout=5)) for _ in range(80)]
        server.log.wait_for("cannot accept connections", "limit of open files")
        process = psutil.Process(server.process.pid)
        before = sum(process.cpu_times()[:2])
        time.sleep(0.5)
        assert sum(process.cpu_times()[:2]) - before < 0.1
        assert sum("cannot accept connections" in line for line in server.log.lines) == 1
        first, second = begin(ann, bob)
        play(first, second, 4, 0)
        # Connections are accepted in the order in which they came; about fifty were, the others wait for room.
        for sock in waiting[:40]:
            assert sock.recv(4096).startswith(b"Game Server")
            sock.close()
        for sock in waiting[-20:]:
            assert sock.recv(4096).startswith(b"Game Server")
    eventually(lambda: server.client().ask("login cyd") == "OK", "somebody new is let in")
    assert server.stop() == 0
