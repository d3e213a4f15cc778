"""How a command finds the admin listener of a running server: one small file beside the data file.

The server writes it at every start: where it listens, and the token, which it makes at the first
start and keeps. Nobody but the file's owner can read it. Whoever can read it can do everything that
a teacher can, as could whoever can read the data file.
"""

import os
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomli_w
from attrs import Factory, asdict, field, frozen, validators

IN_MEMORY = ":memory:"

_HEAD = "# Where the admin listener of gameserver is, and its token. Whoever has the token can do everything there.\n"


class NoAccess(Exception):
    """There is no way to the admin listener; the text says why and what to do."""


@frozen
class Access:
    """Where the admin listener is, and what it takes for an authority."""

    url: str = field(validator=validators.matches_re(r"https?://[^/\s]+"))
    token: str = field(repr=False, validator=validators.min_len(1))
    certificate: str = ""
    """The file with the certificate that it shows, where it speaks TLS."""
    listening: Mapping[str, str] = Factory(dict)
    """Where this machine reaches each protocol, as HOST:PORT, with `tls://` before it where that is spoken."""


def access_file(data: str) -> Path:
    """The file that belongs to a data file. Where nothing is kept, it lies in the current directory."""
    return Path("gameserver.admin" if data == IN_MEMORY else f"{data}.admin")


def grant(
    file: Path, url: str, token: str = "", certificate: str = "", listening: Mapping[str, str] | None = None
) -> Access:
    """Write the file; the token is the given one, or the one that the file has, or a new one. Raises `NoAccess`."""
    try:
        token = token or read_access(file).token
    except NoAccess:
        token = secrets.token_urlsafe(24)
    access = Access(url, token, str(Path(certificate).absolute()) if certificate else "", dict(listening or {}))
    try:
        _write_for_the_owner(file, _HEAD + tomli_w.dumps(asdict(access)))
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror or error}; the admin listener needs it for its token"
        raise NoAccess(message) from error
    return access


def read_access(file: Path) -> Access:
    """What the file says. Raises `NoAccess`."""
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
        return Access(raw["url"], raw["token"], raw.get("certificate", ""), dict(raw.get("listening", {})))
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


def _write_for_the_owner(file: Path, text: str) -> None:
    """Put the whole file in its place at once, and let nobody else read it at any moment."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    new.replace(file)
