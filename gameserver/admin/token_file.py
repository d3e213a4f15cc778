"""The access file, by which a command finds the admin listener of a running server. It lies beside the data file.

The server writes it at every start: the address that it listens on, and the token, which it makes at
the first start and keeps. Only the file's owner can read it. A person who can read it can do everything
that a teacher can, and so can a person who can read the data file.
"""

import os
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomli_w
from attrs import Factory, asdict, field, validators

from gameserver.database.address import kept_beside
from gameserver.private_file import write_for_the_owner
from gameserver.values import value

_HEAD = (
    "# Where the admin listener of gameserver is, and its token. Anyone who has the token can do everything there.\n"
)


class NoAccess(Exception):
    """The admin listener cannot be found; the text says why and what to do."""


@value
class Access:
    """The address of the admin listener, its token and, with TLS, its certificate."""

    url: str = field(validator=validators.matches_re(r"https?://[^/\s]+"))
    token: str = field(repr=False, validator=validators.min_len(1))
    certificate: str = ""
    """The file with the certificate that the listener shows; empty if it does not use TLS."""
    listening: Mapping[str, str] = Factory(dict)
    """The address at which this machine reaches each protocol, as HOST:PORT, after `tls://` if TLS is used."""
    process: int = field(default=0, eq=False)
    """The server's process."""


def access_file(data: str, hall: str = "") -> Path:
    """The access file of a data file, or of a hall. If there is no data file, it lies in the current directory."""
    return Path(f"{kept_beside(data, hall)}.admin")


def grant(
    file: Path, url: str, token: str = "", certificate: str = "", listening: Mapping[str, str] | None = None
) -> Access:
    """Write the file. The token is the given one, else the one in the file, else a new one. Raises `NoAccess`."""
    try:
        token = token or read_access(file).token
    except NoAccess:
        token = secrets.token_urlsafe(24)
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
    """Read the file. Raises `NoAccess`."""
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
