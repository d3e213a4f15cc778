"""A row of the table of acts, `act_table.ACTS`: what an act is called, when it is possible, what it asks for.

Everything that offers or stores acts reads these rows. The journal takes the tag; the admin API, the
teacher's forms and the command line take the fields; the last two and the guide take the words.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from gameserver.tournaments.acts import RATING_MAX, Act
from gameserver.tournaments.model import Tournament, TournamentPhase, Verdict
from gameserver.values import value

Handler = Callable[[Tournament, Any], Tournament]
"""Carries an act out: gives the tournament after it. Raises `ActRefused`."""


@value
class Choice:
    """One value of an enum: its words in a list to choose from, and in a sentence about what was chosen."""

    value: str
    label: str
    words: str


@value
class ActField:
    """Something that a teacher says with an act; `name` is a field of the act's class.

    `kind` is `str`, `int` or an enum. `most` limits a number, or the length of a text.
    """

    name: str
    label: str
    """Its name beside an input of a form."""
    noun: str = ""
    """Its name in a sentence such as "... is a whole number"."""
    missing: str = ""
    """Tells a person who left it out what to do. Empty if it may be left out."""
    kind: type[str] | type[int] = str
    most: int | None = None
    choices: tuple[Choice, ...] = ()
    """The values of an enum."""
    help: str | None = None
    """Its help, where it is an option of a command."""

    @property
    def is_needed(self) -> bool:
        """True if the act means nothing without it."""
        return self.missing != ""

    @property
    def is_number(self) -> bool:
        """True if it is a whole number."""
        return self.kind is int

    @property
    def blank(self) -> Any:
        """The value of a field that was left out. None: there is none to go on with."""
        return None if issubclass(self.kind, StrEnum) else self.kind()


PLAYER = ActField("player", "Player", missing="Name the player")
RATING = ActField(
    "rating",
    "Rating for the seeding",
    "a rating",
    kind=int,
    most=RATING_MAX,
    help="For seeding by rating; by default the server's own rating.",
)
PAIRING = ActField("pairing", "Game number", "a game's number", "Give the number of the game", kind=int)
VERDICT = ActField(
    "verdict",
    "Right result",
    missing="Choose the right result",
    kind=Verdict,
    choices=(
        Choice(Verdict.FIRST.value, "1-0, first player won", "the first player won"),
        Choice(Verdict.SECOND.value, "0-1, second player won", "the second player won"),
        Choice(Verdict.DRAW.value, "½-½, a draw", "a draw"),
        Choice(Verdict.BOTH_LOSE.value, "0-0, both lose", "both lost"),
    ),
)
WHY = ActField("why", "Why", missing="Give a reason; it is recorded", most=500)
"""Goes with every act of a teacher; `TeacherAct.needs_why` tells whether pages and commands insist on it."""


@value(kw_only=True)
class ActSpec:
    """An act that follows from the rules, or that the server works out."""

    type: type[Act]
    tag: str
    """Its name in journals. It never changes."""
    handler: Handler
    phases: tuple[TournamentPhase, ...]
    """The phases in which it is possible. In others it is refused."""
    cannot: str
    """Completes the refusal "The cup is over and cannot ... now"."""
    is_lobbys_own: bool = False
    """True if only the lobby can know of it, so that it is taken from nobody else."""


@value(kw_only=True)
class TeacherAct(ActSpec):
    """An act that a teacher may ask for. Its class has `by` and `why` besides the fields here."""

    fields: tuple[ActField, ...] = ()
    needs_why: bool = False
    """True if it overrules a player, so that pages and commands ask for the reason."""
    is_destructive: bool = False
    """True if it takes away results or places, so that pages and commands say what is lost and ask again."""
    button: str
    help: str
    """A sentence about the act, for the command line and the guide."""
    done: str
    """The words of the teacher's page afterwards."""
    done_holds_in: tuple[TournamentPhase, ...] = ()
    """The phases in which these words are still true; empty if they are in all."""
    done_to: str
    """The words of the command line afterwards; filled with the tournament's summary and the fields."""
