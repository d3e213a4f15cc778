"""TLS by config, as somebody sets it up who runs the installed server."""

import json
import shutil
import signal
import ssl
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.blocking_client import BlockingClient
from tests.end_to_end.support import LOCAL, called
from tests.support.elsewhere import needs_posix
from tests.transport.test_tls import make

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


def shown(port: int) -> str:
    """The certificate that a port shows."""
    return ssl.get_server_certificate((LOCAL, port))


@needs_posix
def test_every_listener_can_be_encrypted_and_a_renewed_certificate_is_read(serve: Any, tmp_path: Path) -> None:
    certificate, key = make(tmp_path, "first")
    listen = (f"strategic=tls://{LOCAL}:0", f"http=tls://{LOCAL}:0", f"admin=tls://{LOCAL}:0")
    server = serve(listen=listen, tls={"certificate": str(certificate), "key": str(key)})
    trusted = trusting(certificate)
    client = BlockingClient(server.port, banner=False)
    client.socket = trusted.wrap_socket(client.socket, server_hostname="localhost")
    client.expect("Game Server", "Type")
    client.log_in("ann")
    with urllib.request.urlopen(f"https://localhost:{server.port_of('http')}/health", context=trusted) as answer:
        assert answer.read() == b"Healthy"
    told = called("status", "--json", "--data", str(server.data))
    assert [player["name"] for player in json.loads(told.stdout)["players"]] == ["ann"], told.stderr

    before = shown(server.port)
    renewed, new_key = make(tmp_path, "renewed")
    certificate.write_bytes(renewed.read_bytes())
    server.process.send_signal(signal.SIGHUP)
    server.log.wait_for("was not read again")
    assert shown(server.port) == before, "the key does not belong to it"
    key.write_bytes(new_key.read_bytes())
    server.process.send_signal(signal.SIGHUP)
    server.log.wait_for("certificate read again")
    assert shown(server.port) != before
    assert client.ask("get playerlist") == "OK", "who is connected notices nothing"
    assert server.stop() == 0
    client.socket.close()
