"""The options of commands that play with one client, `check` and `replay --to-client`, and what they mean."""

from collections.abc import Sequence

import click

from gameserver.check.server_under_check import OPPONENTS
from gameserver.cli.common import WrongSettings
from gameserver.plugins import Plugins
from gameserver.protocol import WireProtocol

# By judgement: a program starts in seconds. A person reads where to connect, and starts a client in an IDE.
_LOGIN_S, _BY_HAND_LOGIN_S = 30.0, 600.0

command_argument = click.argument("command", nargs=-1, metavar="[-- COMMAND...]")
connect_option = click.option(
    "--connect", is_flag=True, help="You start the client by hand: you are told where it has to connect."
)
protocol_option = click.option(
    "--protocol",
    default=OPPONENTS,
    show_default=True,
    metavar="PROTOCOL[:PROFILE]",
    help="The protocol that the client speaks, and the dialect of the server; each protocol's first one by default.",
)
login_time_option = click.option(
    "--login-time",
    "login_time_s",
    type=click.FloatRange(1, 3600),
    help=f"Seconds that the client has to log in; {_LOGIN_S:g} by default, {_BY_HAND_LOGIN_S:g} with --connect.",
)


def check_command(command: Sequence[str], *, connect: bool) -> None:
    """Sees that the options tell who starts the client of a check or replay. Raises `WrongSettings`."""
    if bool(command) == connect:
        raise WrongSettings(
            "end with the command that starts the client, after `--`, such as "
            "`-- python3 bot.py {host} {port} {name}`; or start it by hand, with --connect"
        )


def protocol_named(found: Plugins, text: str) -> tuple[WireProtocol, str]:
    """Reads `--protocol`: the protocol that the client speaks, and the server's profile. Raises `WrongSettings`."""
    name, colon, profile = text.partition(":")
    if name not in found.protocols:
        raise WrongSettings(f"--protocol: there is no {name!r}; there is {', '.join(found.protocols)}")
    protocol = found.protocols[name]
    if not colon:
        return protocol, protocol.profiles[0]
    if protocol.default_port is None:
        raise WrongSettings(f"--protocol: clients of {name} choose the profile by the path; write {name}")
    if profile not in protocol.profiles:
        known = ", ".join(f"{name}:{one}" for one in protocol.profiles)
        raise WrongSettings(f"--protocol: {name} has no profile {profile!r}; there is {known}")
    return protocol, profile


def login_time(given_s: float | None, *, connect: bool) -> float:
    """The seconds that the client of a check or replay has to log in, by `--login-time` or by default."""
    return given_s or (_BY_HAND_LOGIN_S if connect else _LOGIN_S)
