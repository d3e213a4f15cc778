"""Finds the URL of the pages for a peer: the HTTP listener, at the address by which the peer reached the server."""

from collections.abc import Iterable
from ipaddress import ip_address

from gameserver.read_model.views import ListenerSummary


def pages_url(listeners: Iterable[ListenerSummary], reached: str) -> str:
    """The URL of the pages, without a slash at the end; empty if no listener speaks HTTP.

    Behind a router that translates addresses, or in a container, that may not be the address that the peer knows.
    """
    for listener in listeners:
        if listener.protocol == "http":
            scheme = "https" if listener.is_encrypted else "http"
            return f"{scheme}://{_host(reached if listener.is_everywhere else listener.host)}:{listener.port}"
    return ""


def _host(text: str) -> str:
    """The address as it is written in a URL."""
    if not text:
        return "localhost"
    address = ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    if address.is_loopback:
        return "localhost"
    return f"[{address}]" if address.version == 6 else str(address)
