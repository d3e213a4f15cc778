"""Requests about tournaments. Part of `gameserver.core.messages.commands`.

The acts themselves say who asked for them and why, so the journal tells of every one. Work that needs a library
or time (the pairings of a round) is done outside and comes in as an act, like a teacher's.
"""

from enum import StrEnum

from attrs import field, validators

from gameserver.tournaments.model import SERVER, Act, RegisterEntrant, Tournament
from gameserver.tournaments.plan import Plan
from gameserver.values import value

ENTRANTS_MAX = 1000


class EntryMode(StrEnum):
    """The players who take part besides the named ones: all who are logged in, all who look for the game, or none."""

    LOGGED_IN = "logged-in"
    SUBSCRIBED = "subscribed"
    ROSTER = "roster"


@value
class CreateTournament:
    """Announce a tournament; it begins with the act `Start`. Its name tells it from all others that are not over.

    `seed` (64 hex digits from `secrets`) is what its lots and its dice are drawn from. `roster` names
    players by hand, house players among them; a house player may take part several times, as
    `house-random-2`.
    """

    plan: Plan
    seed: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"), repr=False)
    entry: EntryMode = EntryMode.LOGGED_IN
    roster: tuple[RegisterEntrant, ...] = field(default=(), validator=validators.max_len(ENTRANTS_MAX))
    by: str = SERVER
    why: str = ""


@value
class RestoreTournament:
    """A tournament that is over comes back from the records, so that an act can change it.

    It comes whole, because a replay of the journal has no records. Ignored if the lobby has it.
    """

    tournament: int
    state: Tournament
    entry: EntryMode = EntryMode.LOGGED_IN
    created_wall_ms: int = 0
    started_wall_ms: int | None = None
    ended_wall_ms: int | None = None


@value
class Conduct:
    """An act upon a tournament: a teacher's, or pairings that were worked out. The lobby gives it the time."""

    tournament: int
    act: Act


@value
class TournamentTimeUp:
    """Something in this tournament is due: a no-show, the end of a rest or of an arena. Late is ignored."""

    tournament: int
