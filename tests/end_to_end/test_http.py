"""The HTTP listener of the installed server, as a monitor and a browser meet it."""

import http.client
import socket
import tomllib

from tests.end_to_end.support import DEADLINE_S, LOCAL, run

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0")


def test_health_is_served(serve):
    server = serve(listen=LISTEN)
    server.client("ann")
    connection = http.client.HTTPConnection(LOCAL, server.port_of("http"), timeout=DEADLINE_S)
    for _ in range(3):
        connection.request("GET", "/health")
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"Healthy")
    connection.request("GET", "/nowhere")
    response = connection.getresponse()
    assert (response.status, b"/health" in response.read()) == (404, True)
    connection.close()
    assert "in a browser: http://127.0.0.1" in server.printed.text


def test_it_listens_by_default_and_can_be_switched_off():
    listen = tomllib.loads(run("config").stdout)["listen"]
    assert listen["http"] == "*:8080"
    assert tomllib.loads(run("config", "--listen", "http=off").stdout)["listen"]["http"] == "off"
    assert "WebSocket" in run("help", "http").stdout


def test_settings_of_the_listener_are_in_force_and_checked(serve, tmp_path):
    server = serve(listen=LISTEN, http={"body_bytes_max": 2_000})
    connection = http.client.HTTPConnection(LOCAL, server.port_of("http"), timeout=DEADLINE_S)
    connection.request("POST", "/health", b"x" * 3_000)
    response = connection.getresponse()
    assert (response.status, b"2000 bytes (http.body_bytes_max)" in response.read()) == (413, True)
    connection.close()
    file = tmp_path / "wrong.toml"
    file.write_text("[http]\nbody_max = 1", encoding="utf-8")
    done = run("serve", "--config", str(file))
    assert (done.returncode, "http.body_max is not a setting; did you mean 'body_bytes_max'?" in done.stderr) == (
        2,
        True,
    )


def test_a_stop_waits_for_no_browser(serve):
    server = serve(listen=LISTEN)
    with socket.create_connection((LOCAL, server.port_of("http"))) as browser:
        browser.sendall(b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n")
        browser.settimeout(DEADLINE_S)
        assert b"Healthy" in browser.recv(1_000)
        assert server.stop() == 0
        assert browser.recv(1_000) == b""
