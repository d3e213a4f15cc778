"""The admin client, by which commands talk to a running server, and the access file by which they find it.

The access file lies beside the data file. The server writes it at every start: the address of its admin listener, and
the token, which it makes at the first start and keeps. Only the file's owner can read it. A person who can read it can
do everything that a teacher can, and so can a person who can read the data file.

The standard library's HTTP client is enough for one request at a time, and it ignores proxies that the
environment names.
"""

import http.client
import os
import secrets
import ssl
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
import tomli_w
from attrs import Factory, asdict, field, validators

from gameserver.database.address import kept_beside
from gameserver.system import write_for_the_owner
from gameserver.values import value

# Seconds that an answer may take: an act waits for the journal, and the journal may wait for a slow disk. Judgement.
_TIMEOUT_S = 60.0
_HEAD = (
    "# Where the admin listener of gameserver is, and its token. Anyone who has the token can do everything there.\n"
)


class NoAccess(Exception):
    """The admin listener's access file cannot be used; the text says why and what to do."""


@value
class Access:
    """The content of the access file: the admin listener's address, its token and, with TLS, its certificate."""

    url: str = field(validator=validators.matches_re(r"https?://[^/\s]+"))
    token: str = field(repr=False, validator=validators.min_len(1))
    certificate: str = ""
    """The file with the certificate that the listener shows; empty if it does not use TLS."""
    listening: Mapping[str, str] = Factory(dict)
    """The address at which this machine reaches each protocol, as HOST:PORT, after `tls://` if TLS is used."""
    process: int = field(default=0, eq=False)
    """The server's process."""


def access_file(data: str, hall: str = "") -> Path:
    """The path of the access file beside a data file, or of a hall; without a data file in the current directory."""
    return Path(f"{kept_beside(data, hall)}.admin")


def grant(
    file: Path, url: str, token: str = "", certificate: str = "", listening: Mapping[str, str] | None = None
) -> Access:
    """Writes the file that tells an admin client with which URL and token to connect. Raises `NoAccess`.

    Its token is the given one, else the one of the last start, else a new one.
    """
    try:
        token = token or read_access(file).token
    except NoAccess:
        token = secrets.token_urlsafe(24)  # 192 bits
    access = Access(
        url, token, str(Path(certificate).absolute()) if certificate else "", dict(listening or {}), os.getpid()
    )
    try:
        write_for_the_owner(file, _HEAD + tomli_w.dumps(asdict(access)))
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror or error}; the admin listener needs it for its token"
        raise NoAccess(message) from error
    return access


def read_access(file: Path) -> Access:
    """Reads the access file by which the admin client finds a server. Raises `NoAccess`."""
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
        return Access(
            raw["url"], raw["token"], raw.get("certificate", ""), dict(raw.get("listening", {})), raw.get("process", 0)
        )
    except FileNotFoundError:
        message = (
            f"there is no {file}: no server with an admin listener has been started with "
            "this data file; name the server's with --data, or its --config"
        )
        raise NoAccess(message) from None
    except PermissionError:
        message = f"{file} cannot be read: it belongs to the user who started the server"
        raise NoAccess(message) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{file} cannot be used ({error}); delete it, and start the server again"
        raise NoAccess(message) from error


class NotReached(Exception):
    """No server answers the admin client, or it is stopping or full. The text says which, and what to do."""


class AdminApiError(Exception):
    """The admin listener refused a request; the text says why. `status` is that of the response."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


@value
class AdminClient:
    """The admin client of one server. Its requests raise `NotReached` and `AdminApiError`."""

    access: Access
    file: Path | None = None
    """The file that `access` was read from. A server that was restarted may have written another port into it."""
    timeout_s: float = _TIMEOUT_S
    noted: Callable[[NotReached | None], None] = lambda _: None
    """Called after each request, with the error if the server was not reached; it may raise another one instead."""

    def get(self, *path: str) -> Any:
        """Ask a running server for the JSON at `/api/...`. The parts of the path are quoted here."""
        return self._ask("GET", path, None)

    def text(self, *path: str, **body: Any) -> str:
        """Ask a running server for a file, such as CSV. A `body` says how the file is to be made."""
        return self._bytes("POST" if body else "GET", path, orjson.dumps(body) if body else None).decode()

    def post(self, *path: str, **body: Any) -> Any:
        """Ask a running server to act."""
        return self._ask("POST", path, orjson.dumps(body))

    def _ask(self, method: str, path: tuple[str, ...], body: bytes | None) -> Any:
        return _content(self._bytes(method, path, body))

    def _bytes(self, method: str, path: tuple[str, ...], body: bytes | None) -> bytes:
        try:
            content = self._requested(method, path, body)
        except NotReached as error:
            self.noted(error)
            raise
        self.noted(None)
        return content

    def _requested(self, method: str, path: tuple[str, ...], body: bytes | None) -> bytes:
        access = self._now()
        url = access.url
        headers = {"Authorization": f"Bearer {access.token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection: http.client.HTTPConnection | None = None
        try:
            connection = _connection_to(access, self.timeout_s)
            # A player's name may have any letter, a slash too.
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
    # Else OpenSSL trusts only certificates that sign themselves, and one of an authority would be refused.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return http.client.HTTPSConnection(where.netloc, timeout=timeout_s, context=context)


def client_of(kept_in: str, hall: str = "") -> AdminClient:
    """The admin client that talks to the server with this data file. Raises `NoAccess`."""
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
