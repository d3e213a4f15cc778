"""The roster of a run: some players' names are bound to secrets, in a file that changes while the server runs.

The real roster reads it. Who does not know a secret must never come in under its name, from wherever and
whatever else they do; who knows it takes the place of a connection of their own at once.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from attrs import define, field

from gameserver.authentication.roster import Roster, SharedRoster
from gameserver.database.connection import DatabaseAway
from protocols.gammonx.schema import player_name
from tests.simulation.client import Client
from tests.simulation.tickets import TicketClient
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

HEAD = "name,secret,gammonx_id\n"
STUDENT_SHARE = 0.5
"""The share of GUIDs with a secret that stand beside a student's name; the others are names themselves."""
BROKEN = "nobody knows what this is\n"


@define
class RosterFile:
    """A file of which the roster asks what it needs of a path."""

    text: str = HEAD
    version: int = 0

    def write(self, text: str) -> None:
        self.text, self.version = text, self.version + 1

    def stat(self) -> SimpleNamespace:
        """Give another time with every version."""
        return SimpleNamespace(st_mtime=float(self.version), st_size=len(self.text))

    def read_text(self, encoding: str) -> str:
        return self.text


@define
class RosterConnection:
    """Reads the same table in a database."""

    _file: RosterFile
    is_away: Callable[[], bool] = lambda: False
    _found: list[tuple[int, str]] = field(factory=list)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Connect, unless the database is away."""
        if self.is_away():
            raise DatabaseAway("nobody is there")
        yield self

    def execute(self, _: str, values: tuple[int]) -> "RosterConnection":
        """Find the row if its version has changed."""
        self._found = [] if values == (self._file.version,) else [(self._file.version, self._file.text)]
        return self

    def fetchone(self) -> tuple[int, str] | None:
        return next(iter(self._found), None)


class Rosters:
    """The names that are bound to secrets, and the file that says so."""

    def __init__(self, world: "World", bots: Sequence[Client]) -> None:
        self._world = world
        self.file = RosterFile()
        self._secrets: dict[str, str] = {}
        self._owners: dict[str, int] = {}
        """By the name in the lobby: its owner."""
        self._students: dict[str, str] = {}
        """By GUID: the student's name."""
        chance = world.plan.stream("roster")
        share = chance.choice(world.plan.roster_shares())
        folded = [name.casefold() for name in {bot.name for bot in bots}]
        for bot in bots:
            # A player named like another but for capitals would never come in.
            if chance.random() < share and folded.count(bot.name.casefold()) == 1:
                self._secrets[identity_of(bot)] = ""
                if isinstance(bot, TicketClient) and chance.random() < STUDENT_SHARE:
                    self._students[bot.guid] = f"student {bot.index}"
                self._owners[self._lobby_name_of(bot)] = bot.index
        self._draw_secrets(chance, 1.0)

    def opened(self, now_s: Callable[[], float], shared: SharedRoster | None = None) -> Roster:
        """Open the roster as a process does at its start. A broken one would stop it, so that is mended first."""
        self._save()
        path = self.file if shared is None else None
        roster = Roster(path, now_s, gammonx_secret_required=True, shared=shared)
        roster.load()
        return roster

    def change(self, chance: Random) -> None:
        """Save the file: with other secrets, with lines for others, or broken, which changes nothing."""
        if not self._secrets:
            return
        if chance.random() < 0.3:
            self.file.write(BROKEN)
            return
        self._draw_secrets(chance, 0.5)
        self._save()

    def mend(self) -> None:
        """Save the file as it is meant to be: a change that nobody read before the file broke counts at last."""
        self._save()

    def shown_by(self, client: Client) -> str:
        """Give the secret that a client shows: its own, or a guess under somebody else's name."""
        secret = self._secrets.get(identity_of(client), "")
        if not secret or self._owners[self._lobby_name_of(client)] == client.index:
            is_slip = secret and not self._world.calm and client.chance.random() < 0.05
            return secret[:-1] if is_slip else secret
        return client.chance.choice(("", "letmein", secret[1:]))

    def is_bound(self, client: Client) -> bool:
        return identity_of(client) in self._secrets

    def check(self, name: str, bot: int) -> None:
        if self._owners.get(name, bot) != bot:
            raise Violation("nobody else comes in under a bound name", f"bot {bot} is in as {name}")

    def check_kept(self, data: bytes) -> None:
        if any(secret.encode() in data for secret in self._secrets.values()):
            raise Violation("secrets are kept", f"a secret of the roster is in {data!r}")

    def _draw_secrets(self, chance: Random, share: float) -> None:
        for identity in self._secrets:
            if chance.random() < share:
                self._secrets[identity] = chance.randbytes(9).hex()
                self._world.secrets.keep(self._secrets[identity])

    def _save(self) -> None:
        lines = [
            f"{self._students[identity]},{secret},{identity}\n"
            if identity in self._students
            else f"{identity},{secret},\n"
            for identity, secret in self._secrets.items()
        ]
        self.file.write(f"{HEAD}{''.join(lines)}somebody else,,\n")

    def _lobby_name_of(self, client: Client) -> str:
        if isinstance(client, TicketClient):
            return self._students.get(client.guid) or player_name(client.guid)
        return client.name


def identity_of(client: Client) -> str:
    return client.guid if isinstance(client, TicketClient) else client.name
