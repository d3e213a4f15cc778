"""What a tournament with interruptions is made of: who plays what, under which terms, and what may go wrong.

Whatever goes wrong must not decide a match: there is time to come back, and enough for every move.
"""

from typing import Any

from attrs import field, frozen

from games.backgammon import TAVLA
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.policies import Rules
from gameserver.tournaments import plan as tournaments
from gameserver.tournaments.plan import RoundMode
from gameserver.tournaments.presets import preset
from tests.simulation.plan import LIGHT, ROOMS, SERVER_FAULTS, TEXT, TICKETS, Plan

ROUNDS_WITH_FAULTS = 6_000
"""After how many rounds of 20 to 50 ms nothing goes wrong any more."""
FIELD_MIN, FIELD_MAX = 3, 5
TURN_TIME_MS = 30_000
NO_SHOW_MS = 20_000
NO_SHOW_BY_TICKET_MS = 60_000
"""Who comes by ticket asks for it first, then comes with it; each may have to wait for two slow commits."""
PAUSE_MS = 5_000
"""Longer than any lag: who leaves between two matches has left before the next one."""
GRACE_MS = 40_000
NEVER = 100
LIGHT_SHARE = 0.3
"""How much seldomer than elsewhere clients have bad luck: nobody may lose a match by it."""
FAULTS_BESIDES = ("slow-reader", "lag")
"""Those of clients that cost nothing, even where a lost connection loses the match."""
FAULTS = ("drop", "reset", "vanish", "half-close", *FAULTS_BESIDES, "teacher", *SERVER_FAULTS)
CASTS = ((TEXT,), (TEXT,), (TEXT,), (TEXT,), (TEXT, ROOMS), (ROOMS,))
CASTS_WITH_TICKETS = ((TICKETS,), (TEXT, TICKETS))
WITH_TICKETS_SHARE = 0.2
FORMATS = ("hanze", "hanze", "league", "swiss", "cup", "rounds")
FATES = ("resign", "leave", "err", "oversleep")
"""What a player may do in the place of a move."""


@frozen
class Interrupted(Plan):
    """A tournament with interruptions; `faults=()` is the one in peace."""

    steps: int = ROUNDS_WITH_FAULTS
    bots: int = field()
    faults: tuple[str, ...] = FAULTS
    protocols: tuple[str, ...] = field()
    kill_after: int = 0
    """The row after which the server is killed, and nothing else goes wrong; 0 for kills at random."""
    doom: str = "after append"
    """The point at which the power fails then."""

    @bots.default
    def _bots(self) -> int:
        return self.stream("field").randint(FIELD_MIN, FIELD_MAX)

    @protocols.default
    def _protocols(self) -> tuple[str, ...]:
        has_tickets = self.stream("tickets").random() < WITH_TICKETS_SHARE
        return self.stream("protocols").choice(CASTS_WITH_TICKETS if has_tickets else CASTS)

    @property
    def forgives_drops(self) -> bool:
        """Whether who loses the connection may come back."""
        return TICKETS in self.protocols or self.stream("grace").random() < 0.5

    def rates(self) -> dict[str, float]:
        if self.kill_after:
            return {"crash": 0.0}
        rates = super().rates()
        if not self.forgives_drops:
            rates = {kind: rate for kind, rate in rates.items() if kind in {*SERVER_FAULTS, *FAULTS_BESIDES}}
        lessened = {*LIGHT, "drop", "reset", "vanish", "half-close"} - {*SERVER_FAULTS}
        return {kind: rate * (LIGHT_SHARE if kind in lessened else 1) for kind, rate in rates.items()}

    def roster_shares(self) -> tuple[float, ...]:
        return (0.0,)

    def menu(self) -> tuple[str, ...]:
        return (TAVLA.name,)

    def house_seed(self) -> str:
        return str(self.seed)

    def absentees(self) -> frozenset[int]:
        return frozenset()

    def ends_with_a_crash(self) -> bool:
        return False

    def tournament(self) -> tournaments.Plan:
        chance = self.stream("tournament")
        which = chance.choice(FORMATS)
        changes: dict[str, Any] = {
            "no_show_ms": NO_SHOW_BY_TICKET_MS if TICKETS in self.protocols else NO_SHOW_MS,
            "pause_ms": chance.choice((0, 300)) if self.last_round() is None else PAUSE_MS,
            "matches_at_once_max": chance.choice((0, 0, 1)),
            "turn_time_ms": TURN_TIME_MS,
            "stand_in": chance.choice(("", "house-random")),
            "cycles": chance.choice((1, 2)) if len(self.protocols) == 1 and TEXT in self.protocols else 1,
            "games": 2 if which == "cup" and TEXT in self.protocols else 1,
            "rounds": 3 if which == "swiss" else 0,
            "pacing": RoundMode.ROUNDS if which in {"rounds", "swiss"} else RoundMode.CONTINUOUS,
            # In another order somebody else has the win over who is taken out for the second no-show.
            "no_shows_max": NEVER if which in {"hanze", "league"} else 2,
            "voids_max": NEVER,
            "searches": self.stream("searches").random() < 0.5,
            "same_chance": self.stream("same dice").random() < 0.5,
        }
        return preset("hanze" if which == "rounds" else which, "Cup", self._game(), **changes)

    def _game(self) -> str:
        if ROOMS in self.protocols:
            return CONNECT_FOUR.name
        if TICKETS in self.protocols:
            return TAVLA.name
        return self.stream("game").choice(("Countdown", TIC_TAC_TOE.name, "Dice"))

    @property
    def has_dice(self) -> bool:
        """Whether a match that is played once more has other dice."""
        return self._game() in {TAVLA.name, "Dice"}

    def plays_on_share(self) -> float:
        """How likely nobody ends a match before its time; seldom where that is long."""
        return 0.15 if TICKETS in self.protocols else 0.65

    def fates(self) -> tuple[str, ...]:
        """How players may end matches: nobody has one played again whose dice would be others then."""
        if TICKETS in self.protocols:
            return ("resign",)
        if self.has_dice:
            return ("resign", "err", "oversleep")
        return ("resign", "leave") if ROOMS in self.protocols else FATES

    def last_round(self) -> int | None:
        """After which round one player leaves; 0 for somebody who never comes, None if all are there to the end."""
        chance = self.stream("leaver")
        if self.stream("tournament").choice(FORMATS) == "swiss":
            return chance.choice((None, 0, 1, 2))
        return chance.choice((None, None, 0))

    def rules(self) -> Rules:
        grace_ms = GRACE_MS if self.forgives_drops else 0
        return Rules(
            turn_time_ms=TURN_TIME_MS,
            drop_grace_ms=grace_ms,
            restart_grace_ms=2 * GRACE_MS,
            room_turn_time_ms=TURN_TIME_MS,
            ticket_turn_time_ms=TURN_TIME_MS,
            ticket_drop_grace_ms=GRACE_MS,
            room_count=2 * FIELD_MAX,
        )

    def command(self) -> str:
        command = f"{super().command()} --interrupted"
        return f"{command} --kill-after {self.kill_after} --doom {self.doom!r}" if self.kill_after else command
