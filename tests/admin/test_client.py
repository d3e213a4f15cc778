"""The way of a command to the server, as it comes and goes."""

import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from attrs import evolve

from gameserver.admin.client import Access, NoAccess, NotReached, access_file, client_of, grant, read_access


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


def test_the_token_is_made_once_and_the_address_is_always_the_latest(tmp_path: Path) -> None:
    file = access_file(str(tmp_path / "data.sqlite3"))
    first = grant(file, "http://127.0.0.1:1")
    assert len(first.token) >= 32
    second = grant(file, "http://127.0.0.1:2", listening={"strategic:ngs": "[::1]:7790"})
    assert second == Access("http://127.0.0.1:2", first.token, "", {"strategic:ngs": "[::1]:7790"}) == read_access(file)
    assert (
        grant(file, "http://127.0.0.1:2", "of-the-config-file").token == read_access(file).token == "of-the-config-file"
    )
    assert first.token not in repr(first)


def test_nobody_else_can_read_it_even_if_they_could_before(tmp_path: Path) -> None:
    file = tmp_path / "a.admin"
    file.write_text('url = "http://h:1"\ntoken = "abc"\n')
    file.chmod(0o644)
    assert grant(file, "http://h:2").token == "abc"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a.admin"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"url = 1",
        b"\xff",
        b'url = "http://h:1"',
        b'url = "ftp://h"\ntoken = "x"',
        b'url = "http://h:1"\ntoken = "x"\nlistening = 1',
    ],
)
def test_a_file_that_says_nothing_useful(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.admin"
    file.write_bytes(content)
    with pytest.raises(NoAccess, match=r"a.admin cannot be used .*; delete it, and start the server again"):
        read_access(file)
    assert grant(file, "http://h:1").token


def test_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(NoAccess, match="no server with an admin listener has been started with this data file"):
        read_access(tmp_path / "none.admin")
    with pytest.raises(NoAccess, match=r"cannot be written: No such file or directory"):
        grant(tmp_path / "no" / "a.admin", "http://h:1")
