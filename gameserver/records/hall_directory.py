"""The halls of one database: what goes on in each, as its leader tells the others, and the records of each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from gameserver.records.reader import RecordReader
from gameserver.values import value


class DirectoryError(Exception):
    """The database cannot be asked for its halls now; one line says why."""


@value
class HallTournament:
    """A tournament that is not over, in a line."""

    number: int
    name: str
    game: str
    phase: str
    players: int


@value
class HallNews:
    """What a hall tells of itself. `url` is the address of its pages; empty if it has none."""

    name: str
    url: str = ""
    players: int = 0
    matches: int = 0
    """Live ones."""
    tournaments: tuple[HallTournament, ...] = ()


@value
class HallSeen:
    """The last news of a hall, and when it came: the time of day, and how long ago by the clock of the database."""

    news: HallNews
    seen_at: str
    seen_ago_s: float


class HallDirectory(ABC):
    """The halls of one database, for the server of one of them. One thread at a time may call it."""

    @abstractmethod
    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all halls that ever were, in the order of their names, this one among them.

        Raises `DirectoryError`.
        """

    @abstractmethod
    def reader(self, hall: str) -> RecordReader:
        """The records of a hall. Any thread may call it, and read them."""

    def close(self) -> None:  # noqa: B027 - not every directory holds anything
        """Let go of the database."""
