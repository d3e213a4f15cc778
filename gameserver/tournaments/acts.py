"""Everything that can happen to a tournament, as values. A journal keeps those that are accepted.

`by` is who did it: a teacher's name, or `SERVER` for what follows from the rules. `why` is asked of
people who overrule something, and shown with it. `now_ms` is the time on the server's axis, which the
lobby fills in. A new act is a class here, a handler beside the others in `lifecycle`, and a row of
`lifecycle.act_table.ACTS`, from which it comes into the journal, the API, the pages and the commands.
"""

from collections.abc import Mapping

from attrs import Factory

from gameserver.tournaments.model import Bye, Pairing, Verdict
from gameserver.values import value

SERVER = "server"
RATING_MAX = 9999
"""FIDE's report has four digits for it."""


class ActRefused(Exception):
    """The act is not possible now; the text says why and what to do instead."""


class Act:
    """Something that happens to a tournament. The base of all acts; it has no fields."""

    __slots__ = ()


@value
class RegisterEntrant(Act):
    """A player joins; after the start this is a late entry, or the return of one who withdrew."""

    player: str
    rating: int = 0
    house: bool = False
    by: str = SERVER
    why: str = ""


@value
class WithdrawEntrant(Act):
    """A player withdraws, or the teacher takes one out."""

    player: str
    by: str = SERVER
    why: str = ""


@value
class Disqualify(Act):
    """A player is put out for cause; the plan says what becomes of the results."""

    player: str
    by: str
    why: str


@value
class StartTournament(Act):
    """The draw is made, and play begins. `ratings` are what the server knows of those who entered without one."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""
    ratings: Mapping[str, int] = Factory(dict)


@value
class Pair(Act):
    """The next pairings and byes, as `next_pairings` worked them out."""

    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


@value
class Begin(Act):
    """The lobby has opened the match of an announced pairing."""

    pairing: int
    match: int
    side_by_side: bool = False
    """Together with the one of the same dice."""


@value
class Report(Act):
    """The match of a pairing has ended. `match` tells a result from that of an earlier, voided attempt."""

    pairing: int
    match: int
    verdict: Verdict
    reason: str = ""
    points: tuple[int, int] = (0, 0)


@value
class NoShow(Act):
    """An announced match waited long enough; these of its players were not there."""

    pairing: int
    absent: tuple[str, ...]
    by: str = SERVER


@value
class VoidPairing(Act):
    """A match does not count and is played again: the server was at fault, or a teacher says so."""

    pairing: int
    by: str = SERVER
    why: str = ""


@value
class HoldPairing(Act):
    """The match of a pairing ended without a result, and a person has to say what comes of it."""

    pairing: int
    why: str
    player: str
    """The player whose connection a bug of the server ended, as in an earlier match."""


@value
class Correct(Act):
    """A teacher sets the result of a pairing that is not being played."""

    pairing: int
    verdict: Verdict
    by: str
    why: str


@value
class Pause(Act):
    """No match begins any more; those that are being played go on."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class Resume(Act):
    """Go on after a pause, or after a stop before the end."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class Finish(Act):
    """Let the running matches end, then stop."""

    now_ms: int = 0
    by: str = SERVER
    why: str = ""


@value
class EndByTime(Act):
    """An arena's time may be over; ignored where it is not."""

    now_ms: int


@value
class Cancel(Act):
    """End at once. Results stay on record, and it can be resumed."""

    by: str
    why: str = ""
    now_ms: int = 0
