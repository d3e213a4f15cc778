"""Tells how players find a tournament: the address of its page, and for each protocol the line to copy.

Ports are those of the listeners as they listen. The host is that of `http.url`, the setting for the name by which
players find the server; without it, the address at which this machine is found in its network. A listener that this
machine alone reaches is named only if its protocol has no other one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from gameserver.core.commands import EntryMode
from gameserver.protocol import WireProtocol
from gameserver.read_model.views import Entrance, Invitation, ListenerSummary
from gameserver.server.setup import Setup

Invite = Callable[[int, str, EntryMode], Invitation]
"""Writes the invitation to the tournament of this number, by its game and its entry mode."""


def inviting(setup: Setup) -> Invite:
    """Makes the function that writes the invitations to the tournaments of a server with this setup."""
    protocols: dict[str, WireProtocol] = {}
    for listening in setup.listening:
        carried = getattr(listening.protocol, "carried", ())
        protocols |= {one.name: one for one in (listening.protocol, *carried)}

    def invite(number: int, game: str, entry: EntryMode) -> Invitation:
        # Asked for each time: a laptop may join another network while the server runs.
        machine = setup.network_address()
        terms = (game, entry, setup.rules.room_game)
        return invitation(number, terms, setup.places, protocols, public_url=setup.url, machine=machine)

    return invite


def invitation(
    number: int,
    terms: tuple[str, EntryMode, str],
    places: Iterable[ListenerSummary],
    protocols: Mapping[str, WireProtocol],
    *,
    public_url: str,
    machine: str,
) -> Invitation:
    """Writes the invitation to a tournament, on the terms that `WireProtocol.joining` takes.

    `machine` is the address of this machine in its network.
    """
    best = list(_best(places))
    url = pages_url(best, machine, public_url)
    public_host = urlsplit(public_url).hostname
    lines = [
        (protocols[one.protocol], one.profile, _line(one, public_host or (machine if one.is_everywhere else one.host)))
        for one in best
    ]
    if url:
        lines += [(one, one.profiles[0], url) for one in protocols.values() if one.default_port is None]
    entrances = []
    for protocol, profile, line in lines:
        deed = protocol.joining(*terms)
        title = protocol.title if profile == protocol.profiles[0] else f"{protocol.title}, {profile}"
        if deed:
            entrances.append(Entrance(title, line, deed))
    return Invitation(url and f"{url}/tournaments/{number}", tuple(entrances))


def _best(places: Iterable[ListenerSummary]) -> Iterator[ListenerSummary]:
    """The listener of each protocol and profile that most players can use, in the order of the settings."""
    by_kind: dict[tuple[str, str], list[ListenerSummary]] = {}
    for place in places:
        by_kind.setdefault((place.protocol, place.profile), []).append(place)
    for each in by_kind.values():
        yield min(each, key=lambda one: (one.is_for_this_machine, one.is_encrypted))


def _line(place: ListenerSummary, host: str) -> str:
    """The command that connects a terminal to a listener."""
    return f"{'ncat --ssl' if place.is_encrypted else 'nc'} {host} {place.port}"


def pages_url(listeners: Iterable[ListenerSummary], reached: str, public_url: str = "") -> str:
    """The URL of the pages in a new adapter's context, without a slash at the end; empty if no listener speaks HTTP.

    `public_url` is what the settings say. Without it, behind a router that translates addresses, or in a container, the
    address that was `reached` may not be the one that the peer knows.
    """
    for listener in listeners:
        if listener.protocol == "http":
            if public_url:
                return public_url.rstrip("/")
            return listener.url(_host(reached if listener.is_everywhere else listener.host))
    return ""


def _host(text: str) -> str:
    """The host of a URL for this address."""
    if not text:
        return "localhost"
    address = ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    # A socket for both families has IPv4 peers as ::ffff:192.0.2.1, which no browser is given.
    address = mapped or address
    if address.is_loopback:
        return "localhost"
    return str(address)
