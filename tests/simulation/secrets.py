"""The secrets that are in nobody's bytes, or only in their owner's: codes to be broken, tickets, tokens."""

from attrs import define, field

from gameserver.core.lobby import Lobby
from gameserver.core.match import Claim, Match
from gameserver.records.match_record import MatchRecord
from tests.simulation.violation import Violation

TELLING_PLACES = 6
TELLING_COLOURS = 20
"""The size from which on a code that is seen somewhere is no coincidence."""
CODE_GAME = "Mastermind"


@define
class Secrets:
    """The secrets of one run, and their owners. Every byte of the server passes `check`."""

    _on_roster: list[bytes] = field(factory=list)
    _owners: dict[bytes, list[int]] = field(factory=dict)
    _public: set[bytes] = field(factory=set)
    """The ids of matches on record, which pages show."""
    _codes: dict[int, tuple[bytes, ...]] = field(factory=dict)
    """By match, until its end is committed: the code in the ways it may be spelled."""

    def keep(self, secret: str) -> None:
        """Keep a secret of the roster, which nobody is told."""
        self._on_roster.append(secret.encode())

    def keep_own(self, secret: str, bot: int) -> None:
        """Keep a ticket or token, which may be told to this client, and to others that have got hold of it."""
        owners = self._owners.setdefault(secret.encode(), [])
        if bot not in owners:
            owners.append(bot)

    def owner_of(self, secret: str) -> int | None:
        return next(iter(self._owners.get(secret.encode(), ())), None)

    def share(self, claim: Claim) -> None:
        """Let the player of a ticket be told the ids of its pairs too."""
        owner = self.owner_of(claim.booked.ticket) if claim.aliases else None
        for alias in claim.aliases:
            if owner is not None:
                self.keep_own(alias, owner)

    def notice(self, lobby: Lobby) -> None:
        """Take note of tickets that were paired, and of codes that were drawn."""
        for ticket in lobby.tickets.values():
            self.share(ticket.claim)
        for match in lobby.matches.values():
            # Its page shows the id that a pair of tickets shares: it gives access to no seat.
            if all(holder.ticket for holder in match.seats):
                self._public.add(match.public_id.encode())
            for holder in match.seats:
                if holder.claim is not None:
                    self.share(holder.claim)
            if match.game.name == CODE_GAME and match.id not in self._codes:
                self._codes[match.id] = _spellings(match)

    def ended(self, record: MatchRecord) -> None:
        """Release the secrets of a match on record: its code may be told, and its id gives access to no seat."""
        self._public.add(record.public_id.encode())
        self._codes.pop(record.match, None)

    def check(self, data: bytes | bytearray, bot: int) -> None:
        for secret in self._on_roster:
            if secret in data:
                raise Violation("secrets are kept", f"bot {bot} is told a secret of the roster")
        for secret, owners in self._owners.items():
            if bot not in owners and secret in data and secret not in self._public:
                raise Violation("secrets are kept", f"bot {bot} is told {secret.decode()} of bot {owners[0]}")
        for match, spellings in self._codes.items():
            if any(code in data for code in spellings):
                raise Violation("secrets are kept", f"bot {bot} is told the code of match {match}: {bytes(data)!r}")


def _spellings(match: Match) -> tuple[bytes, ...]:
    drawn = next((step for step in match.moves if step.seat is None), None)
    if drawn is None:
        return ()
    values = [int(number) for number in drawn.text.split()]
    if len(values) < TELLING_PLACES or match.options.value_count < TELLING_COLOURS:
        return ()
    codes = (values, [value - 1 for value in values])
    return tuple(sign.join(map(str, code)).encode() for code in codes for sign in (",", ", ", " ", "-"))
