"""The way from a command to a running server: its admin listener, spoken to in JSON.

The standard library's HTTP is enough for one request at a time; no proxy of the environment comes
in between.
"""

import http.client
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
from attrs import frozen

from gameserver.admin.token_file import Access, NoAccess, access_file, read_access

TIMEOUT_S = 60.0
"""The time that an answer may take: an act waits until it is in the journal, which waits for a slow disk."""


class NotReached(Exception):
    """Nobody answers where the server should be, or it is stopping or full; the text says which, and what to do."""


class AdminApiError(Exception):
    """The server will not do it; the text says why. `status` is that of the response."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@frozen
class AdminClient:
    """Asks one server. Both methods raise `NotReached` and `AdminApiError`."""

    access: Access
    file: Path | None = None
    """Where it was read. A server that was started again may have written another port there."""

    def get(self, *path: str) -> Any:
        """What there is at `/api/...`; the parts of the path are quoted here."""
        return self._ask("GET", path, None)

    def text(self, *path: str, **body: Any) -> str:
        """A file, such as CSV, as it is; made with what is handed over, if anything is."""
        return self._bytes("POST" if body else "GET", path, orjson.dumps(body) if body else None).decode()

    def post(self, *path: str, **body: Any) -> Any:
        """Have something done."""
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
            connection = _connection_to(access)
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
        """The way as the server of this moment has written it."""
        if self.file is not None:
            with suppress(NoAccess):
                return read_access(self.file)
        return self.access


def _connection_to(access: Access) -> http.client.HTTPConnection:
    """Where there is TLS, the server has to show this very certificate; what names it has does not matter."""
    where = urlsplit(access.url)
    if where.scheme == "http":
        return http.client.HTTPConnection(where.netloc, timeout=TIMEOUT_S)
    context = ssl.create_default_context(cafile=access.certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return http.client.HTTPSConnection(where.netloc, timeout=TIMEOUT_S, context=context)


def client_of(kept_in: str) -> AdminClient:
    """A client of the server with this data file. Raises `NoAccess`."""
    file = access_file(kept_in)
    return AdminClient(read_access(file), file)


def _read(status: int, body: bytes) -> bytes:
    if status == http.client.SERVICE_UNAVAILABLE:
        raise NotReached(body.decode("utf-8", "replace").strip() or "the server is stopping")
    if status >= http.client.BAD_REQUEST:
        content = _content(body)
        why = content.get("error") if isinstance(content, dict) else None
        raise AdminApiError(str(why or f"status {status}"), status)
    return body


def _content(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return {"error": body.decode("utf-8", "replace").strip()}
