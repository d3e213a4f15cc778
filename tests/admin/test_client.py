"""The way of a command to the server, as it comes and goes."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from attrs import evolve

from gameserver.admin.client import NotReached, client_of
from gameserver.admin.token_file import grant


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """An HTTP server that has one answer for everybody; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing on standard error."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_server_that_is_stopping_is_away_and_found_again_on_another_port(tmp_path: Path) -> None:
    data = str(tmp_path / "data.sqlite3")
    with answering(503, b"The server is stopping; ask again when it is back\n") as url:
        grant(Path(f"{data}.admin"), url, "token")
        client = client_of(data)
        with pytest.raises(NotReached, match=r"^The server is stopping; ask again when it is back$"):
            client.get("status")
    with answering(503, b'{"error":"The database is away."}') as url:
        grant(Path(f"{data}.admin"), url, "token")
        with pytest.raises(NotReached, match=r"^The database is away\.$"):
            client.get("status")
    with pytest.raises(NotReached, match="no server answers"):
        client.get("status")
    with answering(200, b'{"players": []}') as url:
        grant(Path(f"{data}.admin"), url)
        assert client.get("status") == {"players": []}


def test_a_server_that_hangs_is_away_after_a_while(tmp_path: Path) -> None:
    data = str(tmp_path / "data.sqlite3")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        grant(Path(f"{data}.admin"), f"http://127.0.0.1:{silent.getsockname()[1]}", "token")
        with pytest.raises(NotReached, match="does not answer: timed out"):
            evolve(client_of(data), timeout_s=0.01).get("status")
