"""The addresses of proxies that are believed when they say whose connection they pass on.

An address is compared as the listeners spell it: IPv4 in its own notation, and this machine always as 127.0.0.1.
"""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

THIS_MACHINE = "127.0.0.1"
_LOOPBACK_V6 = IPv6Address("::1")
_MAPPED_V4 = IPv6Network("::ffff:0:0/96")

Network = IPv4Network | IPv6Network


class TrustedProxies:
    """Addresses and networks. Raises `ValueError`, which names the text that is neither."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._networks = [network for text in texts for network in _networks(text)]

    def __contains__(self, address: str) -> bool:
        own = ip_address(address)
        return any(own in network for network in self._networks)


def check_networks(_settings: object, field: Any, texts: Sequence[str]) -> None:
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
