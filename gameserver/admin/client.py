"""The client by which commands talk to a running server: JSON over its admin listener.

The standard library's HTTP client is enough for one request at a time, and it ignores proxies that the
environment names.
"""

import http.client
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from gameserver.admin.token_file import Access, NoAccess, access_file, read_access
from gameserver.values import value

TIMEOUT_S = 60.0
"""Seconds that an answer may take: an act waits for the journal, and the journal may wait for a slow disk."""


class NotReached(Exception):
    """No server answers at the address, or it is stopping or full. The text says which, and what to do."""


class AdminApiError(Exception):
    """The server refused; the text says why. `status` is the status of the response."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@value
class AdminClient:
    """A client of one server. Its requests raise `NotReached` and `AdminApiError`."""

    access: Access
    file: Path | None = None
    """The file that `access` was read from. A server that was restarted may have written another port into it."""
    timeout_s: float = TIMEOUT_S

    def get(self, *path: str) -> Any:
        """The JSON at `/api/...`. The parts of the path are quoted here."""
        return self._ask("GET", path, None)

    def text(self, *path: str, **body: Any) -> str:
        """A file, such as CSV, as text. A `body` goes with the request and affects how the file is made."""
        return self._bytes("POST" if body else "GET", path, orjson.dumps(body) if body else None).decode()

    def post(self, *path: str, **body: Any) -> Any:
        """Ask the server to act."""
        return self._ask("POST", path, orjson.dumps(body))

    def _ask(self, method: str, path: tuple[str, ...], body: bytes | None) -> Any:
        return _content(self._bytes(method, path, body))

    def _bytes(self, method: str, path: tuple[str, ...], body: bytes | None) -> bytes:
        access = self._now()
        url = access.url
        headers = {"Authorization": f"Bearer {access.token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection: http.client.HTTPConnection | None = None
        try:
            connection = _connection_to(access, self.timeout_s)
            connection.request(method, "/".join(["/api", *(quote(part, safe="") for part in path)]), body, headers)
            response = connection.getresponse()
            return _read(response.status, response.read())
        except ConnectionRefusedError:
            raise NotReached(f"no server answers at {url}; is it running?") from None
        except (OSError, http.client.HTTPException) as error:
            raise NotReached(f"the server at {url} does not answer: {str(error) or type(error).__name__}") from error
        finally:
            if connection is not None:
                connection.close()

    def _now(self) -> Access:
        """The access file's present content, which a restarted server may have rewritten."""
        if self.file is not None:
            with suppress(NoAccess):
                return read_access(self.file)
        return self.access


def _connection_to(access: Access, timeout_s: float) -> http.client.HTTPConnection:
    """A connection. With TLS, the server must show exactly this certificate; the names in it do not matter."""
    where = urlsplit(access.url)
    if where.scheme == "http":
        return http.client.HTTPConnection(where.netloc, timeout=timeout_s)
    context = ssl.create_default_context(cafile=access.certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return http.client.HTTPSConnection(where.netloc, timeout=timeout_s, context=context)


def client_of(kept_in: str, hall: str = "") -> AdminClient:
    """A client of the server with this data file. Raises `NoAccess`."""
    file = access_file(kept_in, hall)
    return AdminClient(read_access(file), file)


def _read(status: int, body: bytes) -> bytes:
    if status == http.client.SERVICE_UNAVAILABLE:
        raise NotReached(_why_in(body) or "the server is stopping")
    if status >= http.client.BAD_REQUEST:
        why = _why_in(body)
        raise AdminApiError(str(why or f"status {status}"), status)
    return body


def _why_in(body: bytes) -> Any:
    content = _content(body)
    return content.get("error") if isinstance(content, dict) else None


def _content(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return {"error": body.decode("utf-8", "replace").strip()}
