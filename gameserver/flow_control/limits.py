"""Limits on what a connection may ask of the server: some are settings, all of them fit a class of 60.

`TrustedProxies` are the addresses of proxies that are believed when they say whose connection they pass on. An address
is compared as the listeners spell it: IPv4 in its own notation, and this machine always as 127.0.0.1.
"""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from attrs import field, validators

from gameserver.core.commands import Accept, Book, Challenge, Ready, Seek
from gameserver.settings import FIXED
from gameserver.values import value

THIS_MACHINE = "127.0.0.1"
_LOOPBACK_V6 = IPv6Address("::1")
# IPv4 addresses as a socket for IPv6 shows them (RFC 4291, 2.5.5.2).
_MAPPED_V4 = IPv6Network("::ffff:0:0/96")

Network = IPv4Network | IPv6Network


class TrustedProxies:
    """The addresses and networks of trusted proxies, a setting of the limits.

    Raises `ValueError`, which names the text that is neither.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._networks = [network for text in texts for network in _networks(text)]

    def __contains__(self, address: str) -> bool:
        own = ip_address(address)
        return any(own in network for network in self._networks)


def _check_networks(_settings: object, field: Any, texts: Sequence[str]) -> None:
    """Validate a setting that is a list of addresses and networks. Raises `ValueError`."""
    try:
        TrustedProxies(texts)
    except ValueError as error:
        message = f"'{field.name}' has {error}"
        raise ValueError(message) from error


def _networks(text: str) -> list[Network]:
    """The network that a text names, as connections from it are spelled."""
    try:
        network = ip_network(text)
    except ValueError as error:
        message = f"{text!r}, which is neither an address nor a network such as 10.1.0.0/16: {error}"
        raise ValueError(message) from None
    if isinstance(network, IPv4Network):
        return [network]
    if network.subnet_of(_MAPPED_V4):
        address = network.network_address.ipv4_mapped
        return [IPv4Network((int(address or 0), network.prefixlen - _MAPPED_V4.prefixlen))]
    return [network, IPv4Network(THIS_MACHINE)] if _LOOPBACK_V6 in network else [network]


MATCH_REQUESTS = frozenset({Accept, Book, Challenge, Ready, Seek})
"""Commands that may begin a match."""


@value
class Limits:
    """The limits of one connection, of one address and of all together.

    A peer that crosses a limit is told so in its protocol's words, where that is still possible, and the log gets one
    line.
    """

    connections_max: int = field(default=10_000, validator=validators.ge(1))
    """Connections in all, including ones that have ended and still wait for their peer's last bytes. Beyond it, a
    connection that has not logged in gives way to a newcomer: of the newcomer's address first, then the longest
    idle."""
    connections_per_address_max: int = field(default=500, validator=validators.ge(1))
    """Connections from one address; a class of 60 with a few bots each sits behind one. Beyond it, connections that
    have not logged in give way, the longest idle first. Where all have logged in, a player with a right secret still
    gets in."""
    line_bytes_max: int = field(default=16_384, metadata=FIXED)  # as in the text protocol's server of 2016
    """Bytes of one incomplete message."""
    login_timeout_s: float = field(default=300.0, metadata=FIXED)  # time to type a name by hand, in telnet
    """Seconds that a connection may stay without a login."""
    outbox_bytes_max: int = field(default=1_048_576, metadata=FIXED)  # a list of 10,000 names of 64 letters: 0.7 MB
    """Bytes that may wait for a peer that does not read."""
    send_timeout_s: float = field(default=30.0, metadata=FIXED)  # three turns of the text protocol
    """Seconds for which a peer may read nothing while data waits for it. A peer that reads, however slowly, is kept."""
    new_connections_per_s: float = field(default=50.0, metadata=FIXED)  # a class of 60 that starts anew, in one second
    """New connections per second from one address, after a burst of twice as many as it may have at once. A connection
    beyond that is kept only if its first command has the right secret, takes back a reserved seat, or is a login: one
    per second of each name that is on the roster or has played, and of new names as many as connections."""
    offers_per_s: float = field(default=50.0, metadata=FIXED)  # 2 GB of records a day, if a program does nothing else
    """Commands per second of one connection that may begin a match, after a burst; more are slowed down. Each match
    is recorded, and a program that only begins matches would fill the disk."""
    address_offers_per_s: float = field(default=500.0, metadata=FIXED)  # ten such programs behind one router
    """The same for all connections from one address together, such as a class behind one router. The next command of
    a player who sends more is read later; nothing is refused, and nobody else waits."""
    commands_per_s: float = field(default=1_000.0, metadata=FIXED)  # the busiest old client polls once a second
    """Commands per second of one connection, after a burst of twice as many; more are slowed down, not refused."""
    trusted_proxies: tuple[str, ...] = field(default=(), validator=_check_networks)
    """The addresses and networks of proxies in front of this server, such as `["10.0.0.1", "10.1.0.0/16"]`. Each of
    their connections must begin with a header of the PROXY protocol, version 2 (HAProxy: `send-proxy-v2`). The address
    in it is the player's for every limit, and for who may take back a seat. Programs at these addresses can claim to be
    any player's computer."""

    def cost_of(self, asked: object) -> float:
        """The number of commands that this one counts as, within the limit of commands a second."""
        return max(1.0, self.commands_per_s / self.offers_per_s) if type(asked) in MATCH_REQUESTS else 1.0
